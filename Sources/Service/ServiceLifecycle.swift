internal import ACME
internal import System
internal import HTTPServer
internal import Journal
internal import Reactor
internal import Vocabulary
internal import Web

/// Opens the listeners, watches for the signals that end the service, and drains its connections. Lives on the first loop.
final class ServiceLifecycle {
    struct Dependencies: Sendable {
        let group: EventLoopGroup
        let server: HTTPServer
        let adminServer: HTTPServer
        let signalling: Signalling
        let health: Health
        let metrics: HTTPMetrics
        let registry: MetricsRegistry
        let configuration: ServiceConfiguration
        let journal: Journal
    }

    private let reactor: Reactor
    private let askToDrain: @Sendable () -> Void
    private let dependencies: Dependencies
    private var journal: Journal { self.dependencies.journal }
    private var configuration: ServiceConfiguration { self.dependencies.configuration }

    private var listeners: [TCPListener] = []
    private var certificates: CertificateKeeper?
    private var selfSigned: SelfSignedKeeper?
    private var acme: ACMEKeeper?
    private var stun: [UDPSocket] = []
    private var turn: TURNHost?
    private var hasOfferedServers = false
    private var signals: [SignalWatch] = []
    private var isDraining = false

    /// What the service manager calls the socket of the admin listener.
    private static let adminName = "admin"
    private static let drainPoll = Duration.milliseconds(20)
    /// The part of the time in which clients are sent to other nodes.
    private static let departure = 0.75

    /// - Parameter askToDrain: calls `drain`, from any thread.
    init(_ dependencies: Dependencies, on reactor: Reactor, askToDrain: @escaping @Sendable () -> Void) {
        self.askToDrain = askToDrain
        self.dependencies = dependencies
        self.reactor = reactor
    }

    func open() throws(ReactorError) -> ParleyService.Addresses {
        let admin = try self.listenForAdmins()
        try self.listenForClients()
        let addresses = self.listeners.map(\.address)
        for wanted in self.configuration.stunAddresses(beside: addresses) { self.openServers(on: wanted) }
        try self.watchSignals()
        self.keepCertificates()
        let listener = self.configuration.tls.isNone ? addresses.first : nil
        self.dependencies.signalling.joinNodes(
            at: listener, or: self.configuration.nodeAddress, onDrain: self.askToDrain)
        self.dependencies.health.started()
        self.sayReady(addresses, admin.address)
        self.configuration.manager.tell(.ready)
        self.keepWatchdogQuiet()
        return ParleyService.Addresses(all: addresses, admin: admin.address)
    }

    private func listenForAdmins() throws(ReactorError) -> TCPListener {
        let server = self.dependencies.adminServer
        if let socket = self.configuration.manager.sockets.first(where: { $0.name == Self.adminName }) {
            return try server.listen(on: socket, self.reactor)
        }
        return try server.listen(on: self.configuration.admin, self.reactor)
    }

    private func listenForClients() throws(ReactorError) {
        let server = self.dependencies.server
        let sockets = self.configuration.manager.sockets.filter { $0.name != Self.adminName }
        for socket in sockets { self.listeners.append(try server.listen(on: socket, self.reactor)) }
        guard sockets.isEmpty else { return }
        for address in self.configuration.listen {
            let takesBoth = self.configuration.takesBoth(address)
            self.listeners.append(try server.listen(on: address, takesBoth: takesBoth, self.reactor))
        }
    }

    private func sayReady(_ addresses: [SocketAddress], _ admin: SocketAddress) {
        for address in addresses where BlockedPorts.contains(address.port) {
            self.journal.warning(
                .portBlocked,
                "browsers refuse to connect to this port; choose another with --listen, unless a proxy is in front",
                [.address: .plain(address)])
        }
        self.journal.notice(
            .serving, "the service is ready",
            [
                .address: .plain(addresses.first ?? admin),
                .addresses: .plain(addresses.map(\.description).joined(separator: ", ")), .admin: .plain(admin),
                .loops: .integer(self.dependencies.group.loops.count),
            ])
    }

    /// The server runs without STUN and TURN when another program has the port. Relays are on the first address that may
    /// have some, and clients are told of that one; on the others STUN is answered alone.
    private func openServers(on wanted: SocketAddress) {
        do throws(ReactorError) {
            let hasRelays = self.turn == nil && self.configuration.turn.serves(on: wanted)
            let builtIn = hasRelays ? try self.openRelays(on: wanted) : try self.openSTUN(on: wanted)
            if hasRelays || !self.hasOfferedServers { self.dependencies.signalling.offer(builtIn) }
            self.hasOfferedServers = true
            self.journal.info(
                .stunReady, builtIn.turn == nil ? "the STUN service is ready" : "the STUN and TURN server is ready",
                [.address: .plain(SocketAddress(wanted.ip, port: builtIn.port))])
        } catch {
            self.journal.warning(
                .stunMissing, "no STUN service: its port cannot be opened; choose another with --stun",
                [.error: .error(error)])
        }
    }

    private func openSTUN(on address: SocketAddress) throws(ReactorError) -> BuiltInICEServers {
        let socket = try UDPSocket(on: address, reactor: self.reactor)
        socket.start(STUNService())
        self.stun.append(socket)
        return BuiltInICEServers(port: socket.address.port)
    }

    private func openRelays(on address: SocketAddress) throws(ReactorError) -> BuiltInICEServers {
        // Of this run alone: allocations end with it, and so does what was made with it.
        let secret = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        let host = TURNHost(self.dependencies.group)
        let server = self.dependencies.server
        var builtIn = try host.open(
            self.configuration.turn, on: address, secret: secret, self.dependencies.registry,
            certificate: { server.certificate }, from: self.reactor)
        server.hand { host.take($0) }
        // Clients do not trust a certificate that nobody vouches for.
        if self.configuration.tls.isTrusted { builtIn.turn?.securePort = self.listeners.first?.address.port }
        self.dependencies.signalling.observeIdentities { host.identityChanged($0) }
        self.turn = host
        return builtIn
    }

    private func keepCertificates() {
        switch self.configuration.tls {
        case .off: return
        case .files(let certificate, let key):
            self.certificates = CertificateKeeper(
                certificate: certificate, key: key, on: self.reactor, journal: self.journal,
                use: self.dependencies.server.use)
        case .selfSigned:
            let certificate = SelfSignedCertificate(in: self.configuration.data, listen: self.configuration.listen)
            self.selfSigned = SelfSignedKeeper(
                certificate, on: self.reactor, journal: self.journal, use: self.dependencies.server.use)
        case .acme(let settings): self.keepOrdered(settings)
        }
    }

    private func keepOrdered(_ settings: ACMESettings) {
        let fetcher = ACMEFetcher(settings, on: self.reactor, allowing: self.configuration.outgoingNetworks)
        let keeper = ACMEKeeper(
            settings, ACMEFiles(in: self.configuration.data), fetcher, on: self.reactor, self.journal,
            ACMEMetrics(self.dependencies.registry), use: self.dependencies.server.use)
        self.acme = keeper
        keeper.look()
    }

    /// A loop that no longer turns says nothing, and the service is started anew.
    private func keepWatchdogQuiet() {
        guard let watchdog = self.configuration.manager.watchdog else { return }
        self.configuration.manager.tell(.watchdog)
        self.reactor.schedule(after: watchdog / 3) { [unowned self] in self.keepWatchdogQuiet() }
    }

    private func watchSignals() throws(ReactorError) {
        for signal in [Signal.terminate, .interrupt] {
            self.signals.append(try SignalWatch(signal, on: self.reactor) { [unowned self] in self.asked(by: signal) })
        }
        self.signals.append(
            try SignalWatch(.hangUp, on: self.reactor) { [unowned self] in
                self.certificates?.reload()
                self.acme?.retry()
            })
    }

    /// The first signal asks, the second insists.
    private func asked(by signal: Signal) {
        self.journal.notice(.signalled, "a signal arrived", [.signal: .integer(signal.number)])
        if self.isDraining { self.end() } else { self.drain() }
    }
}

// MARK: - The way out

extension ServiceLifecycle {
    func drain() {
        guard !self.isDraining else { return }
        self.isDraining = true
        self.dependencies.health.stopping()
        self.configuration.manager.tell(.stopping)
        for listener in self.listeners { listener.close() }
        self.journal.notice(
            .draining, "draining: no new connections, open ones may finish",
            [
                .count: .integer(self.dependencies.metrics.connections.value),
                .duration: .duration(self.configuration.drainTimeout),
            ])
        self.turn?.drain()
        let time = self.configuration.drainTimeout
        let deadline = self.reactor.now &+ time.wholeMilliseconds
        self.dependencies.signalling.drain(on: self.reactor, within: time * Self.departure) { [unowned self] in
            self.dependencies.server.drain()
            self.awaitDrained(until: deadline)
        }
    }

    private func awaitDrained(until deadline: UInt64) {
        let left = self.dependencies.metrics.connections.value
        if left == 0 || self.reactor.now >= deadline { return self.end() }
        self.reactor.schedule(after: Self.drainPoll) { [unowned self] in self.awaitDrained(until: deadline) }
    }

    private func end() {
        let left = self.dependencies.metrics.connections.value
        if left > 0 {
            self.journal.warning(
                .cutOff, "drain timeout: the remaining connections were closed", [.count: .integer(left)])
        }
        self.journal.notice(.ended, "the service has ended")
        self.dependencies.group.close()
    }
}

extension LogKey {
    static let loops = LogKey("loops")
}

extension LogName {
    static let serving = LogName("serve.ready")
    static let portBlocked = LogName("serve.port_blocked")
    static let stunReady = LogName("stun.ready")
    static let stunMissing = LogName("stun.missing")
    static let signalled = LogName("serve.signal")
    static let draining = LogName("serve.draining")
    static let cutOff = LogName("serve.cut_off")
    static let ended = LogName("serve.ended")
}

extension LogKey {
    static let admin = LogKey("admin")
    static let addresses = LogKey("addresses")
}
