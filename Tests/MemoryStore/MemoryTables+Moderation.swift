import Conversing
import Keeping
import Vocabulary

extension MemoryTables {
    func latestAuditNumber() throws(StoreError) -> Int64? { try self.read { $0.audit.last?.number } }

    func insert(_ record: AuditRecord) throws(StoreError) {
        try self.check(self.rows.audit.allSatisfy { $0.number < record.number })
        self.rows.audit.append(record)
    }

    func setAuditOutcome(_ outcome: AuditRecord.Outcome, of number: Int64) throws(StoreError) {
        guard let index = self.rows.audit.firstIndex(where: { $0.number == number }) else { return }
        self.rows.audit[index].outcome = outcome
    }

    func auditRecords(after number: Int64, limit: Int) throws(StoreError) -> [AuditRecord] {
        try self.read { Array($0.audit.filter { $0.number > number }.prefix(limit)) }
    }

    func latestAuditRecords(limit: Int) throws(StoreError) -> [AuditRecord] {
        try self.read { Array($0.audit.reversed().prefix(limit)) }
    }

    func auditRecordCount(before time: WallTime, upTo number: Int64) throws(StoreError) -> Int {
        try self.read { $0.audit.count { $0.time < time && $0.number <= number } }
    }

    func removeAuditRecords(before time: WallTime, upTo number: Int64) throws(StoreError) {
        self.rows.audit.removeAll { $0.time < time && $0.number <= number }
    }
}

extension MemoryTables {
    func isModerator(_ user: UserID) throws(StoreError) -> Bool { try self.read { $0.moderators[user] != nil } }

    func moderators() throws(StoreError) -> [Moderator] {
        try self.read { $0.moderators.values.sorted { $0.user.text < $1.user.text } }
    }

    func put(_ moderator: Moderator) throws(StoreError) { self.rows.moderators[moderator.user] = moderator }

    func removeModerator(_ user: UserID) throws(StoreError) { self.rows.moderators[user] = nil }

    func put(_ sanction: Sanction, in key: ConversationKey) throws(StoreError) {
        self.rows.sanctions[key, default: [:]][sanction.place] = sanction
    }

    func removeSanction(_ kind: Sanction.Kind, of user: UserID, in key: ConversationKey) throws(StoreError) {
        self.rows.sanctions[key]?[SanctionPlace(user: user, kind: kind)] = nil
    }

    func sanctions(
        of key: ConversationKey, after place: SanctionPlace?, at now: WallTime, limit: Int
    ) throws(StoreError) -> [Sanction] {
        let order = { (one: SanctionPlace) in (one.user.text, one.kind.rawValue) }
        return try self.read { rows in
            let later = (rows.sanctions[key] ?? [:]).values.filter { sanction in
                (sanction.until.map { $0 > now } ?? true) && (place.map { order(sanction.place) > order($0) } ?? true)
            }
            return Array(later.sorted { order($0.place) < order($1.place) }.prefix(limit))
        }
    }

    func removeSanctions(endedBy now: WallTime) throws(StoreError) {
        self.rows.sanctions = self.rows.sanctions.mapValues { $0.filter { $0.value.until.map { $0 > now } ?? true } }
    }
}

extension MemoryTables {
    func latestReportNumber() throws(StoreError) -> Int64? { try self.read { $0.reports.last?.number } }

    func report(_ number: Int64) throws(StoreError) -> Report? {
        try self.read { $0.reports.first { $0.number == number } }
    }

    func openReport(about target: ReportTarget, by reporter: UserID) throws(StoreError) -> Int64? {
        try self.read { rows in
            rows.reports.first { $0.settlement == nil && $0.reporter == reporter && $0.target == target }?.number
        }
    }

    func openReportCount(by reporter: UserID, limit: Int) throws(StoreError) -> Int {
        try self.read { min($0.reports.count { $0.settlement == nil && $0.reporter == reporter }, limit) }
    }

    func reports(isOpen: Bool, after number: Int64, limit: Int) throws(StoreError) -> [Report] {
        try self.read { rows in
            Array(rows.reports.filter { $0.number > number && !(isOpen && $0.settlement != nil) }.prefix(limit))
        }
    }

    func insert(_ report: Report) throws(StoreError) { self.rows.reports.append(report) }

    func settle(_ number: Int64, _ settlement: Report.Settlement) throws(StoreError) {
        guard let index = self.rows.reports.firstIndex(where: { $0.number == number }) else { return }
        self.rows.reports[index].settlement = settlement
    }

    func removeReports(settledBefore time: WallTime, upTo number: Int64) throws(StoreError) {
        self.rows.reports.removeAll { report in
            report.number <= number && report.settlement.map { $0.time < time } == true
        }
    }
}

extension MemoryTables {
    func wordRules() throws(StoreError) -> [WordRule] {
        try self.read {
            $0.wordRules.values.sorted { Array($0.word.utf8).lexicographicallyPrecedes(Array($1.word.utf8)) }
        }
    }

    func hasWordRule(_ word: String) throws(StoreError) -> Bool { try self.read { $0.wordRules[word] != nil } }

    func wordRuleCount() throws(StoreError) -> Int { try self.read { $0.wordRules.count } }

    func put(_ rule: WordRule) throws(StoreError) { self.rows.wordRules[rule.word] = rule }

    func removeWordRule(_ word: String) throws(StoreError) { self.rows.wordRules[word] = nil }
}
