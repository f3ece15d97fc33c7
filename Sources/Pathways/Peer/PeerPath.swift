internal import Bytes
package import ICE
package import Reactor
package import Vocabulary

/// Who is told what becomes of the search for a path, always on its loop.
package protocol PeerPathHandler<Seeker>: AnyObject {
    associatedtype Seeker: PathSeeker

    func happened(_ event: ICEEvent, on path: PeerPath<Seeker>)
    /// What the other peer sent. The bytes are lent for the time of the call.
    func received(_ payload: Span<UInt8>, on path: PeerPath<Seeker>)
    /// The seeker has something to tell, and what it wanted has been carried out.
    func settled(_ path: PeerPath<Seeker>)
}

extension PeerPathHandler {
    package func settled(_ path: PeerPath<Seeker>) {}
}

/// One ICE agent at work, or what is built around one: opens its sockets and its relays, carries its packets, tells it the
/// time.
package final class PeerPath<Seeker: PathSeeker> {
    private var seeker: Seeker
    let reactor: Reactor
    let means: PeerMeans
    private var handler: (any PeerPathHandler<Seeker>)?
    private var outbox = Outbox<ICEEvent>()
    private let alarm: Alarm
    private(set) var isClosed = false

    // What the facets of this class keep.
    var ways: [PathID: any PeerWay] = [:]
    var relays: [RelayWay] = []
    /// Our addresses, each with the paths that begin there.
    var paths: [IPAddress: [PathID]] = [:]
    private var watch: InterfaceWatch?
    private var nextPath = 0

    package init(
        _ seeker: Seeker, on reactor: Reactor, by means: PeerMeans = PeerMeans(),
        handler: any PeerPathHandler<Seeker>
    ) {
        self.seeker = seeker
        self.reactor = reactor
        self.alarm = Alarm(on: reactor)
        self.means = means
        self.handler = handler
    }

    /// Opens a socket on each of our addresses, and asks every server for a relay, all at the same time.
    package func start(on addresses: [IPAddress], relays: [RelayServer]) throws(ReactorError) {
        for ip in addresses { try self.open(ip) }
        for server in relays { self.open(server) }
        self.noticeEndOfPaths()
    }

    /// The same on all addresses that this machine has, for as long as it has them.
    package func start(following watch: InterfaceWatch, relays: [RelayServer]) {
        self.watch = watch
        watch.add(self)
        for server in relays { self.open(server) }
        self.noticeEndOfPaths()
    }

    package func close() {
        guard !self.isClosed else { return }
        self.isClosed = true
        self.act { $0.close(at: $1, into: &$2) }
        self.handler = nil
        self.watch.take()?.remove(self)
        for way in self.ways.values { way.close() }
        for relay in self.relays { relay.close() }
        (self.ways, self.relays) = ([:], [])
        for ip in self.paths.keys { self.means.publisher?.withdraw(ip) }
        self.paths = [:]
    }

    func makePathID() -> PathID {
        defer { self.nextPath += 1 }
        return PathID(rawValue: self.nextPath)
    }
}

// MARK: - What the agent wants

extension PeerPath: AlarmOwner {
    func alarmRang() { self.act { $0.clockAdvanced(to: $1, into: &$2) } }

    /// Looks at the seeker, or takes what it has to tell; nothing is carried out.
    package func look<Result>(_ body: (inout Seeker) -> Result) -> Result { body(&self.seeker) }

    // Where it lies: a call is large, and a copy of it for each packet costs more than the packet.
    private static func hasNews(_ seeker: inout Seeker) -> Bool { seeker.hasNews }

    /// Lets something be done to the seeker, and carries out what it wants then.
    package func act<Result, Failure: Error>(
        _ body: (inout Seeker, Instant, inout Outbox<ICEEvent>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { self.carryOut() }
        return try body(&self.seeker, SteadyClock.now, &self.outbox)
    }

    private func carryOut() {
        // Out of the house while it is carried out: whoever hears of it may want something at once.
        var due = Outbox<ICEEvent>()
        swap(&due, &self.outbox)
        for packet in due.packets.packets {
            due.packets.withBytes(of: packet) { self.ways[packet.path]?.send($0, to: packet.destination) }
        }
        for event in due.events { self.carryOut(event) }
        due.removeAll()
        if self.outbox.isEmpty { swap(&due, &self.outbox) }
        self.alarm.set(self.seeker.findDeadline(), for: self)
        if Self.hasNews(&self.seeker) { self.handler?.settled(self) }
    }

    private func carryOut(_ event: ICEEvent) {
        switch event {
        case .peerExpected(let path, let peer): (self.ways[path] as? RelayWay)?.permit(peer.ip)
        case .selected(let path, let remote):
            (self.ways[path] as? RelayWay)?.bindChannel(to: remote)
            self.handler?.happened(event, on: self)
        case .dial(let path, let peer): self.dial(peer, from: path)
        case .resolve(let name): self.resolve(name)
        case .candidate(let candidate):
            self.renameSeats(candidate.usernameFragment)
            self.handler?.happened(event, on: self)
        case .candidatesEnded, .stateChanged, .roleChanged, .serverSilent:
            self.handler?.happened(event, on: self)
        }
    }

    func noticeEndOfPaths() {
        guard self.relays.allSatisfy(\.isSettled) else { return }
        self.act { $0.pathsEnded(at: $1, into: &$2) }
    }

    @discardableResult
    func received(_ bytes: Span<UInt8>, on path: PathID, from peer: SocketAddress) -> ICEReceipt {
        let receipt = self.seeker.received(bytes, on: path, from: peer, at: SteadyClock.now, into: &self.outbox)
        self.carryOut()
        if receipt == .data { self.handler?.received(bytes, on: self) }
        return receipt
    }
}
