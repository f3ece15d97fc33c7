/// Which transactions on the database are over, in the engine's own count of them.
package struct TransactionSnapshot: Hashable, Sendable {
    /// The oldest that is still open. All before it have ended: what they wrote is there, or never will be.
    package let oldestOpen: UInt64
    /// The number that the next one gets.
    package let next: UInt64

    /// Where no other process writes.
    package static let alone = TransactionSnapshot(oldestOpen: 0, next: 0)

    package init(oldestOpen: UInt64, next: UInt64) {
        self.oldestOpen = oldestOpen
        self.next = next
    }
}
