internal import HTTPServer
internal import Journal
internal import Reactor
internal import Vocabulary

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Opens the doors, listens for the signals that close them, and sees everybody out. Lives on the first loop.
final class Doorkeeper {
    private let reactor: Reactor
    private let group: EventLoopGroup
    private let server: HTTPServer
    private let adminServer: HTTPServer
    private let signalling: Signalling
    private let health: Health
    private let metrics: HTTPMetrics
    private let configuration: ServiceConfiguration
    private let journal: Journal

    private var listener: TCPListener?
    private var certificates: CertificateKeeper?
    private var stun: UDPSocket?
    private var signals: [SignalWatch] = []
    private var isDraining = false

    private static let lookEvery = Duration.milliseconds(20)

    init(
        _ reactor: Reactor, _ group: EventLoopGroup, _ server: HTTPServer, _ adminServer: HTTPServer,
        _ signalling: Signalling, _ health: Health, _ metrics: HTTPMetrics, _ configuration: ServiceConfiguration,
        _ journal: Journal
    ) {
        self.reactor = reactor
        self.group = group
        self.server = server
        self.adminServer = adminServer
        self.signalling = signalling
        self.health = health
        self.metrics = metrics
        self.configuration = configuration
        self.journal = journal
    }

    func open() throws(ReactorError) -> ParleyService.Addresses {
        let admin = try self.adminServer.listen(on: self.configuration.admin, self.reactor)
        let listener = try self.server.listen(on: self.configuration.listen, self.reactor)
        self.listener = listener
        self.openSTUN(beside: listener.address)
        try self.watchSignals()
        self.keepCertificates()
        self.health.started()
        self.journal.notice(
            .serving, "the service is ready",
            [
                .address: .plain(listener.address), .admin: .plain(admin.address),
                .count: .integer(self.group.loops.count),
            ])
        return ParleyService.Addresses(listen: listener.address, admin: admin.address)
    }

    /// Nobody has to do without the server because another program has the port of STUN.
    private func openSTUN(beside listener: SocketAddress) {
        guard let wanted = self.configuration.stunAddress(beside: listener) else { return }
        do throws(ReactorError) {
            let socket = try UDPSocket(on: wanted, reactor: self.reactor)
            socket.start(STUNService())
            self.stun = socket
            self.signalling.offerSTUN(on: socket.address.port, self.reactor)
            self.journal.info(.stunReady, "the STUN service is ready", [.address: .plain(socket.address)])
        } catch {
            self.journal.warning(
                .stunMissing, "there is no STUN service; choose another port with --stun", [.error: .error(error)])
        }
    }

    private func keepCertificates() {
        guard case .files(let certificate, let key) = self.configuration.tls else { return }
        self.certificates = CertificateKeeper(
            certificate: certificate, key: key, on: self.reactor, self.journal, use: self.server.use)
    }

    private func watchSignals() throws(ReactorError) {
        for signal in [SIGTERM, SIGINT] {
            self.signals.append(try SignalWatch(signal, on: self.reactor) { [unowned self] in self.asked(by: signal) })
        }
        self.signals.append(try SignalWatch(SIGHUP, on: self.reactor) { [unowned self] in self.certificates?.reload() })
    }

    /// The first signal asks, the second insists.
    private func asked(by signal: Int32) {
        self.journal.notice(.signalled, "a signal arrived", [.signal: .integer(signal)])
        if self.isDraining { self.end() } else { self.drain() }
    }
}

// MARK: - The way out

extension Doorkeeper {
    func drain() {
        guard !self.isDraining else { return }
        self.isDraining = true
        self.health.stopping()
        self.listener?.close()
        self.journal.notice(
            .draining, "no new connections; what is under way may finish",
            [.count: .integer(self.metrics.connections.value), .duration: .duration(self.configuration.drainTimeout)])
        self.signalling.drain()
        self.server.drain()
        self.watchThemLeave(until: self.reactor.now &+ self.configuration.drainTimeout.wholeMilliseconds)
    }

    private func watchThemLeave(until deadline: UInt64) {
        let left = self.metrics.connections.value
        if left == 0 || self.reactor.now >= deadline { return self.end() }
        self.reactor.schedule(after: Self.lookEvery) { [unowned self] in self.watchThemLeave(until: deadline) }
    }

    private func end() {
        let left = self.metrics.connections.value
        if left > 0 {
            self.journal.warning(.cutOff, "connections were cut at the deadline", [.count: .integer(left)])
        }
        self.journal.notice(.ended, "the service has ended")
        self.group.execute { $0.shutDown() }
    }
}

extension LogName {
    static let serving = LogName("serve.ready")
    static let stunReady = LogName("stun.ready")
    static let stunMissing = LogName("stun.missing")
    static let signalled = LogName("serve.signal")
    static let draining = LogName("serve.draining")
    static let cutOff = LogName("serve.cut_off")
    static let ended = LogName("serve.ended")
}

extension LogKey {
    static let admin = LogKey("admin")
}
