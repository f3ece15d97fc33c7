package import Vocabulary

/// What a TURN client wants done, or known.
package enum TURNEvent: Hashable, Sendable {
    case allocated(TURNAllocation)
    /// Packets from and to this address pass from now on.
    case permitted(IPAddress)
    /// They will not pass.
    case forbidden(IPAddress, TURNFailure)
    /// What is sent to this peer from now on is four bytes longer, and no more.
    case channelBound(SocketAddress)
    /// Leave this transport and open one from a new port, to this server; then say `opened`.
    case reopen(SocketAddress)
    /// The last event but for `closed`.
    case failed(TURNFailure)
    /// The last event of all.
    case closed
}
