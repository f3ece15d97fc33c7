package import STUN
package import Vocabulary

/// The way back to clients: a UDP socket that many of them send to, or one client's connection.
package protocol TURNLine: AnyObject {
    /// Channel data is padded, and a message has to be whole.
    var isStream: Bool { get }

    func send(_ bytes: Span<UInt8>, to client: SocketAddress)
    /// A client's connection is no line any more: what comes by it goes to that peer, and the other way round (RFC 6062 §5.4).
    /// Both end together, and neither is faster than the user may be.
    func join(_ peer: any PeerStream, of user: TURNUser)
}

/// One relayed transport address (RFC 8656 §2): what peers send to it is given to the server with its allocation.
package protocol RelaySocket: AnyObject {
    /// As clients and peers know it, which behind a one-to-one NAT is not the socket's own.
    var relayedAddress: SocketAddress { get }
    /// Whose it is; nobody's while it is reserved.
    var allocation: Allocation? { get set }

    func send(_ payload: Span<UInt8>, to peer: SocketAddress)
    func close()
}

/// A relayed transport address by TCP (RFC 6062): peers connect to it, and it to peers. Who comes is told to the server with its
/// allocation.
package protocol StreamRelay: AnyObject {
    var relayedAddress: SocketAddress { get }
    var allocation: Allocation? { get set }

    /// Says once, and later, what became of it: nil when there is no such connection.
    func connect(to peer: SocketAddress, _ completion: @escaping ((any PeerStream)?, Instant) -> Void)
    func close()
}

/// A connection with a peer, from which nothing is read until a client takes it.
package protocol PeerStream: AnyObject {
    var peer: SocketAddress { get }

    func close()
}

/// Opens relayed transport addresses.
package protocol RelaySockets: AnyObject {
    func openStreams(_ family: STUNAddressFamily, for client: SocketAddress) -> (any StreamRelay)?
    /// Nil for a family without an address, and when no port is free.
    ///
    /// - Parameter client: whoever asks; of several addresses of ours the one that it can reach is taken.
    func open(_ family: STUNAddressFamily, _ port: RelayPort, for client: SocketAddress) -> [any RelaySocket]?
}

/// Which port a client would like (RFC 8656 §18.6).
package enum RelayPort: Hashable, Sendable {
    case any
    case even
    /// And the next one behind it, for a second allocation.
    case evenAndNext
}
