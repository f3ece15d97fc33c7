package import Conversing
package import Vocabulary

/// What a user told the operators, and what became of it.
package struct Report: Hashable, Sendable {
    /// Counts without being used twice.
    package let number: Int64
    package let time: WallTime
    package let reporter: UserID
    package let target: ReportTarget
    /// Whose doing it is, as far as that is known.
    package var accused: UserID?
    package let reason: ReportReason
    package let text: String?
    /// What the message said, in case it is taken back.
    package var evidence: [UInt8]?
    package var settlement: Settlement?

    package struct Settlement: Hashable, Sendable {
        package let time: WallTime
        package let action: String
        package let note: String?

        package init(at time: WallTime, _ action: String, note: String?) {
            self.time = time
            self.action = action
            self.note = note
        }
    }

    package init(
        _ number: Int64, at time: WallTime, by reporter: UserID, about target: ReportTarget, _ reason: ReportReason,
        _ text: String?
    ) {
        self.number = number
        self.time = time
        self.reporter = reporter
        self.target = target
        self.reason = reason
        self.text = text
    }
}

/// A user reports a message they can see, a conversation they can come into, or another user. As long as a report is open the
/// same user's next one of the same thing is that one. Answers its number.
package struct SendReport: StoreRequest {
    package let target: ReportTarget
    package let reporter: UserID
    package let reason: ReportReason
    package let text: String?
    package let now: WallTime
    /// The server itself reports what it has just written down.
    package var isByServer = false

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.isByServer ? nil : self.reporter }
    package static let maximumOpen = 50
    package static let maximumOpenOfServer = 1000

    package init(
        _ target: ReportTarget, by reporter: UserID, _ reason: ReportReason, _ text: String?, at now: WallTime
    ) {
        self.target = target
        self.reporter = reporter
        self.reason = reason
        self.text = text
        self.now = now
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<Int64> {
        if let open = try tables.openReport(about: self.target, by: self.reporter) { return .success(open) }
        let maximum = self.isByServer ? Self.maximumOpenOfServer : Self.maximumOpen
        guard try tables.openReportCount(by: self.reporter, limit: maximum) < maximum else {
            return .failure(.tooManyReports)
        }
        let number = (try tables.latestReportNumber() ?? 0) + 1
        var report = Report(
            number, at: self.now, by: self.reporter, about: self.target, self.reason, self.text)
        if let refusal = try self.look(&report, tables) { return .failure(refusal) }
        try tables.insert(report)
        return .success(number)
    }

    /// What the reporter cannot see they cannot report.
    private func look(_ report: inout Report, _ tables: some Tables) throws(StoreError) -> ConversationRefusal? {
        switch self.target {
        // Who is in the room only the switchboard knows.
        case .room(_, nil): break
        case .user(let user), .room(_, let user?):
            guard user != self.reporter, try Acquaintance.isKnown(user, tables) else { return .unknownUser }
            report.accused = user
        case .conversation(let id):
            guard let row = try tables.conversation(id) else { return .unknown }
            guard row.kind != .room, !self.isByServer else { return nil }
            guard try tables.member(self.reporter, of: row.key) != nil else { return .notMember }
        case .message(let id, let number):
            guard let row = try tables.conversation(id) else { return .notMember }
            guard !self.isByServer else { return try self.note(EntryKey(row.key, number), in: &report, tables) }
            guard let member = try tables.member(self.reporter, of: row.key)?.member else { return .notMember }
            guard number > member.since, let entry = try tables.entry(EntryKey(row.key, number)),
                entry.sort == .message, entry.sender != self.reporter
            else { return .noMessage }
            guard !entry.isRecalled else { return .recalled }
            report.accused = entry.sender
            report.evidence = entry.body
        }
        return nil
    }
}

extension SendReport {
    private func note(
        _ key: EntryKey, in report: inout Report, _ tables: some Tables
    ) throws(StoreError) -> ConversationRefusal? {
        guard let entry = try tables.entry(key), !entry.isRecalled else { return .noMessage }
        report.accused = entry.sender
        report.evidence = entry.body
        return nil
    }
}

/// In the order of their numbers, from the one after `number`.
package struct ListReports: StoreRequest {
    package let isOpen: Bool
    package let number: Int64
    package let limit: Int

    package static let access = StoreAccess.readsCommitted
    package static let maximumLimit = 100

    /// - Parameter isOpen: only those that nobody has settled.
    package init(isOpen: Bool, after number: Int64, limit: Int) {
        self.isOpen = isOpen
        self.number = number
        self.limit = min(max(limit, 0), Self.maximumLimit)
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [Report] {
        try tables.reports(isOpen: self.isOpen, after: self.number, limit: self.limit)
    }
}

package struct FindReport: StoreRequest {
    package let number: Int64

    package static let access = StoreAccess.readsCommitted

    package init(_ number: Int64) { self.number = number }

    package func perform(on tables: some Tables) throws(StoreError) -> Report? { try tables.report(self.number) }
}

/// False when there is no such report, or somebody has settled it.
package struct SettleReport: StoreRequest {
    package let number: Int64
    package let settlement: Report.Settlement

    package static let access = StoreAccess.writes

    package init(_ number: Int64, _ settlement: Report.Settlement) {
        self.number = number
        self.settlement = settlement
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Bool {
        guard let report = try tables.report(self.number), report.settlement == nil else { return false }
        try tables.settle(self.number, self.settlement)
        return true
    }
}

/// Those that were settled long ago; the latest stays, so that no number is given twice.
package struct ForgetReports: StoreRequest {
    package let time: WallTime

    package static let access = StoreAccess.writes

    package init(settledBefore time: WallTime) { self.time = time }

    package func perform(on tables: some Tables) throws(StoreError) {
        guard let latest = try tables.latestReportNumber() else { return }
        try tables.removeReports(settledBefore: self.time, upTo: latest - 1)
    }
}
