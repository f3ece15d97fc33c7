internal import Conversing
internal import Vocabulary

/// What another program still has to hear of.
enum OutboxQueries {
    struct Keep: StoreRequest {
        let isKept: Bool

        static let writes = false

        func perform(on connection: borrowing Connection) throws(StoreError) {
            connection.memory.keepsOutbox = self.isKept
        }
    }

    static func add(_ entry: Int64, _ connection: borrowing Connection) throws(StoreError) {
        guard connection.memory.keepsOutbox else { return }
        try connection.run("INSERT INTO outbox (entry) VALUES (?)", [.integer(entry)])
    }

    /// Some of what waits, in its order.
    typealias Choice = (index: String, condition: String)

    static let inAll: Choice = ("waiting_deliveries", "o.number > ?")
    static let inOne: Choice = ("deliveries_in_one", "o.entry >> 32 = ? AND o.number BETWEEN ? AND ?")

    static func sql(_ choice: Choice) -> String {
        """
        SELECT \(EntryQueries.columns(of: "e")), o.number, o.attempts, c.id
        FROM outbox o INDEXED BY \(choice.index)
        JOIN entries e ON e.id = o.entry JOIN conversations c ON c.number = o.entry >> 32
        WHERE o.given_up = 0 AND \(choice.condition) ORDER BY o.number LIMIT ?
        """
    }

    private static func select(
        _ choice: Choice, _ values: [SQLValue], _ connection: borrowing Connection
    ) throws(StoreError) -> [Delivery] {
        try connection.all(self.sql(choice), values) { row throws(StoreError) in
            Delivery(
                number: row.integer(13), attempts: Int(row.integer(14)),
                conversation: try row.required(row.text(15).flatMap { ConversationID($0) }, "conversation id"),
                key: ConversationKey(inID: row.integer(0)), entry: try EntryQueries.read(row))
        }
    }

    struct Waiting: StoreRequest {
        let after: Int64
        let limit: Int

        static let writes = false

        func perform(on connection: borrowing Connection) throws(StoreError) -> [Delivery] {
            let values: [SQLValue] = [.integer(self.after), .integer(Int64(self.limit))]
            return try OutboxQueries.select(OutboxQueries.inAll, values, connection)
        }
    }

    struct WaitingInOne: StoreRequest {
        let conversation: ConversationKey
        let numbers: ClosedRange<Int64>
        let limit: Int

        static let writes = false

        func perform(on connection: borrowing Connection) throws(StoreError) -> [Delivery] {
            let values: [SQLValue] = [
                .integer(self.conversation.number), .integer(self.numbers.lowerBound),
                .integer(self.numbers.upperBound), .integer(Int64(self.limit)),
            ]
            return try OutboxQueries.select(OutboxQueries.inOne, values, connection)
        }
    }

    struct Delivered: StoreRequest {
        let number: Int64

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) {
            try connection.run("DELETE FROM outbox WHERE number = ?", [.integer(self.number)])
        }
    }

    struct Failed: StoreRequest {
        let failure: DeliveryFailure

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) {
            try connection.run(
                "UPDATE outbox SET attempts = attempts + 1, trouble = ?, given_up = ? WHERE number = ?",
                [
                    .text(self.failure.trouble), .integer(self.failure.isGivenUp ? 1 : 0),
                    .integer(self.failure.number),
                ])
        }
    }

    struct View: StoreRequest {
        let limit: Int

        static let writes = false

        func perform(on connection: borrowing Connection) throws(StoreError) -> OutboxView {
            var view = OutboxView()
            let counts = "SELECT count(*) FROM outbox WHERE given_up = "
            view.waiting = try connection.first(counts + "0") { Int($0.integer(0)) } ?? 0
            view.givenUp = try connection.first(counts + "1") { Int($0.integer(0)) } ?? 0
            let sql = """
                SELECT o.number, c.id, o.entry, o.attempts, o.trouble, o.given_up
                FROM outbox o JOIN conversations c ON c.number = o.entry >> 32
                WHERE o.attempts > 0 ORDER BY o.number LIMIT ?
                """
            view.rows = try connection.all(sql, [.integer(Int64(self.limit))]) { row throws(StoreError) in
                OutboxView.Row(
                    number: row.integer(0),
                    conversation: try row.required(row.text(1).flatMap { ConversationID($0) }, "conversation id"),
                    entry: ConversationKey.number(inID: row.integer(2)), attempts: Int(row.integer(3)),
                    trouble: row.text(4), isGivenUp: row.integer(5) != 0)
            }
            return view
        }
    }

    /// What is delivered again goes to the end of the line: its place is behind what was delivered meanwhile.
    struct Replay: StoreRequest {
        let request: ReplayRequest

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> Int {
            switch self.request {
            case .givenUp:
                let sql = "INSERT INTO outbox (entry) SELECT entry FROM outbox WHERE given_up = 1 ORDER BY number"
                let count = try connection.run(sql)
                try connection.run("DELETE FROM outbox WHERE given_up = 1")
                return count
            case .conversation(let id, let number):
                guard let record = try ConversationBook.record(id, connection) else { return 0 }
                let sql = "INSERT INTO outbox (entry) SELECT id FROM entries WHERE id > ? AND id <= ? ORDER BY id"
                let last = record.key.id(of: ConversationKey.maximumEntry)
                return try connection.run(sql, [.integer(record.key.id(of: number)), .integer(last)])
            }
        }
    }
}
