internal import Pacing
internal import STUN
package import Vocabulary

/// What one client has of the server: relayed addresses, and whom they may send to (RFC 8656 §3.2).
package final class Allocation {
    let client: TURNClientKey
    let line: any TURNLine
    let username: String
    let user: TURNUser
    let proof: RequestProof
    /// The request that made it: sent again it gets the same answer.
    let transaction: TransactionID
    private(set) var relays: Relays
    /// By peer; also those that are not there yet.
    var connections: [SocketAddress: PeerConnection] = [:]
    /// For the client's next allocation.
    let reservation: UInt64?
    /// Of two families that were asked for, the one that was not to be had.
    let missing: STUNAddressFamily?
    var end: Instant

    private var permissions: [IPAddress: Instant] = [:]
    private var channels: [UInt16: Channel] = [:]
    private var numbers: [SocketAddress: ChannelNumber] = [:]
    /// What was asked for last: most allocations have one peer, and each packet asks again.
    private var latestPermission: Permission?
    private var latestChannel: Channel?

    private struct Permission {
        let peer: IPAddress
        let end: Instant
    }

    private struct Channel {
        let number: ChannelNumber
        let peer: SocketAddress
        let end: Instant
    }

    init(
        _ client: TURNClientKey, on line: any TURNLine, _ proof: RequestProof, _ user: TURNUser,
        transaction: TransactionID, relays: Relays, reservation: UInt64?, missing: STUNAddressFamily?,
        end: Instant
    ) {
        self.client = client
        self.line = line
        self.username = proof.username
        self.user = user
        self.proof = proof
        self.transaction = transaction
        self.relays = relays
        self.reservation = reservation
        self.missing = missing
        self.end = end
        relays.give(to: self)
    }

    func relay(towards peer: SocketAddress) -> (any RelaySocket)? {
        guard case .datagrams(let sockets) = self.relays else { return nil }
        let family = STUNAddressFamily(of: peer.ip)
        return sockets.first { STUNAddressFamily(of: $0.relayedAddress.ip) == family }
    }

    func relayedAddress(towards peer: SocketAddress) -> SocketAddress? {
        let family = STUNAddressFamily(of: peer.ip)
        return self.relays.addresses.first { STUNAddressFamily(of: $0.ip) == family }
    }

    func close() {
        self.relays.close()
        self.relays = .datagrams([])
    }
}

/// The relayed transport addresses of an allocation.
enum Relays {
    case datagrams([any RelaySocket])
    case streams(any StreamRelay)

    var addresses: [SocketAddress] {
        switch self {
        case .datagrams(let sockets): sockets.map(\.relayedAddress)
        case .streams(let relay): [relay.relayedAddress]
        }
    }

    func give(to allocation: Allocation) {
        switch self {
        case .datagrams(let sockets): for socket in sockets { socket.allocation = allocation }
        case .streams(let relay): relay.allocation = allocation
        }
    }

    func close() {
        switch self {
        case .datagrams(let sockets):
            for socket in sockets {
                socket.allocation = nil
                socket.close()
            }
        case .streams(let relay):
            relay.allocation = nil
            relay.close()
        }
    }
}

// MARK: - Permissions

extension Allocation {
    var peerCount: Int { self.permissions.count }

    func permits(_ peer: IPAddress, at now: Instant) -> Bool {
        let peer = peer.unmapped
        if let latest = self.latestPermission, latest.peer == peer { return now < latest.end }
        guard let end = self.permissions[peer] else { return false }
        self.latestPermission = Permission(peer: peer, end: end)
        return now < end
    }

    func permit(_ peer: IPAddress, at now: Instant) {
        self.permissions[peer.unmapped] = now + TURNServerSettings.permissionLifetime
        self.latestPermission = nil
    }

    func hasPermission(for peer: IPAddress) -> Bool { self.permissions[peer.unmapped] != nil }

    func forget(endedBy now: Instant) {
        self.latestPermission = nil
        self.latestChannel = nil
        for (peer, end) in self.permissions where end <= now { self.permissions[peer] = nil }
        for (number, channel) in self.channels where channel.end <= now {
            self.channels[number] = nil
            self.numbers[channel.peer] = nil
        }
    }
}

// MARK: - Channels

extension Allocation {
    func peer(of channel: ChannelNumber, at now: Instant) -> SocketAddress? {
        if self.latestChannel?.number != channel { self.latestChannel = self.channels[channel.rawValue] }
        guard let bound = self.latestChannel, now < bound.end else { return nil }
        return bound.peer
    }

    func channel(to peer: SocketAddress, at now: Instant) -> ChannelNumber? {
        if self.latestChannel?.peer != peer {
            guard let number = self.numbers[peer] else { return nil }
            self.latestChannel = self.channels[number.rawValue]
        }
        guard let bound = self.latestChannel, now < bound.end else { return nil }
        return bound.number
    }

    /// Whether the number is free, or this peer's already; and the peer has no other (RFC 8656 §12.2).
    func canBind(_ channel: ChannelNumber, to peer: SocketAddress) -> Bool {
        self.channels[channel.rawValue].map { $0.peer == peer } ?? (self.numbers[peer] == nil)
    }

    func bind(_ channel: ChannelNumber, to peer: SocketAddress, at now: Instant) {
        let end = now + TURNServerSettings.channelLifetime
        self.channels[channel.rawValue] = Channel(number: channel, peer: peer, end: end)
        self.numbers[peer] = channel
        self.latestChannel = nil
    }
}

/// By whom packets come: an address, on a line.
struct TURNClientKey: Hashable {
    let address: SocketAddress
    let line: ObjectIdentifier

    init(_ address: SocketAddress, on line: any TURNLine) {
        self.address = address
        self.line = ObjectIdentifier(line)
    }
}

/// What all allocations of one user share, or those of one seat.
package final class TURNUser {
    let name: String
    /// The user whose seat it is; nil of a user.
    let owner: TURNUser?
    var allocations = 0
    private var budget: TokenBucket

    init(_ name: String, of owner: TURNUser? = nil, bytesPerSecond: Int, at now: Instant) {
        self.name = name
        self.owner = owner
        // Two seconds' worth at once: frames of video come in bursts.
        let rate = Double(max(bytesPerSecond, 1))
        self.budget = TokenBucket(.init(perSecond: rate, burst: rate * 2), at: now)
    }

    /// How long it takes until so many bytes may pass; nil when they may now, and have.
    package func pause(before count: Int, at now: Instant) -> Duration? {
        self.budget.take(Double(count), at: now) ?? self.owner?.pause(before: count, at: now)
    }

    /// Whether so many bytes may pass now.
    func mayPass(_ count: Int, at now: Instant) -> Bool { self.pause(before: count, at: now) == nil }

    /// Itself and whose it is.
    var all: [TURNUser] { [self] + (self.owner.map { [$0] } ?? []) }
}
