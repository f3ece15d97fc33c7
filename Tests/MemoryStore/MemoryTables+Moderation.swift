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
