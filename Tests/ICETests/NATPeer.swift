import ICE
import STUN
import TestSupport
import Vocabulary

/// The shell of an agent and its relay on the virtual network: what a peer would do with sockets.
final class NATPeer: VirtualDatagramHandler, VirtualSleeper {
    static let direct = PathID(rawValue: 0)

    /// The paths of relays, by the transport to their server.
    static func relayed(_ transport: TURNTransport) -> PathID { PathID(rawValue: transport.isStream ? 102 : 101) }
    static func isRelayed(_ path: PathID) -> Bool { path.rawValue > 100 }

    var agent: ICEAgent
    weak var other: NATPeer?
    private(set) var events: [ICEEvent] = []
    private(set) var selection: (path: PathID, remote: SocketAddress)?
    private(set) var selectedAt: Instant?
    private(set) var selectedChanges = 0
    private(set) var firstCandidateAt: Instant?
    private(set) var heard: [[UInt8]] = []
    /// Somebody else has the remote address on the socket that many share, as in `SharedSocket`: what comes there is refused, and a
    /// socket of one's own is opened.
    var isCrowdedOut = false
    private let network: VirtualNetwork
    private let host: VirtualHost
    private let signalling: Duration
    private var sockets: [PathID: VirtualSocket] = [:]
    private var alarm: VirtualAlarm?
    private var outbox = Outbox<ICEEvent>()
    private var relays: [PathID: NATRelay] = [:]

    init(
        _ role: ICERole, _ network: VirtualNetwork, _ host: VirtualHost, settings: ICESettings, signalling: Duration
    ) {
        var random = network.makeRandom()
        self.network = network
        self.host = host
        self.signalling = signalling
        self.agent = ICEAgent(role, ICECredentials(using: &random), settings: settings, random: network.makeRandom())
        self.alarm = network.makeAlarm(for: self)
    }

    // MARK: The story

    /// Opens a socket on every address, and asks the TURN server for an address there: over UDP, and over TCP when
    /// nothing has come of that for a moment.
    func start(turn: SocketAddress?) throws {
        for (index, ip) in self.host.addresses.enumerated() {
            try self.open(PathID(rawValue: index), on: ip, preference: UInt8(10 - index))
        }
        guard let turn else { return self.act { $0.pathsEnded(at: $1, into: &$2) } }
        let relay = try NATRelay(.udp, turn, self.network, self.host, for: self)
        self.relays[Self.relayed(.udp)] = relay
        relay.start()
        self.network.after(.milliseconds(300)) { [weak self] in
            guard let self, relay.isPending else { return }
            self.relays[Self.relayed(.tcp)] = try? NATRelay(.tcp, turn, self.network, self.host, for: self)
        }
    }

    func open(_ path: PathID, on ip: IPAddress, preference: UInt8 = 0) throws {
        let socket = try self.host.bind(SocketAddress(ip, port: 0), self)
        self.sockets[path] = socket
        self.act { $0.pathAdded(ICEPath(path, address: socket.address, preference: preference), at: $1, into: &$2) }
    }

    func lose(_ path: PathID) {
        self.sockets.removeValue(forKey: path)?.close()
        self.act { $0.pathRemoved(path, at: $1, into: &$2) }
    }

    /// Tells the other side our credentials, by way of the signalling.
    func describe() {
        let credentials = self.agent.credentials
        self.network.after(self.signalling) { [weak self] in
            self?.other?.act { $0.remoteDescribed(credentials, at: $1, into: &$2) }
        }
    }

    func send(_ bytes: [UInt8]) -> Bool {
        var hasSent = false
        self.act { hasSent = $0.send(bytes.span, at: $1, into: &$2) }
        return hasSent
    }

    // MARK: The relay

    func relayAllocated(_ allocation: TURNAllocation, _ transport: TURNTransport) {
        guard let address = allocation.relayed.first else { return }
        let preference: UInt8 = transport == .udp ? 2 : 1
        self.act { agent, now, outbox in
            agent.pathAdded(
                ICEPath(
                    Self.relayed(transport), .relayed(mapped: allocation.mapped), address: address,
                    preference: preference),
                at: now, into: &outbox)
            agent.pathsEnded(at: now, into: &outbox)
        }
    }

    func relayed(_ bytes: Span<UInt8>, from peer: SocketAddress, by transport: TURNTransport) {
        self.hear(bytes, on: Self.relayed(transport), from: peer)
    }

    // MARK: What the network brings

    func received(_ datagram: [UInt8], from peer: SocketAddress, on socket: VirtualSocket) {
        guard let path = self.sockets.first(where: { $0.value === socket })?.key else { return }
        if self.isCrowdedOut, path == Self.direct {
            let own = PathID(rawValue: 50)
            if self.sockets[own] == nil { try? self.open(own, on: self.host.addresses[0]) }
            return
        }
        self.hear(datagram.span, on: path, from: peer)
    }

    private func hear(_ bytes: Span<UInt8>, on path: PathID, from peer: SocketAddress) {
        let receipt = self.agent.received(bytes, on: path, from: peer, at: self.network.now, into: &self.outbox)
        if receipt == .data { self.heard.append(bytes.withUnsafeBufferPointer(Array.init)) }
        self.carryOut()
    }

    func woken(at now: Instant) { self.act { $0.clockAdvanced(to: $1, into: &$2) } }

    func act(_ body: (inout ICEAgent, Instant, inout Outbox<ICEEvent>) -> Void) {
        body(&self.agent, self.network.now, &self.outbox)
        self.carryOut()
    }

    private func carryOut() {
        let packets = self.outbox.packets
        let events = self.outbox.events
        if !packets.isEmpty || !events.isEmpty { self.outbox.removeAll() }
        for packet in packets.packets {
            if let relay = self.relays[packet.path] {
                packets.withBytes(of: packet) { bytes in relay.send(bytes, to: packet.destination) }
            } else {
                self.sockets[packet.path]?.send(packets.bytes(of: packet), to: packet.destination)
            }
        }
        for event in events { self.happened(event) }
        self.alarm?.set(self.agent.deadline)
    }

    private func happened(_ event: ICEEvent) {
        self.events.append(event)
        switch event {
        case .candidate(let candidate):
            self.firstCandidateAt = self.firstCandidateAt ?? self.network.now
            self.network.after(self.signalling) { [weak self] in
                self?.other?.act { $0.candidateReceived(candidate, at: $1, into: &$2) }
            }
        case .candidatesEnded:
            self.network.after(self.signalling) { [weak self] in
                self?.other?.act { $0.remoteCandidatesEnded(at: $1, into: &$2) }
            }
        case .selected(let path, let remote):
            self.selection = (path, remote)
            self.selectedAt = self.selectedAt ?? self.network.now
            self.selectedChanges += 1
        case .peerExpected(let path, let peer): self.relays[path]?.permit(peer.ip)
        case .stateChanged, .roleChanged, .resolve, .dial, .serverSilent: break
        }
    }
}

/// A TURN client with its socket or connection.
final class NATRelay: VirtualDatagramHandler, VirtualStreamHandler, VirtualSleeper {
    private var client: TURNClient
    private weak var owner: NATPeer?
    private let network: VirtualNetwork
    private let transport: TURNTransport
    private var socket: VirtualSocket?
    private var stream: VirtualStream?
    private var alarm: VirtualAlarm?
    private var outbox = Outbox<TURNEvent>()

    init(
        _ transport: TURNTransport, _ server: SocketAddress, _ network: VirtualNetwork, _ host: VirtualHost,
        for owner: NATPeer
    ) throws {
        self.transport = transport
        self.network = network
        self.owner = owner
        self.client = TURNClient(
            TURNSettings(transport: transport), server: server,
            account: TURNAccount(username: "user", password: "pass"), random: network.makeRandom())
        self.alarm = network.makeAlarm(for: self)
        if transport.isStream {
            self.stream = host.connect(to: server, from: host.addresses[0], self)
        } else {
            self.socket = try host.bind(SocketAddress(host.addresses[0], port: 0), self)
        }
    }

    var isPending: Bool { self.client.allocation == nil }

    func start() {
        if self.stream == nil { self.act { $0.start(at: $1, into: &$2) } }
    }

    func send(_ bytes: Span<UInt8>, to peer: SocketAddress) {
        self.client.send(bytes, to: peer, at: self.network.now, into: &self.outbox)
        self.carryOut()
    }

    func permit(_ ip: IPAddress) {
        self.act { client, now, outbox in client.permit(ip, at: now, into: &outbox) }
    }

    func connected(_ stream: VirtualStream) { self.act { $0.start(at: $1, into: &$2) } }
    func received(_ datagram: [UInt8], from peer: SocketAddress, on socket: VirtualSocket) { self.hear(datagram) }
    func received(_ bytes: [UInt8], on stream: VirtualStream) { self.hear(bytes) }
    func ended(_ stream: VirtualStream) { self.act { $0.disconnected(into: &$2) } }
    func woken(at now: Instant) { self.act { $0.clockAdvanced(to: $1, into: &$2) } }

    private func hear(_ bytes: [UInt8]) {
        let owner = self.owner
        var letters: [(SocketAddress, [UInt8])] = []
        self.act { client, now, outbox in
            client.receive(bytes.span, at: now, into: &outbox) { peer, payload in
                letters.append((peer, payload.withUnsafeBufferPointer(Array.init)))
            }
        }
        for (peer, payload) in letters { owner?.relayed(payload.span, from: peer, by: self.transport) }
    }

    private func act(_ body: (inout TURNClient, Instant, inout Outbox<TURNEvent>) -> Void) {
        body(&self.client, self.network.now, &self.outbox)
        self.carryOut()
    }

    private func carryOut() {
        let packets = self.outbox.packets
        let events = self.outbox.events
        if !packets.isEmpty || !events.isEmpty { self.outbox.removeAll() }
        for packet in packets.packets {
            self.socket?.send(packets.bytes(of: packet), to: self.client.server)
            self.stream?.write(packets.bytes(of: packet))
        }
        self.alarm?.set(self.client.deadline)
        for case .allocated(let allocation) in events { self.owner?.relayAllocated(allocation, self.transport) }
    }
}
