import Bytes
import ICE
import STUN
import TestSupport
import Vocabulary

/// The shell of a TURN client on the virtual network.
final class TURNCaller: VirtualDatagramHandler, VirtualStreamHandler, VirtualSleeper {
    struct Letter: Hashable {
        let peer: SocketAddress
        let payload: [UInt8]
    }

    private(set) var client: TURNClient
    private(set) var events: [TURNEvent] = []
    private(set) var letters: [Letter] = []
    private(set) var sentAt: [Instant] = []
    private(set) var sentBytes = 0
    /// What it hears from the server is spoilt before it is read.
    var spoil: ([UInt8]) -> [UInt8] = { $0 }
    /// What it hears comes in pieces of so many bytes.
    var pieces = 1 << 20
    private var outbox = Outbox<TURNEvent>()
    private let network: VirtualNetwork
    private let host: VirtualHost
    private let isStream: Bool
    private var socket: VirtualSocket?
    private var stream: VirtualStream?
    private var alarm: VirtualAlarm?

    init(_ network: VirtualNetwork, _ host: VirtualHost, _ client: consuming TURNClient) {
        self.network = network
        self.host = host
        self.isStream = client.settings.transport.isStream
        self.client = client
        self.alarm = network.makeAlarm(for: self)
    }

    var allocation: TURNAllocation? { self.client.allocation }
    var place: VirtualSocket? { self.socket }

    func take() -> [TURNEvent] {
        defer { self.events = [] }
        return self.events
    }

    func takeLetters() -> [Letter] {
        defer { self.letters = [] }
        return self.letters
    }

    // MARK: What the story wants

    func start() {
        self.open()
        if !self.isStream { self.act { $0.start(at: $1, into: &$2) } }
    }

    func send(_ payload: [UInt8], to peer: SocketAddress) {
        self.act { client, now, outbox in client.send(payload.span, to: peer, at: now, into: &outbox) }
    }

    func bindChannel(to peer: SocketAddress) {
        self.act { client, now, outbox in client.bindChannel(to: peer, at: now, into: &outbox) }
    }

    func permit(_ ip: IPAddress) {
        self.act { client, now, outbox in client.permit(ip, at: now, into: &outbox) }
    }

    func renew(_ account: TURNAccount) { self.client.renew(account) }
    func forget(_ ip: IPAddress) { self.client.forget(ip) }
    func close() { self.act { $0.close(at: $1, into: &$2) } }

    // MARK: What the network brings

    func received(_ datagram: [UInt8], from peer: SocketAddress, on socket: VirtualSocket) {
        guard peer == self.client.server else { return }
        self.hear(datagram)
    }

    func connected(_ stream: VirtualStream) {
        self.act { client, now, outbox in
            client.start(at: now, into: &outbox)
            client.opened(at: now, into: &outbox)
        }
    }

    func received(_ bytes: [UInt8], on stream: VirtualStream) {
        for start in stride(from: 0, to: bytes.count, by: self.pieces) {
            self.hear(Array(bytes[start..<min(start + self.pieces, bytes.count)]))
        }
    }

    func ended(_ stream: VirtualStream) { self.act { $0.disconnected(into: &$2) } }
    func woken(at now: Instant) { self.act { $0.clockAdvanced(to: $1, into: &$2) } }

    /// What comes late from a connection that is over.
    func overhear(_ bytes: [UInt8]) { self.hear(bytes) }

    private func hear(_ bytes: [UInt8]) {
        let bytes = self.spoil(bytes)
        var heard: [Letter] = []
        self.act { client, now, outbox in
            client.receive(bytes.span, at: now, into: &outbox) { peer, payload in
                heard.append(Letter(peer: peer, payload: payload.withUnsafeBufferPointer(Array.init)))
            }
        }
        self.letters += heard
    }

    private func open() {
        let server = self.client.server
        self.socket?.close()
        if self.isStream {
            let source = self.host.addresses.first { STUNAddressFamily(of: $0) == STUNAddressFamily(of: server.ip) }
            self.stream = self.host.connect(to: server, from: source ?? .any, self)
        } else {
            let any: IPAddress = if case .v4 = server.ip { .any } else { .any6 }
            self.socket = try? self.host.bind(SocketAddress(any, port: 0), self)
        }
    }

    private func act(_ body: (inout TURNClient, Instant, inout Outbox<TURNEvent>) -> Void) {
        body(&self.client, self.network.now, &self.outbox)
        self.carryOut()
        self.alarm?.set(self.client.deadline)
    }

    private func carryOut() {
        let packets = self.outbox.packets.packets.map { self.outbox.packets.bytes(of: $0) }
        let events = self.outbox.events
        self.outbox.removeAll()
        for packet in packets {
            self.sentAt.append(self.network.now)
            self.sentBytes += packet.count
            self.socket?.send(packet, to: self.client.server)
            self.stream?.write(packet)
        }
        self.events += events
        for case .reopen in events {
            self.open()
            if !self.isStream { self.act { $0.opened(at: $1, into: &$2) } }
        }
    }
}

/// Somebody whom the caller speaks with through the relay.
final class TURNPeer: VirtualDatagramHandler {
    private(set) var letters: [TURNCaller.Letter] = []
    private(set) var moments: [Instant] = []
    private(set) var socket: VirtualSocket?
    private let network: VirtualNetwork

    init(_ network: VirtualNetwork, _ host: VirtualHost, on address: SocketAddress) throws {
        self.network = network
        self.socket = try host.bind(address, self)
    }

    func received(_ datagram: [UInt8], from peer: SocketAddress, on socket: VirtualSocket) {
        self.letters.append(TURNCaller.Letter(peer: peer, payload: datagram))
        self.moments.append(self.network.now)
        socket.send(datagram, to: peer)
    }
}

/// A caller behind a NAT, a TURN server 20 ms away, and a peer who sends everything back.
final class TURNScene {
    static let address4 = IPAddress.v4(0xC633_6401)
    static let address6 = IPAddress.v6(0x2001_0DB8_0000_0001, 1)
    static let server = SocketAddress(address4, port: 3478)
    static let account = TURNAccount(username: "user", password: "pass")
    static let peer4 = SocketAddress(.v4(0xC000_0207), port: 4000)
    static let peer6 = SocketAddress(.v6(0x2001_0DB8_0000_0007, 7), port: 4000)

    let network: VirtualNetwork
    let server: VirtualTURNServer
    let caller: TURNCaller
    let peers: [TURNPeer]

    init(
        _ settings: TURNSettings = TURNSettings(), server: SocketAddress = TURNScene.server, loss: Double = 0,
        seed: UInt64 = 1, temper: (inout VirtualTURNServer.Temper) -> Void = { _ in }
    ) throws {
        self.network = VirtualNetwork(seed: seed)
        var chosen = VirtualTURNServer.Temper()
        temper(&chosen)
        self.server = try VirtualTURNServer(
            on: self.network.addHost(Self.address4, Self.address6), of: self.network, temper: chosen)
        let gateway = self.network.addGateway(NATBehaviour(filtering6: .addressDependent), at: .v4(0xCB00_7105))
        let link = LinkProfile(delay: .milliseconds(20), loss: loss > 0 ? .random(loss) : .none)
        let host = self.network.addHost(
            .v4(0xC0A8_0102), .v6(0x2001_0DB8_0000_0009, 2), in: gateway.inside, link: link)
        let client = TURNClient(
            settings, server: server, account: Self.account, random: self.network.makeRandom())
        self.caller = TURNCaller(self.network, host, client)
        let friends = self.network.addHost(Self.peer4.ip, Self.peer6.ip)
        self.peers = try [Self.peer4, Self.peer6].map { [network] in try TURNPeer(network, friends, on: $0) }
    }

    func run(_ duration: Duration) { self.network.run(for: duration) }

    /// Starts, and waits until it is clear how that went.
    func allocate() -> TURNAllocation? {
        self.caller.start()
        self.run(.seconds(60))
        return self.caller.allocation
    }

    /// Sends something to a peer and says whether it came back.
    func echoes(_ peer: SocketAddress = TURNScene.peer4) -> Bool {
        let payload = Array("\(self.network.now.nanoseconds)".utf8)
        self.caller.send(payload, to: peer)
        self.run(.seconds(1))
        return self.caller.takeLetters().contains(TURNCaller.Letter(peer: peer, payload: payload))
    }
}

extension SocketAddress {
    var nextPort: SocketAddress { SocketAddress(self.ip, port: self.port + 1) }
}
