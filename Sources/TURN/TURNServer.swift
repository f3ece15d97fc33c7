internal import Bytes
internal import Pacing
internal import STUN
package import Vocabulary

/// A TURN server without sockets of its own (RFC 8656): what clients and peers send goes in, what leaves goes to their lines and to
/// relays, at once. It lives on one loop.
package final class TURNServer {
    package internal(set) var counts = TURNCounts()
    package var isDraining = false

    let settings: TURNServerSettings
    private let sockets: any RelaySockets
    private let entrance: TURNEntrance
    private var bindings: BindingResponder
    private var strangers: SourceLimiter

    var allocations: [TURNClientKey: Allocation] = [:]
    var users: [String: TURNUser] = [:]
    private var prefixes: [IPAddress: Int] = [:]
    private var relays: [SocketAddress: any RelaySocket] = [:]
    var streamRelays: Set<SocketAddress> = []
    var connections: [UInt32: PeerConnection] = [:]
    /// The connections of clients that have taken one of a peer.
    var taken: [TURNClientKey: PeerConnection] = [:]
    private var reservations: [UInt64: Reservation] = [:]
    /// Seats that are free again, for as long as there may be credentials for them.
    var endedSeats: [RelaySeat: Instant] = [:]
    var output = ByteWriter(reservingCapacity: 2048)

    private struct Reservation {
        let relay: any RelaySocket
        let username: String
        let end: Instant
    }

    package init(
        _ settings: TURNServerSettings, _ sockets: any RelaySockets, at now: Instant,
        using random: inout some RandomNumberGenerator
    ) {
        self.settings = settings
        self.sockets = sockets
        self.entrance = TURNEntrance(settings, at: now, using: &random)
        self.bindings = BindingResponder(using: &random)
        self.strangers = SourceLimiter(limit: settings.unauthenticatedPerSecond, using: &random)
    }
}

// MARK: - What clients send

extension TURNServer {
    /// One datagram, or one message of a stream.
    package func received(
        _ packet: Span<UInt8>, from client: SocketAddress, on line: any TURNLine, at now: Instant,
        _ wall: @autoclosure () -> WallTime
    ) {
        guard !packet.isEmpty else { return }
        if packet[0] >> 6 == 1 { return self.relayChannelData(packet, from: TURNClientKey(client, on: line), at: now) }
        guard let message = try? STUNMessage(parsing: packet), !message.hasFingerprint || message.hasRightFingerprint
        else { return }
        switch (message.type.class, message.type.method) {
        case (.request, STUNMethod.binding): self.answerBinding(packet, from: client, on: line, at: now)
        case (.request, _): self.answer(message, from: client, on: line, at: now, wall())
        case (.indication, STUNMethod.send):
            self.relaySend(message, from: TURNClientKey(client, on: line), at: now)
        default: break
        }
    }

    /// A client's connection has ended, and with it what it had.
    package func ended(_ line: any TURNLine, of client: SocketAddress) {
        let key = TURNClientKey(client, on: line)
        if let allocation = self.allocations[key] { self.remove(allocation) }
        if let connection = self.taken.removeValue(forKey: key) { self.remove(connection) }
    }

    private func answerBinding(
        _ packet: Span<UInt8>, from client: SocketAddress, on line: any TURNLine, at now: Instant
    ) {
        self.output.removeAll()
        guard self.bindings.answer(packet, from: client, at: now, into: &self.output) else { return }
        self.flush(to: client, on: line)
    }

    private func answer(
        _ message: STUNMessage, from client: SocketAddress, on line: any TURNLine, at now: Instant,
        _ wall: WallTime
    ) {
        let key = TURNClientKey(client, on: line)
        var proof: RequestProof?
        do throws(TURNRefusal) {
            let found = try self.entrance.proof(
                of: message, from: client, with: self.allocations[key] ?? self.allocation(toBind: message), at: now,
                wall)
            proof = found
            try self.checkSeat(found)
            let request = TURNRequest(client: key, line: line, proof: found, header: message.header, now: now)
            try self.carryOut(message, request)
        } catch {
            self.refuse(message.header, error, to: client, on: line, proof, at: now)
        }
    }

    private func carryOut(_ message: STUNMessage, _ request: TURNRequest) throws(TURNRefusal) {
        let unknown = message.notUnderstood(knowing: Self.known.contains)
        guard unknown.isEmpty else { throw TURNRefusal(code: .unknownAttribute, unknown: unknown) }
        switch message.type.method {
        case STUNMethod.allocate: try self.allocate(message, request)
        case STUNMethod.refresh: try self.refresh(message, request)
        case STUNMethod.createPermission: try self.createPermission(message, request)
        case STUNMethod.channelBind: try self.bindChannel(message, request)
        case STUNMethod.connect: try self.connect(message, request)
        case STUNMethod.connectionBind: try self.bindConnection(message, request)
        default: throw TURNRefusal(code: .badRequest, reason: "Unknown method")
        }
    }

    private static let known: Set<STUNAttributeType> = [
        .username, .messageIntegrity, .realm, .nonce, .messageIntegritySHA256, .passwordAlgorithm, .channelNumber,
        .lifetime,
        .xorPeerAddress, .requestedAddressFamily, .evenPort, .requestedTransport, .reservationToken,
        .connectionID,
    ]
}

// MARK: - What cannot be done

extension TURNServer {
    func refuse(
        _ header: STUNHeader, _ refusal: TURNRefusal, to client: SocketAddress, on line: any TURNLine,
        _ proof: RequestProof?, at now: Instant
    ) {
        self.counts.refused[refusal.code, default: 0] += 1
        // Whoever asks in another's name gets no more than a few answers sent there.
        guard proof != nil || line.isStream || self.strangers.allows(client.ip, at: now) || client.ip.isLoopback else {
            return
        }
        self.output.removeAll()
        var answer = STUNWriter(.error, to: header, into: self.output)
        answer.append(refusal.code, reason: proof == nil ? "" : refusal.reason)
        if !refusal.unknown.isEmpty { answer.append(unknown: refusal.unknown) }
        if refusal.isChallenge { self.entrance.challenge(client, at: now, in: &answer) }
        proof?.sign(&answer)
        self.output = answer.finish()
        self.flush(to: client, on: line)
    }
}

extension TURNServer {
    func flush(to client: SocketAddress, on line: any TURNLine) {
        let bytes = self.output.bytes
        line.send(bytes.span, to: client)
    }
}

/// A request whose sender is known.
struct TURNRequest {
    let client: TURNClientKey
    let line: any TURNLine
    let proof: RequestProof
    let header: STUNHeader
    let now: Instant
}

extension TURNServer {
    func succeed(_ request: TURNRequest, _ write: (inout STUNWriter) -> Void = { _ in }) {
        self.output.removeAll()
        var answer = STUNWriter(.success, to: request.header, into: self.output)
        write(&answer)
        request.proof.sign(&answer)
        self.output = answer.finish()
        self.flush(to: request.client.address, on: request.line)
    }

    func allocation(of request: TURNRequest) throws(TURNRefusal) -> Allocation {
        guard let allocation = self.allocations[request.client] else { throw TURNRefusal(code: .allocationMismatch) }
        return allocation
    }

    private func forget(_ user: TURNUser) {
        for user in user.all where user.allocations == 0 { self.users[user.name] = nil }
    }
}

// MARK: - Allocate

extension TURNServer {
    private func allocate(_ message: STUNMessage, _ request: TURNRequest) throws(TURNRefusal) {
        if let allocation = self.allocations[request.client] {
            guard allocation.transaction == request.header.transaction else {
                throw TURNRefusal(code: .allocationMismatch)
            }
            return self.tell(allocation, request)
        }
        let wish = try AllocationWish(message, isByStream: request.line.isStream)
        let user = self.holder(request)
        do throws(TURNRefusal) {
            try self.checkQuota(user, request)
            let relays = try self.relays(for: wish, request)
            let allocation = self.allocation(for: request, user, relays, wish)
            self.insert(allocation)
            self.tell(allocation, request)
        } catch {
            self.forget(user)
            throw error
        }
    }

    /// RFC 8656 §7.2, points 9 and 10.
    private func checkQuota(_ user: TURNUser, _ request: TURNRequest) throws(TURNRefusal) {
        guard !self.isDraining else {
            throw TURNRefusal(code: .insufficientCapacity, reason: "The server is about to end")
        }
        let prefix = request.client.address.ip.clientPrefix
        let owned = user.owner.map { _ in user.allocations < self.settings.allocationsPerSeat } ?? true
        guard owned, (user.owner ?? user).allocations < self.settings.allocationsPerUser,
            self.prefixes[prefix, default: 0] < self.settings.allocationsPerPrefix
        else { throw TURNRefusal(code: .allocationQuotaReached) }
        guard self.allocations.count + self.reservationCount < self.settings.maximumAllocations else {
            throw TURNRefusal(code: .insufficientCapacity)
        }
    }

    private func relays(for wish: AllocationWish, _ request: TURNRequest) throws(TURNRefusal) -> Relays {
        guard wish.isForStreams else { return .datagrams(try self.sockets(for: wish, request)) }
        guard let relay = self.sockets.openStreams(wish.family, for: request.client.address) else {
            throw TURNRefusal(code: wish.family == .ipv4 ? .insufficientCapacity : .addressFamilyNotSupported)
        }
        return .streams(relay)
    }

    private func sockets(for wish: AllocationWish, _ request: TURNRequest) throws(TURNRefusal) -> [any RelaySocket] {
        if let token = wish.reservation {
            guard let relay = self.takeReservation(token, of: request.proof.username) else {
                throw TURNRefusal(code: .insufficientCapacity)
            }
            return [relay]
        }
        let client = request.client.address
        let relays = self.sockets.open(wish.family, wish.port, for: client)
        let more = wish.additionalFamily.flatMap { self.sockets.open($0, .any, for: client) }
        guard relays != nil || more != nil else {
            throw TURNRefusal(code: wish.family == .ipv4 ? .insufficientCapacity : .addressFamilyNotSupported)
        }
        return (relays ?? []) + (more ?? [])
    }

    private func allocation(
        for request: TURNRequest, _ user: TURNUser, _ relays: Relays, _ wish: AllocationWish
    ) -> Allocation {
        var reservation: UInt64?
        var relays = relays
        if wish.port == .evenAndNext, case .datagrams(let pair) = relays, pair.count == 2 {
            let token = UInt64.random(in: .min ... .max)
            self.reserve(pair[1], for: request.proof.username, token, at: request.now)
            reservation = token
            relays = .datagrams([pair[0]])
        }
        return Allocation(
            request.client, on: request.line, request.proof, user, transaction: request.header.transaction,
            relays: relays,
            reservation: reservation, missing: wish.missing(among: relays), end: request.now + wish.lifetime)
    }

    private func tell(_ allocation: Allocation, _ request: TURNRequest) {
        self.succeed(request) { answer in
            for address in allocation.relays.addresses { answer.append(.xorRelayedAddress, address) }
            answer.append(lifetime: request.now.duration(to: allocation.end))
            if let family = allocation.missing { answer.append(addressError: .addressFamilyNotSupported, for: family) }
            if let token = allocation.reservation { answer.append(.reservationToken, token) }
            answer.append(.xorMappedAddress, request.client.address)
        }
    }
}

// MARK: - Later requests

extension TURNServer {
    private func refresh(_ message: STUNMessage, _ request: TURNRequest) throws(TURNRefusal) {
        let lifetime = AllocationWish.lifetime(message)
        guard let allocation = self.allocations[request.client] else {
            // It is gone already, which is what was wanted (RFC 8656 §8.2).
            guard lifetime == .zero else { throw TURNRefusal(code: .allocationMismatch) }
            return self.succeed(request) { $0.append(lifetime: .zero) }
        }
        if let family = try AllocationWish.family(.requestedAddressFamily, message),
            !allocation.relays.addresses.contains(where: { STUNAddressFamily(of: $0.ip) == family })
        {
            throw TURNRefusal(code: .peerAddressFamilyMismatch)
        }
        if lifetime == .zero { self.remove(allocation) } else { allocation.end = request.now + lifetime }
        self.succeed(request) { $0.append(lifetime: lifetime) }
    }

    private func createPermission(_ message: STUNMessage, _ request: TURNRequest) throws(TURNRefusal) {
        let allocation = try self.allocation(of: request)
        var peers: [IPAddress] = []
        var attributes = message.attributes
        while let attribute = attributes.next() {
            guard attribute.type == .xorPeerAddress else { continue }
            guard let peer = message.address(in: attribute) else { throw TURNRefusal(code: .badRequest) }
            try self.check(peer, for: allocation)
            if !peers.contains(peer.ip) { peers.append(peer.ip) }
        }
        guard !peers.isEmpty else { throw TURNRefusal(code: .badRequest) }
        try self.permit(peers, allocation, at: request.now)
        self.succeed(request)
    }

    private func bindChannel(_ message: STUNMessage, _ request: TURNRequest) throws(TURNRefusal) {
        let allocation = try self.allocation(of: request)
        guard let channel = message.channelNumber, let peer = message.address(of: .xorPeerAddress),
            allocation.canBind(channel, to: peer)
        else { throw TURNRefusal(code: .badRequest) }
        try self.check(peer, for: allocation)
        try self.permit([peer.ip], allocation, at: request.now)
        allocation.bind(channel, to: peer, at: request.now)
        self.succeed(request)
    }

    func check(_ peer: SocketAddress, for allocation: Allocation) throws(TURNRefusal) {
        guard let relayed = allocation.relayedAddress(towards: peer) else {
            throw TURNRefusal(code: .peerAddressFamilyMismatch)
        }
        // Neighbours have our own address, which may be a private one.
        guard peer.ip == relayed.ip || self.settings.peers.allows(peer.ip) else {
            throw TURNRefusal(code: .forbidden, reason: "Peers in this network are not allowed")
        }
    }

    /// All of them, or none.
    private func permit(_ peers: [IPAddress], _ allocation: Allocation, at now: Instant) throws(TURNRefusal) {
        let more = peers.count { !allocation.hasPermission(for: $0) }
        guard allocation.peerCount + more <= self.settings.peersPerAllocation else {
            throw TURNRefusal(code: .insufficientCapacity)
        }
        for peer in peers { allocation.permit(peer, at: now) }
    }
}

// MARK: - The list of allocations

extension TURNServer {
    private func insert(_ allocation: Allocation) {
        self.allocations[allocation.client] = allocation
        for user in allocation.user.all {
            user.allocations += 1
            self.users[user.name] = user
        }
        self.prefixes[allocation.client.address.ip.clientPrefix, default: 0] += 1
        switch allocation.relays {
        case .datagrams(let sockets): for socket in sockets { self.relays[socket.relayedAddress] = socket }
        case .streams(let relay): self.streamRelays.insert(relay.relayedAddress)
        }
        self.counts.made += 1
        self.counts.open = self.allocations.count
    }

    func remove(_ allocation: Allocation) {
        guard self.allocations.removeValue(forKey: allocation.client) != nil else { return }
        for user in allocation.user.all { user.allocations -= 1 }
        self.forget(allocation.user)
        let prefix = allocation.client.address.ip.clientPrefix
        self.prefixes[prefix] = self.prefixes[prefix].flatMap { $0 > 1 ? $0 - 1 : nil }
        for connection in allocation.connections.values { self.remove(connection) }
        for address in allocation.relays.addresses {
            self.relays[address] = nil
            self.streamRelays.remove(address)
        }
        allocation.close()
        self.counts.open = self.allocations.count
    }

    private func reserve(_ relay: any RelaySocket, for username: String, _ token: UInt64, at now: Instant) {
        let end = now + TURNServerSettings.reservationLifetime
        self.reservations[token] = Reservation(relay: relay, username: username, end: end)
    }

    private func takeReservation(_ token: UInt64, of username: String) -> (any RelaySocket)? {
        guard let reservation = self.reservations[token], reservation.username == username else { return nil }
        self.reservations[token] = nil
        return reservation.relay
    }

    private var reservationCount: Int { self.reservations.count }

    /// What has ended goes. Once a second is often enough.
    package func sweep(at now: Instant) {
        for allocation in self.allocations.values {
            if allocation.end <= now { self.remove(allocation) } else { allocation.forget(endedBy: now) }
        }
        for connection in self.connections.values {
            if let end = connection.end, end <= now { self.remove(connection) }
        }
        for (token, reservation) in self.reservations where reservation.end <= now {
            reservation.relay.close()
            self.reservations[token] = nil
        }
        for (seat, end) in self.endedSeats where end <= now { self.endedSeats[seat] = nil }
    }

    /// Nothing is left open.
    package func close() {
        for allocation in self.allocations.values { self.remove(allocation) }
        for reservation in self.reservations.values { reservation.relay.close() }
        self.reservations = [:]
    }
}

// MARK: - Relaying

extension TURNServer {
    private func relayChannelData(_ packet: Span<UInt8>, from client: TURNClientKey, at now: Instant) {
        guard let allocation = self.allocations[client], let data = try? ChannelData(parsing: packet),
            let peer = allocation.peer(of: data.channel, at: now)
        else { return self.counts.dropped += 1 }
        self.relay(data.payload, of: allocation, to: peer, at: now)
    }

    private func relaySend(_ message: STUNMessage, from client: TURNClientKey, at now: Instant) {
        guard let allocation = self.allocations[client], let peer = message.address(of: .xorPeerAddress),
            let payload = message.value(of: .data), message.notUnderstood(knowing: Self.knownOfSend.contains).isEmpty
        else { return self.counts.dropped += 1 }
        self.relay(payload, of: allocation, to: peer, at: now)
    }

    private static let knownOfSend: Set<STUNAttributeType> = [.xorPeerAddress, .data]

    private func relay(_ payload: Span<UInt8>, of allocation: Allocation, to peer: SocketAddress, at now: Instant) {
        guard allocation.permits(peer.ip, at: now), let relay = allocation.relay(towards: peer),
            allocation.user.mayPass(payload.count, at: now)
        else { return self.counts.dropped += 1 }
        self.counts.bytesToPeers += payload.count
        self.counts.packetsToPeers += 1
        // Whom we relay for as well is a neighbour: the packet need not leave. Nothing else of this host is reached.
        if let neighbour = self.relays[peer] {
            guard let other = neighbour.allocation else { return self.counts.dropped += 1 }
            return self.received(payload, from: relay.relayedAddress, for: other, at: now)
        }
        guard peer.ip != relay.relayedAddress.ip || self.settings.peers.names(peer.ip) else {
            return self.counts.dropped += 1
        }
        relay.send(payload, to: peer)
    }

    /// A peer has sent something to a relayed address.
    package func received(
        _ payload: Span<UInt8>, from peer: SocketAddress, for allocation: Allocation, at now: Instant
    ) {
        guard allocation.permits(peer.ip, at: now), payload.count <= Self.maximumPayload,
            allocation.user.mayPass(payload.count, at: now)
        else { return self.counts.dropped += 1 }
        self.counts.bytesToClients += payload.count
        self.counts.packetsToClients += 1
        self.output.removeAll()
        if let channel = allocation.channel(to: peer, at: now) {
            ChannelData.write(payload, on: channel, padded: allocation.line.isStream, to: &self.output)
        } else {
            self.writeData(payload, from: peer)
        }
        self.flush(to: allocation.client.address, on: allocation.line)
    }

    /// What a datagram holds, with the addresses beside it.
    private static let maximumPayload = 65_000

    private func writeData(_ payload: Span<UInt8>, from peer: SocketAddress) {
        var random = SystemRandomNumberGenerator()
        var message = STUNWriter(.indication, STUNMethod.data, TransactionID(using: &random), into: self.output)
        message.append(.xorPeerAddress, peer)
        message.append(.data, payload)
        self.output = message.finish()
    }
}
