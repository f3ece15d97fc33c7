package import Conversing
package import Vocabulary

/// Entries that another program still has to hear of. The engine numbers the rows in the order in which they are written.
package protocol OutboxTable: AnyObject {
    func insert(_ delivery: NewDelivery) throws(StoreError)
    func delivery(_ number: Int64) throws(StoreError) -> DeliveryRow?
    /// Those that wait, in their order; `isGivenUp`: those that do no more.
    func deliveries(after number: Int64, isGivenUp: Bool, limit: Int) throws(StoreError) -> [DeliveryRow]
    /// Those that wait and have numbers in one of these ranges, which ascend; `limit` of each at most.
    func deliveries(numbered ranges: [ClosedRange<Int64>], limit: Int) throws(StoreError) -> [DeliveryRow]
    /// Those that wait in one conversation.
    func deliveries(
        in key: ConversationKey, _ numbers: ClosedRange<Int64>, limit: Int
    ) throws(StoreError) -> [DeliveryRow]
    /// Those with an attempt behind them.
    func triedDeliveries(limit: Int) throws(StoreError) -> [DeliveryRow]
    func deliveryCount(isGivenUp: Bool) throws(StoreError) -> Int
    func update(_ delivery: DeliveryRow) throws(StoreError)
    func removeDelivery(_ number: Int64) throws(StoreError)
    func removeDeliveries(of key: ConversationKey, through entry: UInt64) throws(StoreError)

    /// The number of the last event of a series that was inserted; nil where none was.
    func lastEvent(of series: RandomToken) throws(StoreError) -> UInt64?
    /// In the place of the one of its series.
    func put(_ place: EventPlace, at time: WallTime) throws(StoreError)
    func removeEventPlaces(before time: WallTime) throws(StoreError)
}

package struct NewDelivery: Hashable, Sendable {
    /// Of what is told as it was then and not read anew, its conversation says after what else it is told: it is none.
    package let entry: EntryKey
    /// What happened, as it is told; nil of an entry.
    package let event: String?
    /// What it follows from (`TraceContext`).
    package let trace: String?

    package init(_ entry: EntryKey, event: String? = nil, trace: String? = nil) {
        self.entry = entry
        self.event = event
        self.trace = trace
    }
}

package struct DeliveryRow: Hashable, Sendable {
    package let number: Int64
    package let content: NewDelivery
    package var entry: EntryKey { self.content.entry }
    package var attempts = 0
    package var trouble: String?
    package var isGivenUp = false

    package init(_ number: Int64, _ content: NewDelivery) {
        self.number = number
        self.content = content
    }
}
