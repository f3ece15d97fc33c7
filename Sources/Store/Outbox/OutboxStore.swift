package import Conversing
package import Vocabulary

/// Where it is kept which entries another program still has to hear of. A row is written in the commit of its entry.
package protocol OutboxStore: Sendable {
    typealias Answer<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// From now on; what was written before stays until it is delivered.
    func keepOutbox(_ isKept: Bool, _ answer: @escaping Answer<Void>)
    /// Those that wait, in the order they were written.
    func deliveries(after number: Int64, limit: Int, _ answer: @escaping Answer<[Delivery]>)
    /// Those of one conversation with these numbers.
    func deliveries(
        in conversation: ConversationKey, _ numbers: ClosedRange<Int64>, limit: Int,
        _ answer: @escaping Answer<[Delivery]>)
    func delivered(_ number: Int64, _ answer: @escaping Answer<Void>)
    func failed(_ failure: DeliveryFailure, _ answer: @escaping Answer<Void>)
    func outbox(limit: Int, _ answer: @escaping Answer<OutboxView>)
    /// Says how many there are to deliver now.
    func replay(_ request: ReplayRequest, _ answer: @escaping Answer<Int>)
}

/// An entry on its way to another program.
package struct Delivery: Sendable {
    package let number: Int64
    package let attempts: Int
    package let conversation: ConversationID
    package let key: ConversationKey
    package let entry: Entry
}

package struct DeliveryFailure: Hashable, Sendable {
    package let number: Int64
    package let trouble: String
    /// Nobody tries again by himself.
    package let isGivenUp: Bool

    package init(_ number: Int64, _ trouble: String, isGivenUp: Bool) {
        self.number = number
        self.trouble = trouble
        self.isGivenUp = isGivenUp
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

package enum ReplayRequest: Hashable, Sendable {
    /// All that was given up.
    case givenUp
    /// Every entry of a conversation behind a number, whether it was delivered or not.
    case conversation(ConversationID, after: UInt64)
}
