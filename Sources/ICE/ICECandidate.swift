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

// MARK: - Text

// The line of RFC 8839 §5.1, as `candidate:` strings carry it between browsers.

extension ICECandidate {
    /// Longer lines are refused.
    package static let maximumTextBytes = 512

    /// Reads `candidate:…` or what follows the colon. Nil for what is no candidate, and for transports we do not know.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumTextBytes else { return nil }
        let line = text.hasPrefix("candidate:") ? text.dropFirst(10) : text[...]
        // Among bytes, which is several times as quick as among what people see as letters.
        let words = line.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
        guard words.count >= 8, words[6] == "typ", let kind = ICECandidateKind(rawValue: String(words[7])),
            Self.isFoundation(words[0]), let component = UInt16(digits: words[1]), (1...256).contains(component),
            let priority = UInt32(digits: words[3]), let port = UInt16(digits: words[5]),
            let host = ICEHost(words[4])
        else { return nil }
        let extensions = Extensions(words.dropFirst(8))
        guard let transport = ICETransport(words[2], extensions.tcpType) else { return nil }
        self.init(
            foundation: String(words[0]), component: component, transport: transport, priority: priority, host: host,
            port: port, kind: kind, related: extensions.related, usernameFragment: extensions.usernameFragment)
    }

    private static func isFoundation(_ word: Substring) -> Bool {
        (1...32).contains(word.utf8.count) && word.utf8.allSatisfy(\.isICECharacter)
    }

    /// `candidate:…`, as it stands behind `a=` and in a browser's `RTCIceCandidate`.
    package var text: String {
        var text = "candidate:\(self.foundation) \(self.component) \(self.transport.name) \(self.priority) "
        text += "\(self.host) \(self.port) typ \(self.kind.rawValue)"
        if let related = self.related { text += " raddr \(related.ip) rport \(related.port)" }
        if let tcpType = self.transport.tcpType { text += " tcptype \(tcpType)" }
        if let fragment = self.usernameFragment { text += " ufrag \(fragment)" }
        return text
    }

    /// Extension names and values. Unknown ones are skipped, as they come in pairs.
    private struct Extensions {
        var tcpType: Substring?
        var usernameFragment: String?
        private var relatedIP: IPAddress?
        private var relatedPort: UInt16?

        init(_ words: ArraySlice<Substring>) {
            var rest = words
            while let name = rest.popFirst(), let value = rest.popFirst() {
                switch name {
                case "raddr": self.relatedIP = IPAddress(value)
                case "rport": self.relatedPort = UInt16(digits: value)
                case "tcptype": self.tcpType = value
                case "ufrag": self.usernameFragment = ICECredentials.isFragment(value) ? String(value) : nil
                default: continue
                }
            }
        }

        var related: SocketAddress? {
            guard let ip = self.relatedIP, let port = self.relatedPort else { return nil }
            return SocketAddress(ip, port: port)
        }
    }
}

extension ICETransport {
    fileprivate init?(_ name: Substring, _ tcpType: Substring?) {
        switch (name.lowercased(), tcpType) {
        case ("udp", _): self = .udp
        case ("tcp", "active"): self = .tcpActive
        case ("tcp", "passive"): self = .tcpPassive
        case ("tcp", "so"): self = .tcpSimultaneous
        default: return nil
        }
    }

    fileprivate var name: String { self == .udp ? "udp" : "tcp" }

    fileprivate var tcpType: String? {
        switch self {
        case .udp: nil
        case .tcpActive: "active"
        case .tcpPassive: "passive"
        case .tcpSimultaneous: "so"
        }
    }
}

extension ICEHost: CustomStringConvertible {
    /// An address or a `.local` name. Other names would make us ask servers of the other side's choice.
    init?(_ word: Substring) {
        if let ip = IPAddress(word) {
            self = .ip(ip.unmapped)
        } else {
            guard word.hasSuffix(".local"), (7...253).contains(word.utf8.count), word.utf8.allSatisfy(\.isNameCharacter)
            else { return nil }
            self = .name(word.lowercased())
        }
    }

    package var description: String {
        switch self {
        case .ip(let ip): ip.description
        case .name(let name): name
        }
    }
}

extension UInt8 {
    private var isAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// Letters, digits, `+` and `/` (RFC 8839 §5.1).
    var isICECharacter: Bool { self.isAlphanumeric || self == UInt8(ascii: "+") || self == UInt8(ascii: "/") }

    fileprivate var isNameCharacter: Bool {
        self.isAlphanumeric || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
    }
}

extension FixedWidthInteger {
    /// Digits only, where `Int("+5")` would be content with a sign.
    fileprivate init?(digits: Substring) {
        guard (1...10).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        self.init(digits, radix: 10)
    }
}
