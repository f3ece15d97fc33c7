package import Conversing
package import Vocabulary

/// Something on its way to another program.
package struct Delivery: Sendable {
    package enum Content: Sendable {
        case entry(Entry, in: ConversationID)
        /// What happened, as it is told.
        case event(String)
    }

    package let number: Int64
    package let attempts: Int
    /// Of an entry; of anything else, what it is told in a row with.
    package let key: ConversationKey
    package let content: Content
    /// What it follows from.
    package let trace: String?
}

/// Those that wait, in the order in which they were written.
package enum ListDeliveries: StoreRequest {
    case after(Int64, limit: Int)
    /// Those with these numbers.
    case numbered(RangeSet<Int64>)
    case inConversation(ConversationKey, ClosedRange<Int64>, limit: Int)

    package static let access = StoreAccess.reads
    /// So many are taken of each range of numbers.
    private static let maximumOfRange = 10_000

    package func perform(on tables: some Tables) throws(StoreError) -> [Delivery] {
        let rows = try self.rows(tables)
        let keys = rows.filter { $0.content.event == nil }.map(\.entry)
        let conversations = try tables.conversations(keys.map(\.conversation))
        let entries = try tables.entries(keys)
        return rows.compactMap { row in
            Delivery.Content(row, conversations[row.entry.conversation], entries[row.entry]).map {
                Delivery(
                    number: row.number, attempts: row.attempts, key: row.entry.conversation, content: $0,
                    trace: row.content.trace)
            }
        }
    }
}

extension ListDeliveries {
    private func rows(_ tables: some Tables) throws(StoreError) -> [DeliveryRow] {
        switch self {
        case .after(let number, let limit):
            return try tables.deliveries(after: number, isGivenUp: false, limit: limit)
        case .numbered(let numbers):
            return try tables.deliveries(numbered: numbers.closedRanges, limit: Self.maximumOfRange)
        case .inConversation(let key, let numbers, let limit):
            return try tables.deliveries(in: key, numbers, limit: limit)
        }
    }
}

extension RangeSet<Int64> {
    var closedRanges: [ClosedRange<Int64>] { self.ranges.map { $0.lowerBound...$0.upperBound - 1 } }
}

extension Delivery.Content {
    /// Nil of what is gone.
    fileprivate init?(_ row: DeliveryRow, _ conversation: ConversationRow?, _ entry: Entry?) {
        if let event = row.content.event {
            self = .event(event)
        } else if let conversation, let entry {
            self = .entry(entry, in: conversation.id)
        } else {
            return nil
        }
    }
}

package struct ConfirmDelivery: StoreRequest {
    package let number: Int64

    package static let access = StoreAccess.writes

    package init(_ number: Int64) { self.number = number }

    package func perform(on tables: some Tables) throws(StoreError) { try tables.removeDelivery(self.number) }
}

/// An attempt has failed.
package struct DeliveryFailure: Hashable, StoreRequest {
    package let number: Int64
    package let trouble: String
    /// It is not tried again unasked.
    package let isGivenUp: Bool

    package static let access = StoreAccess.writes

    package init(_ number: Int64, _ trouble: String, isGivenUp: Bool) {
        self.number = number
        self.trouble = trouble
        self.isGivenUp = isGivenUp
    }
}

extension DeliveryFailure {
    package func perform(on tables: some Tables) throws(StoreError) {
        guard var row = try tables.delivery(self.number) else { return }
        row.attempts += 1
        row.trouble = self.trouble
        row.isGivenUp = self.isGivenUp
        try tables.update(row)
    }
}

package struct OutboxView: Hashable, Sendable {
    package struct Row: Hashable, Sendable {
        package let number: Int64
        /// Nil of what is no entry.
        package let conversation: ConversationID?
        package let entry: UInt64
        package let attempts: Int
        package let trouble: String?
        package let isGivenUp: Bool
    }

    package var waiting = 0
    package var givenUp = 0
    /// Those that had trouble.
    package var rows: [Row] = []

    package init() {}
}

package struct ViewOutbox: StoreRequest {
    package let limit: Int

    package static let access = StoreAccess.readsCommitted

    package init(limit: Int) { self.limit = limit }

    package func perform(on tables: some Tables) throws(StoreError) -> OutboxView {
        var view = OutboxView()
        view.waiting = try tables.deliveryCount(isGivenUp: false)
        view.givenUp = try tables.deliveryCount(isGivenUp: true)
        guard self.limit > 0 else { return view }
        let rows = try tables.triedDeliveries(limit: self.limit)
        let conversations = try tables.conversations(rows.map(\.entry.conversation))
        for row in rows {
            let name = conversations[row.entry.conversation]?.id
            guard name != nil || row.content.event != nil else { continue }
            view.rows.append(
                OutboxView.Row(
                    number: row.number, conversation: name, entry: row.entry.number, attempts: row.attempts,
                    trouble: row.trouble, isGivenUp: row.isGivenUp))
        }
        return view
    }
}

/// Has entries delivered again; says how many. They go to the end of the line: their place is behind what was delivered
/// meanwhile.
package enum ReplayRequest: Hashable, StoreRequest {
    /// All that was given up.
    case givenUp
    /// Every entry of a conversation behind a number, whether it was delivered or not.
    case conversation(ConversationID, after: UInt64)
}

extension ReplayRequest {
    package static let access = StoreAccess.writes
    private static let portion = 1000

    package func perform(on tables: some Tables) throws(StoreError) -> Int {
        switch self {
        case .givenUp: return try Self.replayGivenUp(tables)
        case .conversation(let id, let number):
            guard let key = try tables.conversation(id)?.key, let bounds = try tables.entryBounds(of: key),
                number < bounds.upperBound
            else { return 0 }
            let numbers = max(number + 1, bounds.lowerBound)...bounds.upperBound
            for number in numbers { try tables.insert(NewDelivery(EntryKey(key, number))) }
            return numbers.count
        }
    }

    private static func replayGivenUp(_ tables: some Tables) throws(StoreError) -> Int {
        var count = 0
        while true {
            let rows = try tables.deliveries(after: 0, isGivenUp: true, limit: self.portion)
            for row in rows {
                try tables.insert(row.content)
                try tables.removeDelivery(row.number)
            }
            count += rows.count
            if rows.count < self.portion { return count }
        }
    }
}
