package import Vocabulary

/// Who decides which pair is used (RFC 8445 §6.1.1).
package enum ICERole: Hashable, Sendable {
    case controlling
    case controlled

    package var opposite: ICERole { self == .controlling ? .controlled : .controlling }
}

/// `RTCIceTransportState`, by its names.
package enum ICEState: String, Hashable, Sendable, CaseIterable {
    /// Nothing is known of the other side yet.
    case new
    /// Pairs are tried. Can become: connected, failed, closed.
    case checking
    /// There is a path; a better one may be found. Can become: completed, disconnected, failed, closed.
    case connected
    /// There is a path, and nothing is left to try. Can become: connected, disconnected, failed, closed.
    case completed
    /// The other side has been silent for longer than it should. Can become: connected, completed, failed, closed.
    case disconnected
    /// There is no path. A restart may help, or candidates that are still to come. Can become: checking, closed.
    case failed
    /// The end.
    case closed
}

/// What an agent has to tell.
package enum ICEEvent: Hashable, Sendable {
    /// A candidate of ours the other side should hear about.
    case candidate(ICECandidate)
    /// No more of them will come for these credentials (RFC 8838 §13).
    case candidatesEnded(usernameFragment: String)
    case stateChanged(ICEState)
    /// From now on packets go this way.
    case selected(path: PathID, remote: SocketAddress)
    /// Both sides wanted the same role; now we have this one.
    case roleChanged(ICERole)
    /// Who can ask the local network for this name answers with `nameResolved`.
    case resolve(name: String)
    /// This path may soon be asked to send there: a relay opens the way now.
    case peerExpected(path: PathID, SocketAddress)
    /// A TCP connection is wanted; the answer is `dialed`.
    case dial(path: PathID, SocketAddress)
    /// A STUN server has not answered in time.
    case serverSilent(SocketAddress)
}

/// What became of a packet.
package enum ICEReceipt: Hashable, Sendable {
    /// It was the agent's own business.
    case handled
    /// It was a server's answer, and the agent's own business.
    case served
    /// It came from the other peer and is for the owner of this path.
    case data
    /// It came from a stranger or made no sense.
    case ignored
}
