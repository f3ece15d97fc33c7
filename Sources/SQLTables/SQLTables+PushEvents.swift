package import Keeping
package import Vocabulary

private enum PushEventColumn: Int, Column {
    case number, push, user, device, subject, place, entry, event, time, status, reason
}

extension PushEvent {
    fileprivate init(_ row: Row<PushEventColumn>) throws(StoreError) {
        let subject = Subject(
            try row.required(.subject) { Subject.Kind(rawValue: $0) }, in: row.text(.place),
            entry: row.isNull(.entry) ? nil : UInt64(clamping: row.integer(.entry)))
        self.init(
            try row.required(.event) { Kind(rawValue: $0) }, of: try row.required(.push) { RandomToken($0) },
            for: try row.required(.user) { UserID($0) }, on: row.text(.device).flatMap { DeviceID($0) },
            about: subject, at: row.requiredTime(.time),
            status: row.isNull(.status) ? nil : Int(row.integer(.status)), reason: row.text(.reason))
    }

    fileprivate func value(of column: PushEventColumn, _ number: Int64) -> SQLValue {
        switch column {
        case .number: .integer(number)
        case .push: .text(self.push.text)
        case .user: .user(self.user)
        case .device: .text(self.device?.text)
        case .subject: .text(self.subject.kind.rawValue)
        case .place: .text(self.subject.place)
        case .entry: self.subject.entry.map { .number($0) } ?? .null
        case .event: .text(self.kind.rawValue)
        case .time: .time(self.time)
        case .status: .length(self.status)
        case .reason: .text(self.reason)
        }
    }
}

extension SQLTables {
    private static let pushEventColumns = "SELECT \(PushEventColumn.list()) FROM push_events"
    private static let insertPushEvent = "INSERT INTO push_events \(PushEventColumn.insertion)"
    private static let ofSubject =
        "(CAST(?1 AS TEXT) IS NULL OR place = ?1) AND (CAST(?2 AS BIGINT) IS NULL OR entry = ?2)"
    private static let latestOfUser =
        "\(pushEventColumns) WHERE \(ofSubject) AND user = ?4 ORDER BY number DESC LIMIT ?3"
    private static let latestOfAll = "\(pushEventColumns) WHERE \(ofSubject) ORDER BY number DESC LIMIT ?3"
    private static let ofPush = "\(pushEventColumns) WHERE push = ? AND user = ? ORDER BY number"

    package func latestPushEventNumber() throws(StoreError) -> Int64? {
        try self.connection.number("SELECT max(number) FROM push_events")
    }

    package func insert(_ event: PushEvent, as number: Int64) throws(StoreError) {
        try self.connection.run(Self.insertPushEvent) { event.value(of: $0, number) }
    }

    package func pushEvents(
        of user: UserID?, in place: String?, entry: UInt64?, limit: Int
    ) throws(StoreError) -> [PushEvent] {
        let subject: [SQLValue] = [.text(place), entry.map { .number($0) } ?? .null, .count(limit)]
        guard let user else {
            return try self.connection.all(Self.latestOfAll, subject, read: PushEvent.init)
        }
        return try self.connection.all(Self.latestOfUser, subject + [.user(user)], read: PushEvent.init)
    }

    package func pushEvents(of push: RandomToken, for user: UserID) throws(StoreError) -> [PushEvent] {
        try self.connection.all(Self.ofPush, [.text(push.text), .user(user)], read: PushEvent.init)
    }

    package func removePushEvents(through number: Int64) throws(StoreError) {
        try self.connection.run("DELETE FROM push_events WHERE number <= ?", [.integer(number)])
    }

    package func removePushEvents(before time: WallTime) throws(StoreError) {
        try self.connection.run("DELETE FROM push_events WHERE time < ?", [.time(time)])
    }

    package func removePushEvents(of user: UserID) throws(StoreError) {
        try self.connection.run("DELETE FROM push_events WHERE user = ?", [.user(user)])
    }
}
