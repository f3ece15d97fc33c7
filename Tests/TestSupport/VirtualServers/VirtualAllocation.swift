import Bytes
import STUN
package import Vocabulary

/// What one client of a virtual TURN server was granted.
final class VirtualAllocation: VirtualDatagramHandler {
    let owner: String
    /// The request that made it: when it comes again, the same answer is due.
    let transaction: TransactionID
    private let client: VirtualTURNServer.Client
    private unowned let server: VirtualTURNServer
    private(set) var relays: [VirtualSocket] = []
    private var until: Instant
    private var permissions: [IPAddress: Instant] = [:]
    private var channels: [ChannelNumber: (peer: SocketAddress, until: Instant)] = [:]

    init(
        _ owner: String, _ transaction: TransactionID, _ client: VirtualTURNServer.Client,
        _ server: VirtualTURNServer, until: Instant
    ) {
        self.owner = owner
        self.transaction = transaction
        self.client = client
        self.server = server
        self.until = until
    }

    private var now: Instant { self.server.network.now }
    var isOver: Bool { self.until <= self.now }

    func open(_ families: [STUNAddressFamily]) throws(VirtualSocketError) {
        for family in families {
            guard let ip = self.server.host.addresses.first(where: { STUNAddressFamily(of: $0) == family }) else {
                throw .addressNotAvailable
            }
            self.relays.append(try self.server.host.bind(SocketAddress(ip, port: 0), self))
        }
    }

    func close() {
        for relay in self.relays { relay.close() }
    }

    func prolong(until: Instant) { self.until = until }
    func permit(_ ip: IPAddress) { self.permissions[ip] = self.now + .seconds(300) }

    /// False when the number or the peer is bound otherwise.
    func bind(_ number: ChannelNumber, to peer: SocketAddress) -> Bool {
        let others = self.channels.filter { $0.value.until > self.now && ($0.key == number) != ($0.value.peer == peer) }
        guard others.isEmpty else { return false }
        self.channels[number] = (peer, self.now + .seconds(600))
        self.permit(peer.ip)
        return true
    }

    func relay(_ payload: [UInt8], to peer: SocketAddress) {
        guard self.isPermitted(peer.ip) else { return }
        self.relays.first { $0.address.ip.isSameFamily(as: peer.ip) }?.send(payload, to: peer)
    }

    func relay(_ payload: [UInt8], on number: ChannelNumber) {
        guard let channel = self.channels[number], channel.until > self.now else { return }
        self.relay(payload, to: channel.peer)
    }

    private func isPermitted(_ ip: IPAddress) -> Bool { self.permissions[ip].map { $0 > self.now } ?? false }

    func received(_ datagram: [UInt8], from peer: SocketAddress, on socket: VirtualSocket) {
        guard !self.isOver, self.isPermitted(peer.ip) else { return }
        if let channel = self.channels.first(where: { $0.value.peer == peer && $0.value.until > self.now })?.key {
            var writer = ByteWriter()
            ChannelData.write(datagram.span, on: channel, padded: self.client.isStream, to: &writer)
            return self.server.send(writer.bytes, to: self.client)
        }
        var random = SystemRandomNumberGenerator()
        var writer = STUNWriter(.indication, STUNMethod.data, TransactionID(using: &random))
        writer.append(.xorPeerAddress, peer)
        writer.append(.data, datagram.span)
        self.server.send(writer.finish().bytes, to: self.client)
    }
}

// MARK: - What is asked of the server

extension VirtualTURNServer {
    /// As if somebody at that address had asked for an allocation a while ago and gone without a word.
    package func claim(_ address: SocketAddress, for name: String) {
        for server in self.places {
            let client = Client(address: address, server: server, isStream: false)
            var random = SystemRandomNumberGenerator()
            self.allocations[client] = VirtualAllocation(
                name, TransactionID(using: &random), client, self, until: self.network.now + .seconds(600))
        }
    }

    func allocate(_ message: STUNMessage, for name: String, _ client: Client, _ key: STUNKey) {
        if let allocation = self.live(client) {
            guard allocation.transaction == message.transaction else {
                return self.refuse(.allocationMismatch, message, client, key)
            }
            return self.grant(allocation, message, client, key, missing: nil)
        }
        guard let transport = message.requestedTransport else {
            return self.refuse(.badRequest, message, client, key)
        }
        guard self.temper.transports.contains(transport) else {
            return self.refuse(.unsupportedTransport, message, client, key)
        }
        let isBoth = message.addressFamily(of: .additionalAddressFamily) == .ipv6 && self.temper.grantsBoth
        let family = message.addressFamily(of: .requestedAddressFamily) ?? .ipv4
        guard self.temper.families.contains(family) else {
            return self.refuse(.addressFamilyNotSupported, message, client, key)
        }
        guard self.allocationCount < self.temper.capacity else {
            return self.refuse(.insufficientCapacity, message, client, key)
        }
        guard self.allocations.values.filter({ $0.owner == name && !$0.isOver }).count < self.temper.quota else {
            return self.refuse(.allocationQuotaReached, message, client, key)
        }
        let lifetime = min(message.lifetime ?? .seconds(600), self.temper.maximumLifetime)
        let allocation = VirtualAllocation(name, message.transaction, client, self, until: self.network.now + lifetime)
        let hasSecond = isBoth && self.temper.families.contains(.ipv6)
        do throws(VirtualSocketError) {
            try allocation.open(hasSecond ? [.ipv4, .ipv6] : [family])
        } catch {
            return self.refuse(.addressFamilyNotSupported, message, client, key)
        }
        self.allocations[client] = allocation
        self.grant(allocation, message, client, key, missing: isBoth && !hasSecond ? .ipv6 : nil)
    }

    private func grant(
        _ allocation: VirtualAllocation, _ message: STUNMessage, _ client: Client, _ key: STUNKey,
        missing: STUNAddressFamily?
    ) {
        self.succeed(message, client, key) { writer in
            for relay in allocation.relays { writer.append(.xorRelayedAddress, relay.address) }
            if let missing { writer.append(addressError: .addressFamilyNotSupported, for: missing) }
            writer.append(lifetime: min(message.lifetime ?? .seconds(600), self.temper.maximumLifetime))
            writer.append(.xorMappedAddress, client.address)
        }
    }

    func refresh(_ message: STUNMessage, _ client: Client, _ key: STUNKey) {
        guard let allocation = self.live(client) else {
            return self.refuse(.allocationMismatch, message, client, key)
        }
        let lifetime = min(message.lifetime ?? .seconds(600), self.temper.maximumLifetime)
        allocation.prolong(until: self.network.now + lifetime)
        if lifetime == .zero {
            allocation.close()
            self.allocations[client] = nil
        }
        self.succeed(message, client, key) { $0.append(lifetime: lifetime) }
    }

    func permit(_ message: STUNMessage, _ client: Client, _ key: STUNKey) {
        guard let allocation = self.live(client) else {
            return self.refuse(.allocationMismatch, message, client, key)
        }
        guard let peer = message.address(of: .xorPeerAddress) else {
            return self.refuse(.badRequest, message, client, key)
        }
        if let code = self.objection(to: peer.ip, allocation) { return self.refuse(code, message, client, key) }
        allocation.permit(peer.ip)
        self.succeed(message, client, key)
    }

    func bindChannel(_ message: STUNMessage, _ client: Client, _ key: STUNKey) {
        guard let allocation = self.live(client) else {
            return self.refuse(.allocationMismatch, message, client, key)
        }
        guard let peer = message.address(of: .xorPeerAddress), let number = message.channelNumber else {
            return self.refuse(.badRequest, message, client, key)
        }
        if let code = self.objection(to: peer.ip, allocation) { return self.refuse(code, message, client, key) }
        guard allocation.bind(number, to: peer) else { return self.refuse(.badRequest, message, client, key) }
        self.succeed(message, client, key)
    }

    private func objection(to ip: IPAddress, _ allocation: VirtualAllocation) -> STUNErrorCode? {
        if self.temper.forbidden.contains(ip) { return .forbidden }
        return allocation.relays.contains { $0.address.ip.isSameFamily(as: ip) } ? nil : .peerAddressFamilyMismatch
    }
}
