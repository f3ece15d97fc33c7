/// What a store says of itself, where its engine is another program.
package enum StoreEvent: Hashable, Sendable {
    /// What an acknowledgement is worth, at first and whenever that changes.
    case promise(StorePromise)
    /// It does not answer, and why. What is asked waits for a while and is refused then.
    case lost(String)
    case back
}
