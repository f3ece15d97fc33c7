import Bytes
import Hashing
import STUN
import TURN
import TestSupport
import Vocabulary

/// A TURN server among clients and peers that are only values.
final class TURNServerScene: RelaySockets {
    static let server = IPAddress.v4(0x5DB8_D822)
    static let server6 = IPAddress.v6(0x2606_2800_0220_0001, 1)
    static let peer = SocketAddress(.v4(0x0808_0808), port: 4000)
    static let peer6 = SocketAddress(.v6(0x2607_F8B0_4004_0800, 1), port: 4000)
    static let secret = Array("what the test and its server share, alone".utf8)

    var now = Instant(milliseconds: 1000)
    var wall = WallTime(seconds: 1_700_000_000)
    var families: Set<STUNAddressFamily> = [.ipv4, .ipv6]
    private(set) var relays: [SceneRelay] = []
    private let settings: TURNServerSettings
    private let seed: UInt64
    private var nextPort: UInt16 = 50_000

    private(set) lazy var server: TURNServer = {
        var random = SeededRandom(seed: self.seed)
        return TURNServer(self.settings, self, at: self.now, using: &random)
    }()

    init(_ change: (inout TURNServerSettings) -> Void = { _ in }, seed: UInt64 = 1) {
        var settings = TURNServerSettings()
        settings.secrets = [Self.secret]
        change(&settings)
        self.settings = settings
        self.seed = seed
    }

    func open(_ family: STUNAddressFamily, _ port: RelayPort, for client: SocketAddress) -> [any RelaySocket]? {
        guard self.families.contains(family) else { return nil }
        let ip = family == .ipv4 ? Self.server : Self.server6
        let count = port == .evenAndNext ? 2 : 1
        let made = (0..<count).map { offset in
            SceneRelay(SocketAddress(ip, port: self.nextPort + UInt16(offset)))
        }
        self.nextPort += 2
        self.relays += made
        return made
    }

    private(set) var streamRelays: [SceneStreamRelay] = []

    func openStreams(_ family: STUNAddressFamily, for client: SocketAddress) -> (any StreamRelay)? {
        guard self.families.contains(family) else { return nil }
        let relay = SceneStreamRelay(SocketAddress(family == .ipv4 ? Self.server : Self.server6, port: self.nextPort))
        self.nextPort += 2
        self.streamRelays.append(relay)
        return relay
    }

    /// A peer connects to a relayed address.
    func peer(_ peer: SocketAddress, connectsTo relay: SceneStreamRelay) -> ScenePeerStream? {
        guard let allocation = relay.allocation else { return nil }
        let stream = ScenePeerStream(peer)
        self.server.accepted(stream, for: allocation, at: self.now)
        return stream
    }

    func pass(_ time: Duration) {
        self.now = self.now + time
        self.wall = self.wall + time
        self.server.sweep(at: self.now)
    }

    func hears(_ packet: [UInt8], from client: SceneClient) {
        self.server.received(packet.span, from: client.address, on: client.line, at: self.now, self.wall)
    }

    /// A peer sends something to a relayed address.
    func peer(_ peer: SocketAddress, sends payload: [UInt8], to relayed: SocketAddress) {
        guard let allocation = self.relays.first(where: { $0.relayedAddress == relayed })?.allocation else { return }
        self.server.received(payload.span, from: peer, for: allocation, at: self.now)
    }

    var openRelays: Int { self.relays.count { !$0.isClosed } }
    var sentByRelays: Int { self.relays.reduce(0) { $0 + $1.sent.count } }
}

/// A relayed address, and what left by it.
final class SceneRelay: RelaySocket {
    let relayedAddress: SocketAddress
    weak var allocation: Allocation?
    private(set) var isClosed = false
    var sent: [(payload: [UInt8], peer: SocketAddress)] = []

    init(_ relayedAddress: SocketAddress) { self.relayedAddress = relayedAddress }

    func send(_ payload: Span<UInt8>, to peer: SocketAddress) { self.sent.append(([UInt8](copying: payload), peer)) }
    func close() { self.isClosed = true }
}

/// A relayed address by TCP: a test says what becomes of the connections that are wanted.
final class SceneStreamRelay: StreamRelay {
    let relayedAddress: SocketAddress
    weak var allocation: Allocation?
    private(set) var isClosed = false
    private(set) var wanted: [(peer: SocketAddress, completion: ((any PeerStream)?, Instant) -> Void)] = []

    init(_ relayedAddress: SocketAddress) { self.relayedAddress = relayedAddress }

    func connect(to peer: SocketAddress, _ completion: @escaping ((any PeerStream)?, Instant) -> Void) {
        self.wanted.append((peer, completion))
    }

    func close() { self.isClosed = true }

    /// What was wanted first is settled.
    @discardableResult
    func settle(at now: Instant, succeeds: Bool = true) -> ScenePeerStream? {
        guard !self.wanted.isEmpty else { return nil }
        let (peer, completion) = self.wanted.removeFirst()
        let stream = succeeds ? ScenePeerStream(peer) : nil
        completion(stream, now)
        return stream
    }
}

final class ScenePeerStream: PeerStream {
    let peer: SocketAddress
    private(set) var isClosed = false

    init(_ peer: SocketAddress) { self.peer = peer }

    func close() { self.isClosed = true }
}

final class SceneLine: TURNLine {
    let isStream: Bool
    var sent: [[UInt8]] = []
    private(set) var joined: (any PeerStream)?

    func join(_ peer: any PeerStream, of user: TURNUser) { self.joined = peer }

    init(isStream: Bool) { self.isStream = isStream }

    func send(_ bytes: Span<UInt8>, to client: SocketAddress) { self.sent.append([UInt8](copying: bytes)) }
}

/// One client, which writes its requests by itself.
final class SceneClient {
    let address: SocketAddress
    let line: SceneLine
    let scene: TURNServerScene
    private(set) var authentication: STUNAuthentication?
    private var random: SeededRandom
    private let username: String
    private let password: String
    /// Of the rules before RFC 8489: MD5 and SHA-1.
    private let isOld: Bool

    init(
        _ scene: TURNServerScene, _ number: UInt8 = 1, user: String = "anna", lasts: Duration = .seconds(600),
        secret: [UInt8] = TURNServerScene.secret, isStream: Bool = false, isOld: Bool = false
    ) {
        self.scene = scene
        self.address = SocketAddress(.v4(0xCB00_7100 | UInt32(number)), port: 40_000)
        self.line = SceneLine(isStream: isStream)
        self.random = SeededRandom(seed: UInt64(number) << 8 | UInt64(user.utf8.count))
        self.username = "\((scene.wall + lasts).seconds):\(user)"
        self.password = Base64.encode(HMAC.code(of: self.username, key: secret, using: .sha1))
        self.isOld = isOld
    }

    /// What came back last.
    struct Reply: Equatable {
        var code: Int?
        var relayed: [SocketAddress] = []
        var mapped: SocketAddress?
        var lifetime: Duration?
        var token: UInt64?
        var missing: STUNAddressFamily?
        var connection: UInt32?
    }

    /// Asks, and answers the challenge.
    @discardableResult
    func ask(_ method: UInt16, _ write: (inout STUNWriter) -> Void = { _ in }) -> Reply {
        let reply = self.askOnce(method, write)
        guard reply.code == 401 || reply.code == 438, self.takeChallenge() else { return reply }
        return self.askOnce(method, write)
    }

    private var lastRequest: [UInt8] = []

    func askOnce(_ method: UInt16, _ write: (inout STUNWriter) -> Void = { _ in }) -> Reply {
        var writer = STUNWriter(.request, method, TransactionID(using: &self.random))
        write(&writer)
        self.authentication?.sign(&writer)
        self.lastRequest = writer.finish().bytes
        return self.repeatRequest()
    }

    /// The same bytes once more, as after a loss.
    func repeatRequest() -> Reply {
        self.line.sent.removeAll()
        self.scene.hears(self.lastRequest, from: self)
        return self.reply()
    }

    /// What came back last.
    func reply() -> Reply {
        guard let bytes = self.line.sent.last, let message = try? STUNMessage(parsing: bytes.span) else {
            return Reply(code: 0)
        }
        var reply = Reply(code: message.errorCode?.rawValue)
        var attributes = message.attributes
        while let attribute = attributes.next() {
            guard attribute.type == .xorRelayedAddress, let address = message.address(in: attribute) else { continue }
            reply.relayed.append(address)
        }
        (reply.mapped, reply.lifetime) = (message.mappedAddress, message.lifetime)
        reply.token = message.number(of: .reservationToken)
        reply.connection = message.number(of: .connectionID)
        reply.missing = message.addressError?.family
        if reply.code == nil, self.authentication?.accepts(message) != true { reply.code = -1 }
        return reply
    }

    func takeChallenge() -> Bool {
        guard let bytes = self.line.sent.last, let message = try? STUNMessage(parsing: bytes.span),
            var challenge = STUNChallenge(message)
        else { return false }
        if self.isOld { challenge = STUNChallenge(realm: challenge.realm, nonce: challenge.nonce) }
        self.authentication = STUNAuthentication(
            username: self.username, password: self.password, challenge: challenge)
        return self.authentication != nil
    }

    // The requests of RFC 8656.

    @discardableResult
    func allocate(_ write: (inout STUNWriter) -> Void = { _ in }) -> Reply {
        self.ask(STUNMethod.allocate) { writer in
            writer.append(requestedTransport: 17)
            write(&writer)
        }
    }

    @discardableResult
    func allocateStreams(_ write: (inout STUNWriter) -> Void = { _ in }) -> Reply {
        self.ask(STUNMethod.allocate) { writer in
            writer.append(requestedTransport: 6)
            write(&writer)
        }
    }

    @discardableResult
    func connect(to peer: SocketAddress) -> Reply { self.ask(STUNMethod.connect) { $0.append(.xorPeerAddress, peer) } }

    @discardableResult
    func take(_ connection: UInt32) -> Reply {
        self.ask(STUNMethod.connectionBind) { $0.append(.connectionID, connection) }
    }

    @discardableResult
    func refresh(_ lifetime: Duration) -> Reply { self.ask(STUNMethod.refresh) { $0.append(lifetime: lifetime) } }

    @discardableResult
    func permit(_ peers: SocketAddress...) -> Reply {
        self.ask(STUNMethod.createPermission) { writer in
            for peer in peers { writer.append(.xorPeerAddress, peer) }
        }
    }

    @discardableResult
    func bind(_ channel: UInt16, to peer: SocketAddress) -> Reply {
        self.ask(STUNMethod.channelBind) { writer in
            if let number = ChannelNumber(rawValue: channel) { writer.append(number) }
            writer.append(.xorPeerAddress, peer)
        }
    }

    func send(_ payload: [UInt8], to peer: SocketAddress) {
        var writer = STUNWriter(.indication, STUNMethod.send, TransactionID(using: &self.random))
        writer.append(.xorPeerAddress, peer)
        writer.append(.data, payload.span)
        self.line.sent.removeAll()
        self.scene.hears(writer.finish().bytes, from: self)
    }

    func send(_ payload: [UInt8], on channel: UInt16) {
        guard let number = ChannelNumber(rawValue: channel) else { return }
        var writer = ByteWriter()
        ChannelData.write(payload.span, on: number, padded: self.line.isStream, to: &writer)
        self.line.sent.removeAll()
        self.scene.hears(writer.bytes, from: self)
    }

    /// What came through the relay since the last look.
    func takeData() -> [Letter] {
        defer { self.line.sent.removeAll() }
        return self.line.sent.compactMap { Letter($0) }
    }

    /// A payload and whom it is from: a peer, or a channel's number.
    struct Letter: Equatable {
        var payload: [UInt8]
        var peer: SocketAddress?
        var channel: UInt16?

        init(_ payload: [UInt8], from peer: SocketAddress) { (self.payload, self.peer) = (payload, peer) }
        init(_ payload: [UInt8], on channel: UInt16) { (self.payload, self.channel) = (payload, channel) }

        init?(_ bytes: [UInt8]) {
            if let data = try? ChannelData(parsing: bytes.span) {
                self.init([UInt8](copying: data.payload), on: data.channel.rawValue)
            } else if let message = try? STUNMessage(parsing: bytes.span), message.type.method == STUNMethod.data,
                let peer = message.address(of: .xorPeerAddress), let data = message.value(of: .data)
            {
                self.init([UInt8](copying: data), from: peer)
            } else {
                return nil
            }
        }
    }
}
