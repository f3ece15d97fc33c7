internal import System
internal import HTTPServer
internal import Journal
internal import Reactor
internal import Vocabulary

/// Opens the listeners, watches for the signals that end the service, and drains its connections. Lives on the first loop.
final class ServiceLifecycle {
    struct Dependencies: Sendable {
        let group: EventLoopGroup
        let server: HTTPServer
        let adminServer: HTTPServer
        let signalling: Signalling
        let health: Health
        let metrics: HTTPMetrics
        let configuration: ServiceConfiguration
        let journal: Journal
    }

    private let reactor: Reactor
    private let dependencies: Dependencies
    private var journal: Journal { self.dependencies.journal }
    private var configuration: ServiceConfiguration { self.dependencies.configuration }

    private var listener: TCPListener?
    private var certificates: CertificateKeeper?
    private var stun: UDPSocket?
    private var signals: [SignalWatch] = []
    private var isDraining = false

    private static let drainPoll = Duration.milliseconds(20)

    init(_ dependencies: Dependencies, on reactor: Reactor) {
        self.dependencies = dependencies
        self.reactor = reactor
    }

    func open() throws(ReactorError) -> ParleyService.Addresses {
        let admin = try self.dependencies.adminServer.listen(on: self.configuration.admin, self.reactor)
        let listener = try self.dependencies.server.listen(on: self.configuration.listen, self.reactor)
        self.listener = listener
        self.openSTUN(beside: listener.address)
        try self.watchSignals()
        self.keepCertificates()
        self.dependencies.health.started()
        self.journal.notice(
            .serving, "the service is ready",
            [
                .address: .plain(listener.address), .admin: .plain(admin.address),
                .loops: .integer(self.dependencies.group.loops.count),
            ])
        return ParleyService.Addresses(listen: listener.address, admin: admin.address)
    }

    /// The server runs without STUN when another program has the port.
    private func openSTUN(beside listener: SocketAddress) {
        guard let wanted = self.configuration.stunAddress(beside: listener) else { return }
        do throws(ReactorError) {
            let socket = try UDPSocket(on: wanted, reactor: self.reactor)
            socket.start(STUNService())
            self.stun = socket
            self.dependencies.signalling.offerSTUN(on: socket.address.port, self.reactor)
            self.journal.info(.stunReady, "the STUN service is ready", [.address: .plain(socket.address)])
        } catch {
            self.journal.warning(
                .stunMissing, "no STUN service: its port cannot be opened; choose another with --stun",
                [.error: .error(error)])
        }
    }

    private func keepCertificates() {
        guard case .files(let certificate, let key) = self.configuration.tls else { return }
        self.certificates = CertificateKeeper(
            certificate: certificate, key: key, on: self.reactor, journal: self.journal,
            use: self.dependencies.server.use)
    }

    private func watchSignals() throws(ReactorError) {
        for signal in [Signal.terminate, .interrupt] {
            self.signals.append(try SignalWatch(signal, on: self.reactor) { [unowned self] in self.asked(by: signal) })
        }
        self.signals.append(
            try SignalWatch(.hangUp, on: self.reactor) { [unowned self] in self.certificates?.reload() })
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
        self.listener?.close()
        self.journal.notice(
            .draining, "draining: no new connections, open ones may finish",
            [
                .count: .integer(self.dependencies.metrics.connections.value),
                .duration: .duration(self.configuration.drainTimeout),
            ])
        self.dependencies.signalling.drain()
        self.dependencies.server.drain()
        self.awaitDrained(until: self.reactor.now &+ self.configuration.drainTimeout.wholeMilliseconds)
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
        self.dependencies.group.execute { $0.shutDown() }
    }
}

extension LogKey {
    static let loops = LogKey("loops")
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
