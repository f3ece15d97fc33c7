import Bytes
import ICE
import TestSupport
import Vocabulary

/// Two agents with a wire between them, in virtual time: enough to see them find each other without a network.
struct TwoPeers {
    struct Peer {
        var agent: ICEAgent
        var addresses: [PathID: SocketAddress] = [:]
        var events: [ICEEvent] = []
        var received: [[UInt8]] = []
        var selectedAt: Instant?
        /// When somebody who knows the password last answered, on the pair in use.
        var answeredAt: Instant?
        var receivedAt: [Instant] = []
    }

    private struct Flight {
        let arrival: Instant
        let order: Int
        let to: Int
        let path: PathID
        let from: SocketAddress
        let bytes: [UInt8]
    }

    var peers: [Peer] = []
    var now = Instant(nanoseconds: 0)
    var delay = Duration.milliseconds(50)
    var signalling = Duration.zero
    var loss = 0.0
    /// Whether a packet between these may pass.
    var mayPass: (SocketAddress, SocketAddress) -> Bool = { _, _ in true }
    /// Every packet that was sent, by its sender.
    private(set) var sent: [(peer: Int, bytes: [UInt8], at: Instant)] = []
    private var flights: [Flight] = []
    private var random: SeededRandom
    private var order = 0
    private var outbox = Outbox<ICEEvent>()
    private var trickled: [(Int, ICEEvent, Instant)] = []

    init(seed: UInt64 = 1, settings: [ICESettings] = [], roles: [ICERole] = [.controlling, .controlled]) {
        self.random = SeededRandom(seed: seed)
        for index in 0..<2 {
            let agent = ICEAgent(
                roles[index], ICECredentials(using: &self.random),
                settings: index < settings.count ? settings[index] : ICESettings(),
                random: SeededRandom(seed: seed &* 31 &+ UInt64(index)))
            self.peers.append(Peer(agent: agent))
        }
    }

    static func address(_ peer: Int, _ path: Int = 0, port: UInt16 = 5000) -> SocketAddress {
        SocketAddress(.v4(0x0A00_0000 | UInt32(peer) << 16 | UInt32(path) << 8 | 1), port: port)
    }

    /// Opens a path for a peer on an address of its own.
    mutating func open(_ peer: Int, _ path: Int = 0, preference: UInt8 = 0, at address: SocketAddress? = nil) {
        let id = PathID(rawValue: path)
        let address = address ?? Self.address(peer, path)
        self.peers[peer].addresses[id] = address
        let now = self.now
        self.tell(peer) { agent, outbox in
            agent.pathAdded(ICEPath(id, address: address, preference: preference), at: now, into: &outbox)
        }
    }

    /// Both have all their paths and tell each other their credentials.
    mutating func meet(isLite: [Bool] = [false, false]) {
        for peer in 0..<2 {
            let credentials = self.peers[1 - peer].agent.credentials
            let now = self.now
            self.tell(peer) { agent, outbox in
                agent.remoteDescribed(credentials, isLite: isLite[1 - peer], at: now, into: &outbox)
                agent.pathsEnded(at: now, into: &outbox)
            }
        }
    }

    mutating func tell(_ peer: Int, _ body: (inout ICEAgent, inout Outbox<ICEEvent>) -> Void) {
        body(&self.peers[peer].agent, &self.outbox)
        self.flush(peer)
    }

    private mutating func flush(_ peer: Int) {
        let packets = self.outbox.packets.packets.map { ($0, self.outbox.packets.bytes(of: $0)) }
        let events = self.outbox.events
        self.outbox.removeAll()
        for (packet, bytes) in packets {
            guard let from = self.peers[peer].addresses[packet.path] else { continue }
            self.sent.append((peer, bytes, self.now))
            self.launch(bytes, from: from, to: packet.destination)
        }
        for event in events {
            self.peers[peer].events.append(event)
            if case .selected = event { self.peers[peer].selectedAt = self.peers[peer].selectedAt ?? self.now }
            self.trickled.append((1 - peer, event, self.now + self.signalling))
        }
    }

    mutating func launch(_ bytes: [UInt8], from: SocketAddress, to: SocketAddress) {
        guard self.mayPass(from, to), Double.random(in: 0..<1, using: &self.random) >= self.loss else { return }
        for peer in 0..<2 {
            guard let path = self.peers[peer].addresses.first(where: { $0.value == to }) else { continue }
            self.flights.append(
                Flight(
                    arrival: self.now + self.delay, order: self.order, to: peer, path: path.key, from: from,
                    bytes: bytes))
            self.order += 1
        }
    }

    /// Lets time pass, and everything in it happen.
    mutating func run(_ duration: Duration, until isDone: (TwoPeers) -> Bool = { _ in false }) {
        let end = self.now + duration
        while !isDone(self) {
            let moments =
                self.flights.map(\.arrival) + self.trickled.map(\.2) + self.peers.compactMap(\.agent.deadline)
            guard let next = moments.min(), next <= end else { break }
            self.now = max(self.now, next)
            self.step()
        }
        if !isDone(self) { self.now = end }
    }

    private mutating func step() {
        let now = self.now
        let due = self.flights.filter { $0.arrival <= now }.sorted { ($0.arrival, $0.order) < ($1.arrival, $1.order) }
        self.flights.removeAll { $0.arrival <= now }
        for flight in due where self.peers[flight.to].addresses[flight.path] != nil {
            var receipt = ICEReceipt.ignored
            self.tell(flight.to) { agent, outbox in
                receipt = agent.received(
                    flight.bytes.span, on: flight.path, from: flight.from, at: now, into: &outbox)
            }
            self.note(flight, receipt)
        }
        let news = self.trickled.filter { $0.2 <= now }
        self.trickled.removeAll { $0.2 <= now }
        for (peer, event, _) in news { self.hear(peer, event) }
        for peer in 0..<2 where (self.peers[peer].agent.deadline ?? Instant(nanoseconds: .max)) <= now {
            self.tell(peer) { agent, outbox in agent.clockAdvanced(to: now, into: &outbox) }
        }
    }

    private mutating func note(_ flight: Flight, _ receipt: ICEReceipt) {
        if receipt == .data {
            self.peers[flight.to].received.append(flight.bytes)
            self.peers[flight.to].receivedAt.append(self.now)
        }
        guard receipt == .handled, flight.bytes.starts(with: [1, 1]), let selection = self.selection(flight.to),
            selection.path == flight.path, selection.remote == flight.from
        else { return }
        self.peers[flight.to].answeredAt = self.now
    }

    private mutating func hear(_ peer: Int, _ event: ICEEvent) {
        let now = self.now
        switch event {
        case .candidate(let candidate):
            self.tell(peer) { agent, outbox in agent.candidateReceived(candidate, at: now, into: &outbox) }
        case .candidatesEnded:
            self.tell(peer) { agent, outbox in agent.remoteCandidatesEnded(at: now, into: &outbox) }
        default: break
        }
    }

    mutating func close(_ peer: Int, _ path: Int) {
        let id = PathID(rawValue: path)
        self.peers[peer].addresses[id] = nil
        let now = self.now
        self.tell(peer) { agent, outbox in agent.pathRemoved(id, at: now, into: &outbox) }
    }

    /// One packet of somebody who speaks over the path.
    @discardableResult
    mutating func send(_ peer: Int, _ bytes: [UInt8] = [0x80, 1, 2, 3]) -> Bool {
        var hasSent = false
        let now = self.now
        self.tell(peer) { agent, outbox in hasSent = agent.send(bytes.span, at: now, into: &outbox) }
        return hasSent
    }

    func selection(_ peer: Int) -> (path: PathID, remote: SocketAddress)? {
        for event in self.peers[peer].events.reversed() {
            if case .selected(let path, let remote) = event { return (path, remote) }
        }
        return nil
    }

    var bothSelected: Bool { self.peers.allSatisfy { $0.selectedAt != nil } }
}
