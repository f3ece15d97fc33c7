internal import ICE
internal import STUN
package import Vocabulary

/// A server that was of no use for finding a path (`RTCPeerConnectionIceErrorEvent`). The call goes on without it.
package struct CandidateError: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case stun, turn
    }

    /// What the web calls a server that could not be reached.
    package static let unreachable = 701

    package let kind: Kind
    package let server: SocketAddress
    /// A code of STUN, or `unreachable`.
    package let code: Int
    package let text: String

    /// A server that has not answered in time.
    init(_ kind: Kind, silent server: SocketAddress) {
        self.kind = kind
        self.server = server
        self.code = Self.unreachable
        self.text = "\(TURNFailure.silent)"
    }

    /// A TURN server that gave no relay, or took it back.
    init(_ failure: TURNFailure, of server: SocketAddress) {
        self.kind = .turn
        self.server = server
        self.code = failure.code.map { $0.rawValue } ?? Self.unreachable
        self.text = "\(failure)"
    }

    /// As lists of servers have it, without what it is reached by.
    package var url: String { "\(self.kind.rawValue):\(self.server)" }
}
