package import Vocabulary

/// An action is about to be done. Answers the number of its record.
package struct BeginAudit: StoreRequest {
    package let actor: AuditRecord.Actor
    package let action: String
    package let target: String?
    package let detail: String?
    package let now: WallTime

    package static let access = StoreAccess.writes

    package init(
        by actor: AuditRecord.Actor, _ action: String, on target: String? = nil, _ detail: String? = nil,
        at now: WallTime
    ) {
        self.actor = actor
        self.action = action
        self.target = target
        self.detail = detail
        self.now = now
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Int64 { try self.write(.begun, tables) }

    /// Within the commit of what was done, where that is the store's own work.
    @discardableResult
    func write(_ outcome: AuditRecord.Outcome, _ tables: some Tables) throws(StoreError) -> Int64 {
        let number = (try tables.latestAuditNumber() ?? 0) + 1
        let record = AuditRecord(
            number, at: self.now, by: self.actor, self.action, on: self.target, self.detail, outcome)
        try tables.insert(record)
        return number
    }
}

/// How it went.
package struct EndAudit: StoreRequest {
    package let number: Int64
    package let outcome: AuditRecord.Outcome

    package static let access = StoreAccess.writes

    package init(_ number: Int64, _ outcome: AuditRecord.Outcome) {
        self.number = number
        self.outcome = outcome
    }

    package func perform(on tables: some Tables) throws(StoreError) {
        try tables.setAuditOutcome(self.outcome, of: self.number)
    }
}

/// In the order of their numbers: those after `number`, or else the latest.
package struct ListAudit: StoreRequest {
    package let number: Int64?
    package let limit: Int

    package static let access = StoreAccess.readsCommitted
    package static let maximumLimit = 1000

    package init(after number: Int64?, limit: Int) {
        self.number = number
        self.limit = min(max(limit, 0), Self.maximumLimit)
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [AuditRecord] {
        if let number = self.number { return try tables.auditRecords(after: number, limit: self.limit) }
        return try tables.latestAuditRecords(limit: self.limit).reversed()
    }
}

/// The latest stays, so that no number is given twice. Answers how many there were.
package struct ForgetAudit: StoreRequest {
    package let time: WallTime

    package static let access = StoreAccess.writes

    package init(before time: WallTime) { self.time = time }

    package func perform(on tables: some Tables) throws(StoreError) -> Int {
        guard let latest = try tables.latestAuditNumber() else { return 0 }
        let count = try tables.auditRecordCount(before: self.time, upTo: latest - 1)
        if count > 0 { try tables.removeAuditRecords(before: self.time, upTo: latest - 1) }
        return count
    }
}
