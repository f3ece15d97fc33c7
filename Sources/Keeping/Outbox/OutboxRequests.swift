package import Conversing
package import Vocabulary

/// An entry on its way to another program.
package struct Delivery: Sendable {
    package let number: Int64
    package let attempts: Int
    package let conversation: ConversationID
    package let key: ConversationKey
    package let entry: Entry
}

/// Those that wait, in the order in which they were written.
package enum ListDeliveries: StoreRequest {
    case after(Int64, limit: Int)
    case inConversation(ConversationKey, ClosedRange<Int64>, limit: Int)

    package static let access = StoreAccess.reads

    package func perform(on tables: some Tables) throws(StoreError) -> [Delivery] {
        let rows =
            switch self {
            case .after(let number, let limit):
                try tables.deliveries(after: number, isGivenUp: false, limit: limit)
            case .inConversation(let key, let numbers, let limit):
                try tables.deliveries(in: key, numbers, limit: limit)
            }
        var (deliveries, names) = ([Delivery](), ConversationNames())
        for row in rows {
            guard let name = try names.name(of: row.entry.conversation, tables),
                let entry = try tables.entry(row.entry)
            else { continue }
            deliveries.append(
                Delivery(
                    number: row.number, attempts: row.attempts, conversation: name, key: row.entry.conversation,
                    entry: entry))
        }
        return deliveries
    }
}

/// Looks each conversation up once.
private struct ConversationNames {
    private var names: [ConversationKey: ConversationID] = [:]

    mutating func name(of key: ConversationKey, _ tables: some Tables) throws(StoreError) -> ConversationID? {
        if let known = self.names[key] { return known }
        let name = try tables.conversation(key)?.id
        self.names[key] = name
        return name
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
        package let conversation: ConversationID
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

    package static let access = StoreAccess.reads

    package init(limit: Int) { self.limit = limit }

    package func perform(on tables: some Tables) throws(StoreError) -> OutboxView {
        var (view, names) = (OutboxView(), ConversationNames())
        view.waiting = try tables.deliveryCount(isGivenUp: false)
        view.givenUp = try tables.deliveryCount(isGivenUp: true)
        for row in try tables.triedDeliveries(limit: self.limit) {
            guard let name = try names.name(of: row.entry.conversation, tables) else { continue }
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
            for number in numbers { try tables.insertDelivery(of: EntryKey(key, number)) }
            return numbers.count
        }
    }

    private static func replayGivenUp(_ tables: some Tables) throws(StoreError) -> Int {
        var count = 0
        while true {
            let rows = try tables.deliveries(after: 0, isGivenUp: true, limit: self.portion)
            for row in rows {
                try tables.insertDelivery(of: row.entry)
                try tables.removeDelivery(row.number)
            }
            count += rows.count
            if rows.count < self.portion { return count }
        }
    }
}
