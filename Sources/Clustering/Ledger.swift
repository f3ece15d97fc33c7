package import Vocabulary

/// Puts what all nodes do into one order. Lives on the loop of the sockets.
package protocol Ledger: AnyObject {
    var node: RandomToken { get }
    /// Nobody else is there, and nothing waits for its place: changes can be made at once.
    var isAlone: Bool { get }
    /// Whether others are there when this process has ended.
    var othersGoOn: Bool { get }
    /// How many nodes there are that come before this one wherever only one has to act.
    var rank: Int { get }
    /// Puts a change behind all that there are. Everybody is told of it at its place, the sender too, with the number that is returned;
    /// nil when there is no way to the others.
    func append(_ change: any LedgerValue) -> UInt64?
    /// Something for one node, behind all that was heard here. False where there is no way to the others; on a way that breaks it is lost.
    @discardableResult
    func send(_ letter: any LedgerValue, to node: RandomToken) -> Bool
}

/// What a node does with what stands in a ledger.
package protocol LedgerReader: AnyObject {
    /// - Parameter serial: what `append` has returned to `node`.
    func carryOut(_ change: any LedgerValue, of node: RandomToken, serial: UInt64, at time: Instant)
    func nodeGone(_ node: RandomToken, at time: Instant)
    /// How everything stands.
    func writeSnapshot() -> [UInt8]
    /// Takes over how everything stands. False when it means nothing to this version.
    func adopt(_ snapshot: [UInt8]) -> Bool
    /// From now on changes are carried out.
    ///
    /// - Parameter mayHaveMissed: everything goes on from here, but others may have carried out more before the connection broke.
    func enteredLedger(mayHaveMissed: Bool, at time: Instant)
    /// What waits for its place will not get one.
    func fellOutOfLedger()
    func received(_ letter: any LedgerValue)
}
