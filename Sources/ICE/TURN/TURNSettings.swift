package import STUN
package import Vocabulary

/// Who we are to a TURN server.
package struct TURNAccount: Hashable, Sendable {
    package let username: String
    package let password: String

    package init(username: String, password: String) {
        self.username = username
        self.password = password
    }
}

/// What is between us and a TURN server. The machine is told only what makes a difference to it.
package enum TURNTransport: Hashable, Sendable, CaseIterable {
    case udp
    case tcp
    case tls
    case dtls

    /// What is sent arrives, and messages have to be found in a flow of bytes.
    package var isStream: Bool { self == .tcp || self == .tls }
}

package struct TURNSettings: Hashable, Sendable {
    package var transport: TURNTransport
    /// The relay's families that are wanted; the first one alone will do.
    package var families: [STUNAddressFamily]
    /// How long the server shall keep the allocation without hearing from us.
    package var lifetime: Duration
    /// When the first request is repeated, before anything is known about the way (RFC 8489 §6.2.1).
    package var firstTimeout: Duration

    package init(
        transport: TURNTransport = .udp, families: [STUNAddressFamily] = [.ipv4], lifetime: Duration = .seconds(600),
        firstTimeout: Duration = .milliseconds(500)
    ) {
        self.transport = transport
        self.families = families
        self.lifetime = lifetime
        self.firstTimeout = firstTimeout
    }

    /// RFC 8656 §9: a permission lives so long, a channel twice as long.
    static let permissionLifetime = Duration.seconds(300)
    static let channelLifetime = Duration.seconds(600)
    /// So long before its end anything is renewed, if it lives that long.
    static let margin = Duration.seconds(60)
    static let maximumRedirections = 4
    /// So often one request is signed anew before we take the server's word for it.
    static let maximumChallenges = 4
    /// Another client used our address before us, and the server remembers; so often we come from another.
    static let maximumMismatches = 3
}

/// What a server has given us.
package struct TURNAllocation: Hashable, Sendable {
    /// Where peers reach us, at most one address of each family.
    package let relayed: [SocketAddress]
    /// How the server sees us.
    package let mapped: SocketAddress?
    package let lifetime: Duration
    /// Why a family that was wanted is not there, where the server said so.
    package let missing: STUNErrorCode?

    package init(
        relayed: [SocketAddress], mapped: SocketAddress? = nil, lifetime: Duration, missing: STUNErrorCode? = nil
    ) {
        self.relayed = relayed
        self.mapped = mapped
        self.lifetime = lifetime
        self.missing = missing
    }

    package func relayed(_ family: STUNAddressFamily) -> SocketAddress? {
        self.relayed.first { STUNAddressFamily(of: $0.ip) == family }
    }
}

/// Why there is no allocation, or none any more.
package enum TURNFailure: Error, Hashable, Sendable {
    /// It never answered.
    case silent
    /// The shell could not reach it, or the connection ended.
    case disconnected
    /// It answered with something that makes no sense.
    case nonsense
    case refused(STUNErrorCode, reason: String)
    /// A third party answers in its name.
    case forged
    /// It sent us in circles.
    case redirectedTooOften
    /// The server forgot about us.
    case forgotten

    package var code: STUNErrorCode? {
        guard case .refused(let code, _) = self else { return nil }
        return code
    }
}

extension TURNFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .silent: "no answer"
        case .disconnected: "not connected"
        case .nonsense: "an answer that makes no sense"
        case .refused(let code, let reason): reason.isEmpty ? "\(code)" : "\(code) \(PlainText.line(reason))"
        case .forged: "an answer that is not the server's"
        case .redirectedTooOften: "redirected too often"
        case .forgotten: "the allocation is gone"
        }
    }
}
