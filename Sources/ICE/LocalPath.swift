internal import STUN
package import Vocabulary

/// A local path to send on, as the agent's driver describes it.
package struct ICEPath: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A socket on an address of this machine.
        case host
        /// An address of a TURN server. `mapped` is where that server sees us.
        case relayed(mapped: SocketAddress?)
    }

    package let id: PathID
    package let kind: Kind
    package let transport: ICETransport
    package let address: SocketAddress
    /// Said to the other side instead of the address.
    package let name: String?
    /// Among paths of one kind, more is better: a cable before a radio, a relay over UDP before one over TLS.
    package let preference: UInt8

    package init(
        _ id: PathID, _ kind: Kind = .host, transport: ICETransport = .udp, address: SocketAddress,
        name: String? = nil, preference: UInt8 = 0
    ) {
        self.id = id
        self.kind = kind
        self.transport = transport
        self.address = address.unmappingIPv4
        self.name = name
        self.preference = preference
    }

    var isRelayed: Bool { self.kind != .host }
}

/// A path with what became of it.
struct LocalPath: Sendable {
    let path: ICEPath
    let localPreference: UInt16
    /// One that was accepted on a passive TCP candidate and leads to one peer only.
    var isConnection = false
    /// Everything that was found on it, the address itself first. Not all of it need be told.
    var candidates: [ICECandidate]

    /// Of the candidate that checks leave from.
    var priority: UInt32 { self.candidates.first?.priority ?? 0 }

    /// For the candidate that a check may discover (RFC 8445 §7.1.1). Behind a relay it would be no better than the
    /// relay, and both sides should know.
    var reflexivePriority: UInt32 {
        ICECandidate.priority(
            self.path.isRelayed ? .relayed : .peerReflexive, self.path.transport, local: self.localPreference)
    }
}

/// What all sessions of one agent share: its paths, its role, its dice.
struct ICEContext: Sendable {
    let settings: ICESettings
    var role: ICERole
    var tieBreaker: UInt64
    var paths: [LocalPath] = []
    var gatheringHasEnded = false
    private var random: any RandomNumberGenerator & Sendable
    /// The first third of every transaction, by which many agents on one socket know whose answer came. The other 64
    /// bits stay as unpredictable as ever.
    let tag: UInt32
    /// DTLS in checks.
    var handshake = EmbeddedHandshake()
    /// A request that carried DTLS, to be answered when the DTLS session has processed it.
    var unanswered: CheckRequest?
    private var foundations: [Foundation] = []
    private var addedPaths = 0

    private struct Foundation: Hashable {
        let kind: ICECandidateKind
        let base: IPAddress
        let server: IPAddress?
        let isTCP: Bool
    }

    init(_ role: ICERole, _ settings: ICESettings, _ random: any RandomNumberGenerator & Sendable) {
        self.settings = settings
        self.random = random
        self.role = settings.isLite ? .controlled : role
        self.tieBreaker = self.random.next()
        self.tag = UInt32(truncatingIfNeeded: self.random.next())
    }

    func index(of path: PathID) -> Int? { self.paths.firstIndex { $0.path.id == path } }

    mutating func transaction() -> TransactionID { TransactionID(high: self.tag, low: self.random.next()) }

    /// The role is another one now, and so is what decides between equals (RFC 8445 §7.3.1.1).
    mutating func switchRole() {
        self.role = self.role.opposite
        self.tieBreaker = self.random.next()
    }

    /// Between 0.8 and 1.2 of a duration.
    mutating func jittered(_ duration: Duration) -> Duration {
        let tenThousandths = Int64(self.random.next() % 4001) + 8000
        return .nanoseconds(duration.clampedNanoseconds / 10_000 &* tenThousandths)
    }

    mutating func foundation(_ kind: ICECandidateKind, base: IPAddress, server: IPAddress?, isTCP: Bool) -> String {
        let foundation = Foundation(kind: kind, base: base, server: server, isTCP: isTCP)
        let index = self.foundations.firstIndex(of: foundation) ?? self.foundations.count
        if index == self.foundations.count { self.foundations.append(foundation) }
        return String(index + 1)
    }

    /// Its place among the paths: the kind of network first, then IPv6 and IPv4 in turn (RFC 8421 §4).
    mutating func nextLocalPreference(_ path: ICEPath) -> UInt16 {
        let position = UInt16(clamping: min(self.addedPaths, 127))
        self.addedPaths += 1
        let family: UInt16 = if case .v4 = path.address.ip { 0 } else { 1 }
        return UInt16(path.preference) << 8 | (127 - position) << 1 | family
    }
}
