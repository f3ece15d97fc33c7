internal import Bytes
package import ICE
package import Reactor
package import Vocabulary

/// Who is told what becomes of the search for a path, always on its loop.
package protocol PeerPathHandler: AnyObject {
    func happened(_ event: ICEEvent, on path: PeerPath)
    /// What the other peer sent. The bytes are lent for the time of the call.
    func received(_ payload: Span<UInt8>, on path: PeerPath)
}

/// One ICE agent at work: opens its sockets and its relays, carries its packets, tells it the time.
package final class PeerPath {
    private var agent: ICEAgent
    let reactor: Reactor
    let means: PeerMeans
    private var handler: (any PeerPathHandler)?
    private var outbox = Outbox<ICEEvent>()
    private var timer: TimerToken?
    private var timerDeadline: Instant?
    private(set) var isClosed = false

    // What the facets of this class keep.
    var ways: [PathID: any PeerWay] = [:]
    var relays: [RelayWay] = []
    /// Our addresses, each with the paths that begin there.
    var paths: [IPAddress: [PathID]] = [:]
    private var watch: InterfaceWatch?
    private var nextPath = 0

    package init(
        _ agent: ICEAgent, on reactor: Reactor, by means: PeerMeans = PeerMeans(), handler: any PeerPathHandler
    ) {
        self.agent = agent
        self.reactor = reactor
        self.means = means
        self.handler = handler
    }

    package var snapshot: ICESnapshot { self.agent.snapshot }

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

    package func remoteDescribed(_ credentials: ICECredentials, isLite: Bool = false) {
        self.act { $0.remoteDescribed(credentials, isLite: isLite, at: $1, into: &$2) }
    }

    package func candidateReceived(_ candidate: ICECandidate) {
        self.act { $0.candidateReceived(candidate, at: $1, into: &$2) }
    }

    package func remoteCandidatesEnded() { self.act { $0.remoteCandidatesEnded(at: $1, into: &$2) } }

    /// New credentials, while packets still go the old way.
    package func restart(_ credentials: ICECredentials) { self.act { $0.restart(credentials, at: $1, into: &$2) } }

    /// False when there is no path, or none that they still want to be sent to on.
    @discardableResult
    package func send(_ payload: Span<UInt8>) -> Bool {
        let isOnItsWay = self.agent.send(payload, at: SteadyClock.now, into: &self.outbox)
        self.carryOut()
        return isOnItsWay
    }

    package func close() {
        guard !self.isClosed else { return }
        self.isClosed = true
        self.act { agent, _, outbox in agent.close(into: &outbox) }
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

extension PeerPath {
    func act(_ body: (inout ICEAgent, Instant, inout Outbox<ICEEvent>) -> Void) {
        body(&self.agent, SteadyClock.now, &self.outbox)
        self.carryOut()
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
        self.setTimer()
    }

    private func carryOut(_ event: ICEEvent) {
        switch event {
        case .peerExpected(let path, let peer): (self.ways[path] as? RelayWay)?.permit(peer.ip)
        case .selected(let path, let remote):
            (self.ways[path] as? RelayWay)?.bindChannel(to: remote)
            self.handler?.happened(event, on: self)
        case .dial(let path, let peer): self.dial(peer, from: path)
        case .resolve(let name): self.resolve(name)
        case .candidate, .candidatesEnded, .stateChanged, .roleChanged, .serverSilent:
            self.handler?.happened(event, on: self)
        }
    }

    private func setTimer() {
        let deadline = self.agent.deadline
        guard deadline != self.timerDeadline else { return }
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        self.timerDeadline = deadline
        guard let deadline else { return }
        self.timer = self.reactor.schedule(after: max(.zero, SteadyClock.now.duration(to: deadline))) {
            self.timerDeadline = nil
            self.act { $0.clockAdvanced(to: $1, into: &$2) }
        }
    }

    func noticeEndOfPaths() {
        guard self.relays.allSatisfy(\.isSettled) else { return }
        self.act { $0.pathsEnded(at: $1, into: &$2) }
    }

    @discardableResult
    func received(_ bytes: Span<UInt8>, on path: PathID, from peer: SocketAddress) -> ICEReceipt {
        let receipt = self.agent.received(bytes, on: path, from: peer, at: SteadyClock.now, into: &self.outbox)
        self.carryOut()
        if receipt == .data { self.handler?.received(bytes, on: self) }
        return receipt
    }
}
