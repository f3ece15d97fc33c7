package import Conversing

/// Entries that another program still has to hear of. The engine numbers the rows in the order in which they are written.
package protocol OutboxTable: AnyObject {
    func insertDelivery(of entry: EntryKey) throws(StoreError)
    func delivery(_ number: Int64) throws(StoreError) -> DeliveryRow?
    /// Those that wait, in their order; `isGivenUp`: those that do no more.
    func deliveries(after number: Int64, isGivenUp: Bool, limit: Int) throws(StoreError) -> [DeliveryRow]
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
}

package struct DeliveryRow: Hashable, Sendable {
    package let number: Int64
    package let entry: EntryKey
    package var attempts = 0
    package var trouble: String?
    package var isGivenUp = false

    package init(_ number: Int64, _ entry: EntryKey) {
        self.number = number
        self.entry = entry
    }
}
