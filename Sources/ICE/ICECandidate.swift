package import Vocabulary

/// How packets travel between two candidates. Over TCP one side dials and the other waits (RFC 6544 §4.5).
package enum ICETransport: Hashable, Sendable {
    case udp
    case tcpActive
    case tcpPassive
    case tcpSimultaneous

    /// What the other side's candidate has to be.
    package var counterpart: ICETransport {
        switch self {
        case .udp: .udp
        case .tcpActive: .tcpPassive
        case .tcpPassive: .tcpActive
        case .tcpSimultaneous: .tcpSimultaneous
        }
    }

    package var isTCP: Bool { self != .udp }
}

/// How a candidate was found.
package enum ICECandidateKind: String, Hashable, Sendable, CaseIterable {
    /// An address of the machine itself.
    case host
    /// What a STUN server sees, on the outside of a NAT.
    case serverReflexive = "srflx"
    /// What the other peer sees, and no server did.
    case peerReflexive = "prflx"
    /// An address of a TURN server that works for us.
    case relayed = "relay"

    /// RFC 8445 §5.1.2.2.
    var preference: UInt32 {
        switch self {
        case .host: 126
        case .peerReflexive: 110
        case .serverReflexive: 100
        case .relayed: 0
        }
    }
}

/// An address at which a peer may be reached.
package struct ICECandidate: Hashable, Sendable {
    /// Candidates of one kind, machine and server share it.
    package let foundation: String
    /// 1 is RTP, or all there is.
    package let component: UInt16
    package let transport: ICETransport
    package let priority: UInt32
    package let host: ICEHost
    package let port: UInt16
    package let kind: ICECandidateKind
    /// The related address (`raddr`, `rport`): for diagnosis only.
    package let related: SocketAddress?
    /// Of which session of this peer it is.
    package let usernameFragment: String?

    package init(
        foundation: String, component: UInt16 = 1, transport: ICETransport = .udp, priority: UInt32, host: ICEHost,
        port: UInt16, kind: ICECandidateKind, related: SocketAddress? = nil, usernameFragment: String? = nil
    ) {
        self.foundation = foundation
        self.component = component
        self.transport = transport
        self.priority = priority
        self.host = host
        self.port = port
        self.kind = kind
        self.related = related
        self.usernameFragment = usernameFragment
    }

    /// Nil while its name is not resolved.
    package var address: SocketAddress? {
        switch self.host {
        case .ip(let ip): SocketAddress(ip, port: self.port)
        case .name: nil
        }
    }
}

/// Where a candidate is: an address, or a `.local` name that hides one from who is not on the same network
/// (draft-ietf-mmusic-mdns-ice-candidates).
package enum ICEHost: Hashable, Sendable {
    case ip(IPAddress)
    case name(String)
}

// MARK: - Priorities

extension ICECandidate {
    /// RFC 8445 §5.1.2.1, with TCP behind UDP of the same kind (RFC 6544 §4.2).
    static func priority(
        _ kind: ICECandidateKind, _ transport: ICETransport, local: UInt16, component: UInt16 = 1
    ) -> UInt32 {
        let handicap: UInt32 = transport.isTCP ? min(kind.preference, 36) : 0
        return (kind.preference - handicap) << 24 | UInt32(local) << 8 | UInt32(256 - min(component, 256))
    }
}

extension UInt64 {
    /// RFC 8445 §6.1.2.3: both sides come to the same number.
    static func pairPriority(controlling: UInt32, controlled: UInt32) -> UInt64 {
        let small = UInt64(Swift.min(controlling, controlled))
        let large = UInt64(Swift.max(controlling, controlled))
        return small << 32 + large << 1 + (controlling > controlled ? 1 : 0)
    }
}

extension SocketAddress {
    /// An IPv4-mapped IPv6 address is the IPv4 address: addresses are compared after unmapping.
    var unmappingIPv4: SocketAddress {
        guard case .v6(0, _) = self.ip else { return self }
        return SocketAddress(self.ip.unmapped, port: self.port)
    }

    /// Two addresses between which packets could travel at all.
    func canReach(_ other: SocketAddress) -> Bool {
        switch (self.ip, other.ip) {
        case (.v4, .v4): true
        // Link-local addresses reach nothing beyond the link (RFC 8445 §6.1.2.2).
        case (.v6(let left, _), .v6(let right, _)): (left >> 54 == 0x3FA) == (right >> 54 == 0x3FA)
        default: false
        }
    }
}
