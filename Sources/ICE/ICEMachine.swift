package import Vocabulary

/// A machine that takes paths, packets and time, and fills an outbox: an `ICEAgent` alone, or a session built around one.
/// What owns the sockets drives both in the same way.
package protocol ICEMachine {
    /// By which their checks name it, and by which its own are known again: the first third of their transactions.
    var usernameFragment: String { get }
    var transactionTag: UInt32 { get }
    /// When to call `clockAdvanced`, if nothing else happens. It changes nothing; but what is only looked at would be copied
    /// first, and a call is large.
    mutating func findDeadline() -> Instant?
    /// There is something to be told besides what stands in the outbox.
    var hasNews: Bool { get }

    mutating func pathAdded(_ path: ICEPath, at now: Instant, into outbox: inout Outbox<ICEEvent>)
    mutating func pathsEnded(at now: Instant, into outbox: inout Outbox<ICEEvent>)
    mutating func pathRemoved(_ path: PathID, at now: Instant, into outbox: inout Outbox<ICEEvent>)
    mutating func accepted(
        _ connection: PathID, on path: PathID, at now: Instant, into outbox: inout Outbox<ICEEvent>)
    mutating func dialed(
        from path: PathID, to address: SocketAddress, _ connection: PathID?, leaving local: SocketAddress?,
        at now: Instant, into outbox: inout Outbox<ICEEvent>)
    mutating func nameResolved(_ name: String, _ ip: IPAddress?, at now: Instant, into outbox: inout Outbox<ICEEvent>)
    mutating func received(
        _ packet: Span<UInt8>, on path: PathID, from address: SocketAddress, at now: Instant,
        into outbox: inout Outbox<ICEEvent>
    ) -> ICEReceipt
    mutating func clockAdvanced(to now: Instant, into outbox: inout Outbox<ICEEvent>)
    mutating func close(at now: Instant, into outbox: inout Outbox<ICEEvent>)
}

extension ICEAgent: ICEMachine {
    package var usernameFragment: String { self.credentials.usernameFragment }
    package var hasNews: Bool { false }
    package mutating func findDeadline() -> Instant? { self.deadline }

    package mutating func close(at now: Instant, into outbox: inout Outbox<ICEEvent>) { self.close(into: &outbox) }
}
