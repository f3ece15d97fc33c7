package import Conversing
package import Keeping
package import Vocabulary

private enum ReportColumn: Int, Column {
    case number, time, reporter, target, conversation, entry, accused, reason, text, evidence, settled, action, note,
        room
}

extension Report {
    fileprivate init(_ row: Row<ReportColumn>) throws(StoreError) {
        let target: ReportTarget
        if let id = row.text(.conversation).flatMap({ ConversationID($0) }) {
            target = row.isNull(.entry) ? .conversation(id) : .message(id, row.number(.entry))
        } else if let room = row.text(.room).flatMap({ RoomName($0) }) {
            target = .room(room, row.text(.accused).flatMap { UserID($0) })
        } else {
            target = .user(try row.required(.accused) { UserID($0) })
        }
        self.init(
            row.integer(.number), at: row.requiredTime(.time), by: try row.required(.reporter) { UserID($0) },
            about: target, try row.required(.reason) { ReportReason(rawValue: $0) }, row.text(.text))
        self.accused = row.text(.accused).flatMap { UserID($0) }
        self.evidence = row.isNull(.evidence) ? nil : row.blob(.evidence)
        guard let settled = row.time(.settled) else { return }
        self.settlement = Settlement(at: settled, row.text(.action) ?? "", note: row.text(.note))
    }

    fileprivate func value(of column: ReportColumn) -> SQLValue {
        switch column {
        case .number: .integer(self.number)
        case .time: .time(self.time)
        case .reporter: .user(self.reporter)
        case .target: .text(self.target.name)
        case .conversation: .text(self.target.conversation?.text)
        case .entry: self.target.entry.map { .number($0) } ?? .null
        case .accused: .user(self.accused)
        case .reason: .text(self.reason.rawValue)
        case .text: .text(self.text)
        case .evidence: .blob(self.evidence)
        case .settled: .time(self.settlement?.time)
        case .action: .text(self.settlement?.action)
        case .note: .text(self.settlement?.note)
        case .room: .text(self.target.room?.text)
        }
    }
}

extension ReportTarget {
    fileprivate var conversation: ConversationID? {
        switch self {
        case .message(let id, _), .conversation(let id): id
        case .user, .room: nil
        }
    }

    fileprivate var room: RoomName? { if case .room(let room, _) = self { room } else { nil } }

    fileprivate var entry: UInt64? { if case .message(_, let number) = self { number } else { nil } }
}

extension SQLTables {
    private static let reportColumns = "SELECT \(ReportColumn.list()) FROM reports"
    private static let reportByNumber = "\(reportColumns) WHERE number = ?"
    private static let reportsAfter = "\(reportColumns) WHERE number > ? ORDER BY number LIMIT ?"
    private static let openReportsAfter = """
        \(reportColumns) WHERE settled IS NULL AND number > ? ORDER BY number LIMIT ?
        """
    private static let insertReport = "INSERT INTO reports \(ReportColumn.insertion)"

    package func latestReportNumber() throws(StoreError) -> Int64? {
        try self.connection.number("SELECT max(number) FROM reports")
    }

    package func report(_ number: Int64) throws(StoreError) -> Report? {
        try self.connection.first(Self.reportByNumber, [.integer(number)], read: Report.init)
    }

    package func openReport(about target: ReportTarget, by reporter: UserID) throws(StoreError) -> Int64? {
        let sql = "SELECT number FROM reports WHERE settled IS NULL AND reporter = ? AND target = ?"
        return try self.connection.number(sql, [.user(reporter), .text(target.name)])
    }

    package func openReportCount(by reporter: UserID, limit: Int) throws(StoreError) -> Int {
        let sql = "SELECT count(*) FROM (SELECT 1 FROM reports WHERE settled IS NULL AND reporter = ? LIMIT ?) AS few"
        return Int(try self.connection.number(sql, [.user(reporter), .count(limit)]) ?? 0)
    }

    package func reports(isOpen: Bool, after number: Int64, limit: Int) throws(StoreError) -> [Report] {
        let sql = isOpen ? Self.openReportsAfter : Self.reportsAfter
        return try self.connection.all(sql, [.integer(number), .count(limit)], read: Report.init)
    }

    package func insert(_ report: Report) throws(StoreError) {
        try self.connection.run(Self.insertReport, report.value(of:))
    }

    package func settle(_ number: Int64, _ settlement: Report.Settlement) throws(StoreError) {
        let values: [SQLValue] = [
            .time(settlement.time), .text(settlement.action), .text(settlement.note), .integer(number),
        ]
        try self.connection.run("UPDATE reports SET settled = ?, action = ?, note = ? WHERE number = ?", values)
    }

    package func removeReports(settledBefore time: WallTime, upTo number: Int64) throws(StoreError) {
        let values: [SQLValue] = [.time(time), .integer(number)]
        try self.connection.run("DELETE FROM reports WHERE settled < ? AND number <= ?", values)
    }
}
