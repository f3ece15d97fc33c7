internal import HTTPServer
internal import Hashing
internal import Journal
internal import Reactor
internal import STUN
internal import Secure
internal import TURN
internal import Vocabulary

/// The TURN server in the box: STUN and TURN on one port, over UDP, TCP and TLS, on one loop.
final class TURNService {
    let address: SocketAddress
    let hasStreams: Bool
    /// Of one seat in a room or a call.
    let quota: BuiltInICEServers.Quota
    private let server: TURNServer
    let reactor: Reactor
    /// One line for all clients that come by a socket.
    private var lines: [(socket: UDPSocket, line: DatagramLine)] = []
    private var secureClients: DTLSClients?
    private var listeners: [LoopListener] = []
    /// Brought up to date once a second.
    var meters: TURNMetrics?
    private var streams: [ObjectIdentifier: TURNStream] = [:]

    private static let sweepInterval = Duration.seconds(1)
    private static let maximumStreams = 8192
    /// Where clients look for the server with TLS, and for the one without (RFC 8656 §5).
    private static let securePort: UInt16 = 5349
    private static let usualPort: UInt16 = 3478

    /// - Parameters:
    ///   - secret: what the credentials are made with that signed-in users get.
    ///   - certificate: what streams with TLS are encrypted with now, if there is any.
    init(
        _ configuration: TURNConfiguration, on address: SocketAddress, secret: [UInt8],
        certificate: @escaping () -> TLSContext?, _ reactor: Reactor
    ) throws(ReactorError) {
        var settings = TURNServerSettings()
        settings.secrets = [secret] + [configuration.secret].compactMap { $0.map { Array($0.utf8) } }
        settings.peers.allowed = configuration.allowedPeers
        settings.bytesPerSecondPerUser = configuration.bytesPerSecondPerUser
        self.quota = .init(
            allocations: settings.allocationsPerSeat, bitsPerSecond: settings.bytesPerSecondPerSeat * 8)
        let ports = RelayPorts(configuration, on: address.ip, reactor)
        var random = SystemRandomNumberGenerator()
        self.server = TURNServer(settings, ports, at: reactor.instant, using: &random)
        self.reactor = reactor
        let datagrams = try UDPSocket(on: address, for: .relayedPeers, reactor: reactor)
        self.lines = [(datagrams, DatagramLine(datagrams))]
        self.address = datagrams.address
        let door = TURNDoor(certificate: certificate)
        // Another program may have the port for TCP; UDP is worth having without it.
        var wanted = [self.address]
        if self.address.port == Self.usualPort, certificate() != nil {
            wanted.append(SocketAddress(self.address.ip, port: Self.securePort))
        }
        self.lines += wanted.dropFirst().compactMap { place in
            (try? UDPSocket(on: place, for: .relayedPeers, reactor: reactor)).map { ($0, DatagramLine($0)) }
        }
        self.listeners = wanted.compactMap { place in
            try? LoopListener(on: place, reactor: reactor) { door.accept($0) }
        }
        self.hasStreams = self.listeners.first?.address == self.address
        door.service = self
        ports.service = self
        self.secureClients = DTLSClients(certificate, self, reactor)
        for (socket, _) in self.lines { socket.start(self) }
        self.sweep()
    }

    var counts: TURNCounts { self.server.counts }

    /// What is open goes on, and nothing new begins.
    func drain() { self.server.isDraining = true }

    func end(_ user: UserID) { self.server.end(user: user.text) }

    func end(_ seat: RelaySeat) { self.server.end(seat, at: self.reactor.instant) }

    func close() {
        self.server.close()
        for listener in self.listeners { listener.close() }
        self.secureClients?.close()
        for (socket, _) in self.lines { socket.close() }
        for stream in self.streams.values { stream.close() }
    }

    private func sweep() {
        self.server.sweep(at: self.reactor.instant)
        self.secureClients?.sweep()
        self.meters?.add(self.server.counts)
        self.reactor.schedule(after: Self.sweepInterval) { [weak self] in self?.sweep() }
    }
}

extension TURNService: DatagramHandler {
    func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
        if DTLSClients.isTheirs(datagram) {
            self.secureClients?.received(datagram, from: peer, on: socket)
        } else if let line = self.lines.first(where: { $0.socket === socket })?.line {
            self.received(datagram, from: peer, on: line)
        }
    }

    /// One message of a client.
    func received(_ message: Span<UInt8>, from client: SocketAddress, on line: any TURNLine) {
        self.server.received(message, from: client, on: line, at: self.reactor.instant, SystemClock.now())
    }

    func ended(_ line: any TURNLine, of client: SocketAddress) { self.server.ended(line, of: client) }

    /// What a peer has sent to a relayed address.
    func received(_ payload: Span<UInt8>, from peer: SocketAddress, for allocation: Allocation) {
        self.server.received(payload, from: peer, for: allocation, at: self.reactor.instant)
    }
}

/// The way back to all clients that came by UDP.
private final class DatagramLine: TURNLine {
    private let socket: UDPSocket

    init(_ socket: UDPSocket) { self.socket = socket }

    var isStream: Bool { false }
    func send(_ bytes: Span<UInt8>, to client: SocketAddress) { self.socket.send(bytes, to: client) }
    // Nothing is taken by datagrams.
    func join(_ peer: any PeerStream, of user: TURNUser) { peer.close() }
}

// MARK: - Clients by TCP

extension TURNService {
    var isFull: Bool { self.streams.count >= Self.maximumStreams || self.server.isDraining }

    func accept(_ stream: any ByteStream) -> TURNStream? {
        guard !self.isFull else { return nil }
        // turnutils_uclient reads one record and looks at its first message.
        (stream as? TLSStream)?.keepsWritesApart = true
        let client = TURNStream(stream, self)
        self.streams[ObjectIdentifier(client)] = client
        return client
    }

    func received(_ message: Span<UInt8>, on stream: TURNStream) {
        self.received(message, from: stream.client, on: stream)
    }

    func accepted(_ peer: any PeerStream, for allocation: Allocation) {
        self.server.accepted(peer, for: allocation, at: self.reactor.instant)
    }

    func carried(_ count: Int, toPeer: Bool) { self.server.carried(count, toPeer: toPeer) }

    func ended(_ stream: TURNStream) {
        self.server.ended(stream, of: stream.client)
        self.streams[ObjectIdentifier(stream)] = nil
    }
}
