internal import Bytes
internal import Client
internal import ICE
internal import Pathways
internal import Reactor
internal import STUN
internal import Vocabulary

/// Pairs of allocations at a TURN server send packets to each other's relayed address. Each packet says whose it is, so that
/// a lost one is missed and a stranger's is seen.
final class RelayLoad: LoadActivity {
    private unowned let run: LoadRun
    private let plan: LoadRelays
    private let reactor: Reactor
    private var ends: [RelayEnd] = []
    private var pace: LoadPace
    private var finder: ServerFinder?
    private var isOver = false
    private var next = 0
    /// A server is not asked for thousands at once.
    private static let arrivalsPerTick = 4
    private var server: RelayServer?
    /// Packets of a busy moment are worth waiting for.
    private static let settleTime = Duration.milliseconds(500)
    private var stoppedAt: Instant?

    init(_ run: LoadRun, on reactor: Reactor) {
        self.run = run
        self.plan = run.plan.relays
        self.reactor = reactor
        self.pace = LoadPace(perSecond: run.plan.relays.packetsPerSecond * Double(run.plan.relays.count))
    }

    func begin(at now: Instant) {
        if let server = self.plan.server { self.find([server]) }
    }

    /// The first server that relays is the one.
    private func find(_ servers: [AdvisedServer]) {
        guard self.finder == nil else { return }
        let finder = ServerFinder(of: servers, on: self.reactor)
        self.finder = finder
        finder.find { found in
            self.server = found.relays.first
            if self.server == nil { self.run.complain("relays: no TURN server is known") }
        }
    }

    func ticked(at now: Instant) {
        let due = self.pace.due(at: now)
        guard !self.isOver else { return }
        self.allocate()
        let ready = self.ends
        guard !ready.isEmpty else { return }
        for _ in 0..<due {
            self.next += 1
            ready[self.next % ready.count].send(self.plan.packetBytes)
        }
    }

    private func allocate() {
        guard let server = self.server else { return }
        for _ in 0..<Self.arrivalsPerTick where self.ends.count + 1 < self.plan.count {
            let pair = self.ends.count / 2
            let (one, other) = (
                RelayEnd(pair, 0, at: server, self.run, on: self.reactor),
                RelayEnd(pair, 1, at: server, self.run, on: self.reactor)
            )
            (one.other, other.other) = (other, one)
            self.ends += [one, other]
            for end in [one, other] { end.start() }
        }
    }

    /// What a user is advised is as good as what is named.
    func heard(_ event: ParleyEvent, by user: LoadUser) {
        guard case .welcome(let welcome) = event, self.plan.server == nil, self.finder == nil else { return }
        let servers = self.plan.read(welcome.iceServers)
        if !servers.isEmpty { self.find(servers) }
    }

    func stop() {
        self.isOver = true
        self.stoppedAt = SteadyClock.now
    }

    var isSettled: Bool {
        self.ends.allSatisfy { $0.missing == 0 }
            || self.stoppedAt.map { $0.duration(to: SteadyClock.now) > Self.settleTime } == true
    }

    func end() {
        for end in self.ends {
            self.run.count(.lostPackets, max(0, end.missing))
            end.close()
        }
        self.ends.removeAll()
    }
}

/// One allocation, and what came to it from the other one.
private final class RelayEnd: TURNRelayHandler {
    private let pair: Int
    private let side: Int
    private let run: LoadRun
    private let since = SteadyClock.now
    private var relay: TURNRelay?
    private let make: (any TURNRelayHandler) -> TURNRelay
    weak var other: RelayEnd?
    private var address: SocketAddress?
    private var isReady = false
    private(set) var sent = 0
    private var received = 0

    init(_ pair: Int, _ side: Int, at server: RelayServer, _ run: LoadRun, on reactor: Reactor) {
        (self.pair, self.side, self.run) = (pair, side, run)
        let family: STUNAddressFamily = if case .v4 = server.address.ip { .ipv4 } else { .ipv6 }
        let settings = TURNSettings(transport: server.transport, families: [family])
        self.make = { handler in
            TURNRelay(
                settings, server: server.address, account: server.account, trust: server.trust, on: reactor,
                handler: handler)
        }
    }

    func start() {
        let relay = self.make(self)
        self.relay = relay
        relay.start()
    }

    func close() { self.relay.take()?.close() }

    /// What the other one sent and has not come.
    var missing: Int { (self.other?.sent ?? 0) - self.received }

    func send(_ size: Int) {
        guard self.isReady, let relay = self.relay, let target = self.other, target.isReady,
            let address = target.address
        else { return }
        var packet = [UInt8]()
        packet.reserveCapacity(size)
        for value in [Int64(self.pair), Int64(self.side), SteadyClock.now.nanoseconds] {
            for shift in stride(from: 56, through: 0, by: -8) {
                packet.append(UInt8(truncatingIfNeeded: value >> shift))
            }
        }
        while packet.count < size { packet.append(0) }
        if relay.send(packet.span, to: address) { self.sent += 1 }
    }

    func happened(_ event: TURNEvent, at relay: TURNRelay) {
        switch event {
        case .allocated(let allocation):
            self.run.took(.allocate, since: self.since)
            self.run.count(.allocations)
            self.address = allocation.relayed.first
            self.meet()
            self.other?.meet()
        case .channelBound: self.isReady = true
        case .forbidden(_, let failure), .failed(let failure): self.run.complain("relay: \(failure)")
        case .permitted, .reopen, .closed: return
        }
    }

    /// Both have an address: packets may pass.
    private func meet() {
        guard self.address != nil, let address = self.other?.address else { return }
        self.relay?.permit(address.ip)
        self.relay?.bindChannel(to: address)
    }

    func received(_ payload: Span<UInt8>, from peer: SocketAddress, through relay: TURNRelay) {
        var values: [Int64] = []
        for start in stride(from: 0, to: 24, by: 8) where payload.count >= 24 {
            values.append((start..<(start + 8)).reduce(0) { $0 << 8 | Int64(payload[$1]) })
        }
        guard values.count == 3, values[0] == Int64(self.pair), values[1] == Int64(1 - self.side) else {
            return self.run.count(.foreign)
        }
        self.received += 1
        self.run.count(.packets)
        self.run.took(.relay, since: Instant(nanoseconds: values[2]))
    }
}
