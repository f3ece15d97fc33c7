internal import Client
internal import Calling
internal import Clustering
internal import Conversing
internal import HTTPServer
internal import ICEServers
internal import Identity
internal import Journal
internal import Operations
internal import Reactor
internal import Secure
internal import SocketServer
internal import Keeping
internal import Switchboard
internal import System
internal import Vocabulary
internal import Web

/// Everything that people who ring each other need: accounts, sockets, rooms and calls, put together.
final class Signalling: Sendable {
    private let accounts: Accounts
    private let secret: ServerSecret
    let store: any Store
    private let files: FileService
    let words: WordKeeper
    private let doors: [any Door]
    /// The first of the loops on which sessions live; what only one does is done there.
    let home: EventLoop
    private let homes: [EventLoop]
    /// What the loops on which sessions live are called.
    let nodes: [RandomToken]
    private let applications: LoopLocal<SignallingApplication>
    private let sockets: SocketServer
    private let metrics: ServiceMetrics
    private let hasOutbox: Bool
    /// By which push services know this server; nil where no device is woken.
    let pushKey: String?
    private let accessJournal: Journal?
    private let openID: (settings: OpenIDSettings, routes: OpenIDRoutes)?

    /// Waits for the store, so it is made before the doors open.
    init(
        _ configuration: ServiceConfiguration, _ group: EventLoopGroup, _ metrics: ServiceMetrics, _ health: Health,
        journal: Journal
    ) throws {
        (self.metrics, self.hasOutbox) = (metrics, configuration.hooks.webhook != nil)
        self.accessJournal = configuration.http.logsRequests ? journal : nil
        // Before the store, which makes the database where there is none.
        let secret = try configuration.serverSecret()
        let node = configuration.store == nil ? nil : try configuration.data.node()
        let homes = Array(group.loops.prefix(configuration.signallingLoops))
        let others = OtherNodes(configuration.store, homes, of: group, place: node ?? "", secret, metrics)
        let store = try StoreEngine.open(configuration, metrics.store) { health.heard($0, journal) }
        let accounts = try Accounts(
            store: store, secret: secret, applications: try configuration.makeApplications(),
            settings: configuration.accountSettings, journal: journal)
        let files = try FileService(
            accounts, store, in: configuration.data.path, linkKey: secret.key(for: "links to files"),
            configuration.files, requests: configuration.switchboard.requests, as: others.tag, journal
        ) { configuration.makeBlobs($0, $1, on: group, health, journal) }
        let iceServers = try ICEServerKeeper.Reading(
            path: configuration.iceServerFile, environment: configuration.environment,
            isRequired: configuration.iceServers != nil)
        let words = try WordKeeper(store)
        let doors = configuration.doors.makeDoors()
        let pushKey = try configuration.push.key(secret)
        self.pushKey = pushKey?.publicText
        let dependencies = SignallingApplication.Dependencies(
            group: group, configuration: configuration, accounts: accounts, store: store,
            node: node, others: others, calls: try store.waitForAnswer(to: ListCallsUnderWay(of: node)),
            files: files, iceServers: iceServers, doors: doors, words: words, pushKey: pushKey,
            metrics: metrics, journal: journal)
        let applications = Self.applications(dependencies, home: homes[0])
        self.openID = configuration.openIDFetcher(on: group.loops[0]).map { settings, fetcher in
            let provider = OpenIDProvider(settings, fetcher)
            return (settings, OpenIDRoutes(accounts, provider, words.filter, secret, on: others.tag, journal))
        }
        (self.store, self.words, self.files, self.doors) = (store, words, files, doors)
        (self.accounts, self.applications, self.secret) = (accounts, applications, secret)
        (self.home, self.homes) = (homes[0], homes)
        self.sockets = SocketServer(group, configuration.sockets(as: others.names, metrics), journal: journal) {
            applications.value(on: $0)
        }
        self.nodes = others.names
        self.begin()
    }

    /// One on each loop. Doors hear on the home loop of what is written on the others.
    private static func applications(
        _ dependencies: SignallingApplication.Dependencies, home: EventLoop
    ) -> LoopLocal<SignallingApplication> {
        LoopLocal(dependencies.group) { reactor, all in
            weak let all = all
            return SignallingApplication(dependencies, on: reactor) { outcome in
                home.execute { all?.value(on: $0).heard(outcome) }
            }
        }
    }

    private func begin() {
        let (applications, home, homes) = (self.applications, self.home, self.homes)
        for loop in homes { loop.execute { applications.value(on: $0).deliverWhatIsLeft() } }
        home.execute { [sockets] reactor in
            applications.value(on: reactor).nodes.errands.add(end: { sockets.sendOldClientsAway(on: home) })
        }
        self.accounts.observe { change in
            for loop in homes { loop.execute { applications.value(on: $0).identityChanged(change) } }
        }
        self.accounts.publishAttempts { news in home.execute { applications.value(on: $0).nodes.publish(news) } }
        self.words.publish { home.execute { applications.value(on: $0).nodes.publishWords() } }
        self.accounts.publish { change in home.execute { applications.value(on: $0).nodes.publish(change) } }
    }

    func addRoutes(to router: inout Router) {
        for method in [HTTPMethod.get, .post] {
            router.on(method, "/socket.io", foreignPages: .refusedBy(SocketServer.refusePage)) { exchange, _ in
                self.sockets.respond(to: exchange)
            }
        }
        router.on(.get, NodeLinkRoute.path) { exchange, _ in self.link(exchange) }
        AuthRoutes(
            accounts: self.accounts, filter: self.words.filter, journal: self.accessJournal,
            openID: self.openID?.settings
        ) { self.deleted($0) }
        .add(to: &router)
        self.openID?.routes.add(to: &router) { self.forward($0, to: $1, orElse: $2) }
        let api = APIRoutes(accounts: self.accounts, home: self.home)
        api.add(to: &router) { self.application(on: $0).api }
        if self.pushKey != nil { self.addPush(to: &router, api) }
        FileRoutes(desk: self.files).add(to: &router)
        UploadRoutes(desk: self.files, home: self.home) { exchange, upload in
            let limit = self.files.settings.maximumBytes
            return self.application(on: exchange.reactor).nodes.uploads?.forward(exchange, of: upload, limit: limit)
                ?? false
        }
        .add(to: &router)
        let site = DoorSite(accounts: self.accounts, files: self.files, secret: self.secret, home: self.home) {
            reactor in
            self.application(on: reactor).doorDependencies
        }
        for door in self.doors { door.addRoutes(to: &router, site) }
    }

    /// The application of this loop, with everything that happened on the others.
    private func application(on reactor: Reactor) -> SignallingApplication {
        let application = self.applications.value(on: reactor)
        application.nodes.catchUp()
        return application
    }

    /// False when the session is no other node's.
    func forward(_ exchange: HTTPExchange, of session: SessionID) -> Bool {
        self.application(on: exchange.reactor).forward(exchange, of: session)
    }

    /// False when what has this name is on no other node that is there.
    private func forward(
        _ exchange: HTTPExchange, to name: RandomToken, orElse refuse: @escaping (HTTPExchange) -> Void
    ) -> Bool {
        guard exchange.reactor.loop === self.home else {
            exchange.move(to: self.home)
            return true
        }
        return self.application(on: exchange.reactor).nodes.forwarder?.forward(exchange, to: name, orElse: refuse)
            ?? false
    }

    /// Another node wants a connection to one of this process.
    private func link(_ exchange: HTTPExchange) {
        guard let target = NodeLinkRoute.target(of: exchange.request), let place = self.nodes.firstIndex(of: target)
        else { return exchange.respond(.error(.notFound, "not found")) }
        guard exchange.reactor.loop === self.homes[place] else { return exchange.move(to: self.homes[place]) }
        self.applications.value(on: exchange.reactor).nodes.accept(exchange)
    }

    private func addPush(to router: inout Router, _ api: APIRoutes) {
        PushRoutes(home: self.home, api: api).add(to: &router) { reactor in
            let application = self.application(on: reactor)
            return application.push.map { (application.api, $0) }
        }
    }

    /// From now on clients are told of the servers that this one is itself.
    func offer(_ builtIn: BuiltInICEServers) {
        let applications = self.applications
        for loop in self.homes { loop.execute { applications.value(on: $0).native.offer(builtIn) } }
    }

    /// Where the other nodes find this one, and what an operator may ask of it from there: `onDrain` is called on any loop.
    func joinNodes(at listener: SocketAddress?, or url: ServerURL?, onDrain: @escaping @Sendable () -> Void) {
        let applications = self.applications
        for loop in self.homes {
            loop.execute { reactor in
                let application = applications.value(on: reactor)
                if let url {
                    application.nodes.isFound(at: url)
                } else if let listener {
                    application.nodes.isFound(at: listener)
                }
                application.board.onDrain = onDrain
            }
        }
    }

    /// False when there is no other node of this name. On the home loop only.
    func drain(_ node: RandomToken, on reactor: Reactor) -> Bool {
        self.applications.value(on: reactor).nodes.drain(node)
    }

    /// - Parameter body: is told who was signed out, on any thread.
    func observeIdentities(_ body: @escaping @Sendable (IdentityChange) -> Void) { self.accounts.observe(body) }

    /// Clients are sent to other nodes where there are any; then all that are left hear that the server goes, calls first.
    ///
    /// On the home loop only.
    func drain(on reactor: Reactor, within time: Duration, _ done: @escaping () -> Void) {
        let all = Countdown(self.homes.count, done)
        for loop in self.homes {
            let ended = reactor.returning { (_: Bool) in all.count() }
            loop.execute { self.drain(loop, $0, within: time, ended) }
        }
    }

    private func drain(
        _ loop: EventLoop, _ reactor: Reactor, within time: Duration, _ ended: @escaping @Sendable (Bool) -> Void
    ) {
        let application = self.applications.value(on: reactor)
        application.depart(within: time) {
            application.stop { ended(true) }
            self.sockets.drain(on: loop)
        }
    }

    /// On the home loop only.
    func view(on reactor: Reactor) -> SignallingView { self.application(on: reactor).view }

    /// Brings what there is just now into the metrics. On the home loop only; `done` may come later.
    func measure(on reactor: Reactor, then done: @escaping () -> Void) {
        self.measureQueues(on: reactor) { [unowned self] bytes, newcomers in
            let application = self.applications.value(on: reactor)
            self.metrics.set(application.levels(queuedBytes: bytes, newcomers: newcomers))
            self.measureOutbox(on: reactor, then: done)
        }
    }

    private func measureQueues(on reactor: Reactor, then done: @escaping (Int, Int) -> Void) {
        var (sum, newcomers) = (0, 0)
        let all = Countdown(self.homes.count) { done(sum, newcomers) }
        let applications = self.applications
        for loop in self.homes {
            let measured = reactor.returning { (levels: (bytes: Int, newcomers: Int)) in
                sum += levels.bytes
                newcomers += levels.newcomers
                all.count()
            }
            loop.execute {
                let application = applications.value(on: $0)
                measured((application.queuedBytes, application.newcomers))
            }
        }
    }

    private func measureOutbox(on reactor: Reactor, then done: @escaping () -> Void) {
        guard self.hasOutbox else { return done() }
        let metrics = self.metrics
        let either = Countdown(1, done)
        let timeout = reactor.schedule(after: Self.measuringTimeout) { either.count() }
        self.store.send(
            ViewOutbox(limit: 0),
            reactor.returning { result in
                if case .success(let view) = result { metrics.set(view) }
                reactor.cancel(timeout)
                either.count()
            })
    }

    /// Whoever asks for metrics while the database is away has those of before.
    private static let measuringTimeout = Duration.seconds(1)

    /// There may be something to deliver.
    func wakeWebhooks() { self.home.execute { self.applications.value(on: $0).webhooks?.wake() } }

    /// Signs a user out everywhere. False when the store did not take it.
    func kick(_ user: UserID) async -> Bool {
        do throws(IdentityRefusal) {
            try await self.accounts.revokeAll(of: user)
            return true
        } catch {
            return false
        }
    }

    func ban(_ user: UserID, for duration: Duration) async -> Bool {
        do throws(IdentityRefusal) {
            try await self.accounts.ban(user, until: SystemClock.now() + duration)
            return true
        } catch {
            return false
        }
    }

    func unban(_ user: UserID) async -> Bool {
        do throws(IdentityRefusal) {
            try await self.accounts.unban(user)
            return true
        } catch {
            return false
        }
    }

    /// Nil when the store did not take it, false for a user nobody knows.
    func delete(_ user: UserID) async -> Bool? {
        do throws(IdentityRefusal) {
            guard let changed = try await self.accounts.delete(user) else { return false }
            self.deleted(changed)
            return true
        } catch {
            return nil
        }
    }

    private func deleted(_ changed: ChangedProfile) {
        let applications = self.applications
        self.home.execute { applications.value(on: $0).deleted(changed) }
    }

    /// What an operator does in a conversation. Nil when it is done, or why it is not.
    func moderate(_ change: ConversationChange, in conversation: ConversationID) async -> RequestError? {
        var request = ChangeRequest(.id(conversation), change, by: Self.speaker, at: SystemClock.now())
        request.isByOperator = true
        let (applications, home, asked) = (self.applications, self.home, request)
        return await withCheckedContinuation { (continuation: CheckedContinuation<RequestError?, Never>) in
            home.execute { reactor in
                applications.value(on: reactor).doorDependencies.chat.change(asked, isByServer: true) { result in
                    switch result {
                    case .success: continuation.resume(returning: nil)
                    case .failure(let error): continuation.resume(returning: error)
                    }
                }
            }
        }
    }

    /// What is asked of those who come into a room from now on. Nil when it is done, or why it is not.
    func protect(_ room: RoomName, _ key: RoomKey) async -> RequestError? {
        let (applications, home) = (self.applications, self.home)
        return await withCheckedContinuation { (continuation: CheckedContinuation<RequestError?, Never>) in
            home.execute { applications.value(on: $0).protect(room, key) { continuation.resume(returning: $0) } }
        }
    }

    /// Sends a user out of a room. Nil when it is done, or why it is not.
    func remove(_ user: UserID, from room: RoomName, isBanned: Bool) async -> RequestError? {
        let (applications, home) = (self.applications, self.home)
        return await withCheckedContinuation { (continuation: CheckedContinuation<RequestError?, Never>) in
            home.execute {
                applications.value(on: $0).remove(user, from: room, isBanned: isBanned) {
                    continuation.resume(returning: $0)
                }
            }
        }
    }

    /// Sends a push to all devices of a user. Nil when the store did not take it, or where no device is woken.
    func testPushes(_ user: UserID) async -> PushService.Test? {
        let (applications, home) = (self.applications, self.home)
        return await withCheckedContinuation { (continuation: CheckedContinuation<PushService.Test?, Never>) in
            home.execute { reactor in
                guard let service = applications.value(on: reactor).push?.service else {
                    return continuation.resume(returning: nil)
                }
                service.test(user) { continuation.resume(returning: try? $0.get()) }
            }
        }
    }

    /// In whose name the operators act in conversations.
    static let speaker = ChatService.speaker

    /// Once nothing moves any more.
    func close() { self.store.close() }
}

extension ServiceConfiguration {
    fileprivate func sockets(as nodes: [RandomToken], _ metrics: ServiceMetrics) -> SocketServerSettings {
        var settings = SocketServerSettings()
        settings.nodes = nodes
        settings.link.engine = self.engine
        settings.legacyLink = self.doors.legacyLink
        settings.arrivals = self.arrivals
        settings.maximumArrivalWait = self.maximumArrivalWait
        settings.onPutOff = { metrics.putOff.increment() }
        return settings
    }

    /// What was given, or what is kept in the data directory from the first start on.
    fileprivate func serverSecret() throws -> ServerSecret {
        if let secret = self.secret { return try ServerSecret(secret) }
        return try ServerSecret.ofDirectory(self.data.path, isFirst: !self.data.hasDatabase)
    }

    func makeApplications() throws -> [Application] {
        try self.applications.map { key in
            var application =
                switch key.material {
                case .secret(let secret): try Application(id: key.id, secret: secret)
                case .publicKey(let bytes): Application(id: key.id, publicKey: try Ed25519Key(publicKey: bytes))
                case .publicPoint(let bytes): Application(id: key.id, publicKey: try P256Key(publicPoint: bytes))
                }
            application.realm.prefix = self.applicationPrefixes[key.id] ?? ""
            application.realm.reserved =
                DoorList.reservedUsers + [Signalling.speaker.text] + (self.openID == nil ? [] : [ProviderUser.prefix])
            return application
        }
    }
}

extension PushSettings {
    /// Nil where nobody is woken.
    fileprivate func key(_ secret: ServerSecret) throws(SecureError) -> VAPIDKey? {
        guard self.isOn else { return nil }
        return try VAPIDKey(derivedFrom: secret.key(for: "push"), contact: self.contact)
    }
}

/// Calls something once so many have ended.
private final class Countdown {
    private var left: Int
    private let done: () -> Void

    init(_ count: Int, _ done: @escaping () -> Void) { (self.left, self.done) = (count, done) }

    func count() {
        self.left -= 1
        if self.left == 0 { self.done() }
    }
}
