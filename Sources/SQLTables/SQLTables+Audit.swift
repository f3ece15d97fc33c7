package import Keeping
package import Vocabulary

private enum AuditColumn: Int, Column { case number, time, actor, address, token, action, target, detail, outcome }

extension AuditRecord {
    fileprivate init(_ row: Row<AuditColumn>) throws(StoreError) {
        let actor = Actor(
            name: try row.required(.actor) { $0 }, address: row.text(.address), token: row.text(.token))
        self.init(
            row.integer(.number), at: row.requiredTime(.time), by: actor, try row.required(.action) { $0 },
            on: row.text(.target), row.text(.detail), try row.required(.outcome) { Outcome(rawValue: $0) })
    }

    fileprivate func value(of column: AuditColumn) -> SQLValue {
        switch column {
        case .number: .integer(self.number)
        case .time: .time(self.time)
        case .actor: .text(self.actor.name)
        case .address: .text(self.actor.address)
        case .token: .text(self.actor.token)
        case .action: .text(self.action)
        case .target: .text(self.target)
        case .detail: .text(self.detail)
        case .outcome: .text(self.outcome.rawValue)
        }
    }
}

extension SQLTables {
    private static let auditColumns = "SELECT \(AuditColumn.list()) FROM audit"
    private static let auditAfter = "\(auditColumns) WHERE number > ? ORDER BY number LIMIT ?"
    private static let auditLatest = "\(auditColumns) ORDER BY number DESC LIMIT ?"
    private static let insertAudit = "INSERT INTO audit \(AuditColumn.insertion)"

    package func latestAuditNumber() throws(StoreError) -> Int64? {
        try self.connection.number("SELECT max(number) FROM audit")
    }

    package func insert(_ record: AuditRecord) throws(StoreError) {
        try self.connection.run(Self.insertAudit, record.value(of:))
    }

    package func setAuditOutcome(_ outcome: AuditRecord.Outcome, of number: Int64) throws(StoreError) {
        let values: [SQLValue] = [.text(outcome.rawValue), .integer(number)]
        try self.connection.run("UPDATE audit SET outcome = ? WHERE number = ?", values)
    }

    package func auditRecords(after number: Int64, limit: Int) throws(StoreError) -> [AuditRecord] {
        try self.connection.all(Self.auditAfter, [.integer(number), .count(limit)], read: AuditRecord.init)
    }

    package func latestAuditRecords(limit: Int) throws(StoreError) -> [AuditRecord] {
        try self.connection.all(Self.auditLatest, [.count(limit)], read: AuditRecord.init)
    }

    package func auditRecordCount(before time: WallTime, upTo number: Int64) throws(StoreError) -> Int {
        let sql = "SELECT count(*) FROM audit WHERE time < ? AND number <= ?"
        return Int(try self.connection.number(sql, [.time(time), .integer(number)]) ?? 0)
    }

    package func removeAuditRecords(before time: WallTime, upTo number: Int64) throws(StoreError) {
        let values: [SQLValue] = [.time(time), .integer(number)]
        try self.connection.run("DELETE FROM audit WHERE time < ? AND number <= ?", values)
    }
}
