internal import HTTPServer
package import Journal
internal import System
internal import Reactor
internal import Secure
internal import Sessions
internal import SocketServer
package import Vocabulary

/// The service put together: loops, listeners, health, and an orderly end.
///
///     start() ──▶ ready ──SIGTERM / stop()──▶ draining ──all gone / deadline──▶ ended
package final class ParleyService: Sendable {
    package let configuration: ServiceConfiguration
    package let registry = MetricsRegistry()
    package let health = Health()
    private let journal: Journal
    /// Held for as long as the service is there.
    private let lock: FileHandle
    private let group: EventLoopGroup
    private let server: HTTPServer
    private let adminServer: HTTPServer
    private let signalling: Signalling
    private let lifecycle: LoopLocal<ServiceLifecycle>

    /// Where the service can be reached once it has started.
    package struct Addresses: Hashable, Sendable {
        /// Where clients come, in the order of the configuration.
        package let all: [SocketAddress]
        package let admin: SocketAddress

        /// The one that people are told.
        package var listen: SocketAddress { self.all.first ?? SocketAddress(.loopback, port: 0) }
    }

    package init(_ configuration: ServiceConfiguration, journal: Journal) throws {
        self.configuration = configuration
        self.journal = journal
        // What can be wrong with the configuration comes first, while nothing has to be taken back.
        let files = try Self.makeTLS(configuration.tls)
        try configuration.data.create()
        self.lock = try configuration.data.lock()
        let tls = try files ?? Self.makeKept(configuration)
        self.group = try EventLoopGroup(count: configuration.loops, hasBackground: true)
        do {
            self.signalling = try Signalling(
                configuration, self.group, ServiceMetrics(self.registry), self.health, journal: journal)
        } catch {
            self.group.shutDown()
            throw error
        }
        let metrics = HTTPMetrics(self.registry)
        ProcessMetrics.register(in: self.registry)
        Self.require(roomIn: configuration.data, for: self.health)
        let test = Self.makeTestEndpoints(configuration, self.group, self.signalling, journal)
        let routes = PublicRoutes(configuration, self.signalling, test)
        self.server = HTTPServer(
            self.group, settings: configuration.effectiveHTTP, metrics: metrics, journal: journal,
            tls: tls
        ) { routes.makeResponder($0) }
        let admin = AdminRoutes(
            health: self.health, registry: self.registry, signalling: self.signalling,
            gate: AdminGate(names: configuration.adminNames, token: configuration.adminToken))
        self.adminServer = HTTPServer(
            self.group, metrics: HTTPMetrics(MetricsRegistry()), journal: journal
        ) { admin.makeResponder($0) }
        let dependencies = ServiceLifecycle.Dependencies(
            group: self.group, server: self.server, adminServer: self.adminServer, signalling: self.signalling,
            health: self.health, metrics: metrics, registry: self.registry, configuration: configuration,
            journal: journal)
        let home = self.group.loops[0]
        self.lifecycle = LoopLocal(group) { reactor, all in
            weak let all = all
            return ServiceLifecycle(dependencies, on: reactor) { home.execute { all?.value(on: $0).drain() } }
        }
    }

    private static func makeTestEndpoints(
        _ configuration: ServiceConfiguration, _ group: EventLoopGroup, _ signalling: Signalling, _ journal: Journal
    ) -> TestEndpoints? {
        guard configuration.exposesTestEndpoints else { return nil }
        var settings = Self.socketSettings(configuration)
        settings.nodes = signalling.nodes
        return TestEndpoints(group, settings, servesSuites: configuration.servesConformance, journal: journal) {
            signalling.forward($0, of: $1)
        }
    }

    private static func require(roomIn data: DataDirectory, for health: Health) {
        health.require { [path = data.path] in
            let isFull = FileSystem.freeBytes(at: path).map { $0 <= DiskReserve.bytes } ?? false
            return isFull ? "the disk is full: messages are refused" : nil
        }
    }

    private static func socketSettings(_ configuration: ServiceConfiguration) -> SocketServerSettings {
        var settings = SocketServerSettings()
        settings.link.engine = configuration.engine
        var legacy = configuration.doors.legacyLink ?? .legacy()
        // Suites tell both versions the same heartbeat.
        legacy.engine = EngineSettings(
            pingInterval: configuration.engine.pingInterval, pingTimeout: configuration.engine.pingTimeout,
            maxPayload: legacy.engine.maxPayload)
        settings.legacyLink = legacy
        return settings
    }

    private static func makeTLS(_ tls: ServiceConfiguration.TLS) throws -> TLSContext? {
        switch tls {
        case .off: nil
        case .files(let certificate, let key): try TLSContext(certificateFile: certificate, keyFile: key)
        case .selfSigned, .acme: nil
        }
    }

    /// With a certificate from the data directory.
    private static func makeKept(_ configuration: ServiceConfiguration) throws(SecureError) -> TLSContext? {
        switch configuration.tls {
        case .off, .files: return nil
        case .selfSigned:
            let certificate = SelfSignedCertificate(in: configuration.data, listen: configuration.listen)
            return try TLSContext(try certificate.current().identity)
        case .acme(let settings):
            return try ACMEKeeper.firstContext(settings, ACMEFiles(in: configuration.data))
        }
    }

    /// Opens the listeners and waits until they are open, or throws why they are not.
    package func start() throws -> Addresses {
        self.raiseDescriptorLimit()
        let outcome = Locked<Result<Addresses, ReactorError>?>(nil)
        let done = Gate()
        self.group.loops[0].execute { reactor in
            let result = Result { () throws(ReactorError) in try self.lifecycle.value(on: reactor).open() }
            outcome.withLock { $0 = result }
            done.open()
        }
        done.wait()
        guard let result = outcome.withLock({ $0 }) else { preconditionFailure("the loop did not answer") }
        do {
            return try result.get()
        } catch {
            self.group.shutDown()
            throw error
        }
    }

    private func raiseDescriptorLimit() {
        let limit = CurrentProcess.raiseDescriptorLimit()
        self.journal.debug(.descriptorLimit, "limit of open file descriptors", [.count: .integer(limit)])
    }

    /// Waits until the service has ended.
    package func waitUntilEnded() {
        self.group.join()
        self.signalling.close()
    }

    /// Ends the service in an orderly way, as SIGTERM does.
    package func stop() {
        self.group.loops[0].execute { self.lifecycle.value(on: $0).drain() }
    }
}

extension LogName {
    static let descriptorLimit = LogName("serve.descriptor_limit")
}
