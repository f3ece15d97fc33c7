package import Conversing
package import Keeping
package import Vocabulary

private enum OutboxColumn: Int, Column { case number, entry, attempts, trouble, givenUp, event, trace }

extension DeliveryRow {
    fileprivate init(_ row: Row<OutboxColumn>) {
        let entry = EntryKey(packed: row.integer(.entry))
        self.init(row.integer(.number), NewDelivery(entry, event: row.text(.event), trace: row.text(.trace)))
        self.attempts = row.count(.attempts)
        self.trouble = row.text(.trouble)
        self.isGivenUp = row.integer(.givenUp) != 0
    }
}

extension SQLTables {
    private static let outboxColumns = "SELECT \(OutboxColumn.list()) FROM outbox"
    private static let deliveryByNumber = "\(outboxColumns) WHERE number = ?"
    private static let triedDeliveries = "\(outboxColumns) WHERE attempts > 0 ORDER BY number LIMIT ?"
    private static let waiting = """
        \(outboxColumns) INDEXED BY waiting_deliveries WHERE given_up = 0 AND number > ? ORDER BY number LIMIT ?
        """
    private static let waitingInRange = """
        \(outboxColumns) INDEXED BY waiting_deliveries
        WHERE given_up = 0 AND number BETWEEN ? AND ? ORDER BY number LIMIT ?
        """
    private static let givenUp = """
        \(outboxColumns) INDEXED BY given_up_deliveries WHERE given_up = 1 AND number > ? ORDER BY number LIMIT ?
        """
    static let waitingInOne = """
        \(outboxColumns) INDEXED BY deliveries_in_one
        WHERE given_up = 0 AND \(EntryLayout.conversation(of: "entry")) = ? AND number BETWEEN ? AND ?
        ORDER BY number LIMIT ?
        """

    package func insert(_ delivery: NewDelivery) throws(StoreError) {
        let values: [SQLValue] = [.key(delivery.entry), .text(delivery.event), .text(delivery.trace)]
        try self.connection.run("INSERT INTO outbox (entry, event, trace) VALUES (?, ?, ?)", values)
    }

    package func delivery(_ number: Int64) throws(StoreError) -> DeliveryRow? {
        try self.connection.first(Self.deliveryByNumber, [.integer(number)]) { DeliveryRow($0) }
    }

    package func deliveries(after number: Int64, isGivenUp: Bool, limit: Int) throws(StoreError) -> [DeliveryRow] {
        let sql = isGivenUp ? Self.givenUp : Self.waiting
        return try self.connection.all(sql, [.integer(number), .count(limit)]) { DeliveryRow($0) }
    }

    package func deliveries(
        numbered ranges: [ClosedRange<Int64>], limit: Int
    ) throws(StoreError) -> [DeliveryRow] {
        try self.connection.allOfEach(Self.waitingInRange, SQLValue.ranges(ranges, limit: limit)) {
            DeliveryRow(Row($0))
        }
    }

    package func deliveries(
        in key: ConversationKey, _ numbers: ClosedRange<Int64>, limit: Int
    ) throws(StoreError) -> [DeliveryRow] {
        let values: [SQLValue] = [
            .key(key), .integer(numbers.lowerBound), .integer(numbers.upperBound), .count(limit),
        ]
        return try self.connection.all(Self.waitingInOne, values) { DeliveryRow($0) }
    }

    package func triedDeliveries(limit: Int) throws(StoreError) -> [DeliveryRow] {
        try self.connection.all(Self.triedDeliveries, [.count(limit)]) { DeliveryRow($0) }
    }

    package func deliveryCount(isGivenUp: Bool) throws(StoreError) -> Int {
        // Written out, as the partial indexes have it.
        let sql = "SELECT count(*) FROM outbox WHERE given_up = \(isGivenUp ? 1 : 0)"
        return Int(try self.connection.number(sql) ?? 0)
    }

    package func update(_ delivery: DeliveryRow) throws(StoreError) {
        let sql = "UPDATE outbox SET attempts = ?, trouble = ?, given_up = ? WHERE number = ?"
        let values: [SQLValue] = [
            .count(delivery.attempts), .text(delivery.trouble), .flag(delivery.isGivenUp), .integer(delivery.number),
        ]
        try self.connection.run(sql, values)
    }

    package func removeDelivery(_ number: Int64) throws(StoreError) {
        try self.connection.run("DELETE FROM outbox WHERE number = ?", [.integer(number)])
    }

    package func removeDeliveries(of key: ConversationKey, through entry: UInt64) throws(StoreError) {
        try self.connection.run("DELETE FROM outbox WHERE entry BETWEEN ? AND ?", SQLValue.keys(key, through: entry))
    }
}

// MARK: - Events

private enum EventPlaceColumn: Int, Column { case series, number, time }

extension SQLTables {
    private static let putEventPlace = "INSERT INTO event_places \(EventPlaceColumn.replacement(of: .series))"

    package func lastEvent(of series: RandomToken) throws(StoreError) -> UInt64? {
        let sql = "SELECT number FROM event_places WHERE series = ?"
        return try self.connection.number(sql, [.text(series.text)]).map { UInt64(clamping: $0) }
    }

    package func put(_ place: EventPlace, at time: WallTime) throws(StoreError) {
        let values: [SQLValue] = [.text(place.series.text), .integer(Int64(clamping: place.number)), .time(time)]
        try self.connection.run(Self.putEventPlace, values)
    }

    package func removeEventPlaces(before time: WallTime) throws(StoreError) {
        try self.connection.run("DELETE FROM event_places WHERE time < ?", [.time(time)])
    }
}
