internal import Calling
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
internal import Vocabulary
internal import Web

/// Everything that people who ring each other need: accounts, sockets, rooms and calls, put together.
final class Signalling: Sendable {
    private let accounts: Accounts
    let store: any Store
    private let files: FileService
    private let doors: [any Door]
    let home: EventLoop
    private let applications: LoopLocal<SignallingApplication>
    private let sockets: SocketServer

    /// Waits for the store, so it is made before the doors open.
    init(_ configuration: ServiceConfiguration, _ group: EventLoopGroup, journal: Journal) throws {
        let store = try StoreEngine.open(configuration)
        let accounts = try Accounts(
            store: store, secret: try configuration.serverSecret(), applications: try configuration.makeApplications(),
            settings: configuration.accounts, journal: journal)
        let files = try FileService(
            accounts, store, in: configuration.data.path,
            linkKey: try configuration.serverSecret().key(for: "links to files"), configuration.files,
            requests: configuration.switchboard.requests, journal)
        let iceServers = try ICEServerKeeper.Reading(
            path: configuration.iceServerFile, environment: configuration.environment,
            isRequired: configuration.iceServers != nil)
        let doors = configuration.doors.makeDoors()
        let dependencies = SignallingApplication.Dependencies(
            configuration: configuration, accounts: accounts, store: store, files: files, iceServers: iceServers,
            doors: doors, journal: journal)
        let applications = LoopLocal<SignallingApplication>(group) { SignallingApplication(dependencies, on: $0) }
        self.store = store
        self.files = files
        self.doors = doors
        self.accounts = accounts
        self.home = group.loops[0]
        self.applications = applications
        self.sockets = SocketServer(group, configuration.sockets, journal: journal) {
            applications.value(on: $0)
        }
        let home = self.home
        // What the last run did not deliver.
        home.execute { applications.value(on: $0).webhooks?.wake() }
        accounts.observe { change in home.execute { applications.value(on: $0).identityChanged(change) } }
    }

    func addRoutes(to router: inout Router) {
        for method in [HTTPMethod.get, .post] {
            router.on(method, "/socket.io", foreignPages: .refusedBy(SocketServer.refusePage)) { exchange, _ in
                self.sockets.respond(to: exchange)
            }
        }
        AuthRoutes(accounts: self.accounts) { self.deleted($0) }.add(to: &router)
        APIRoutes(accounts: self.accounts, home: self.home).add(to: &router) { reactor in
            self.applications.value(on: reactor).api
        }
        FileRoutes(desk: self.files).add(to: &router)
        UploadRoutes(desk: self.files).add(to: &router)
        let site = DoorSite(accounts: self.accounts, files: self.files, home: self.home) { reactor in
            self.applications.value(on: reactor).doorDependencies
        }
        for door in self.doors { door.addRoutes(to: &router, site) }
    }

    /// From now on clients are told of the STUN service beside the server. On the home loop only.
    func offerSTUN(on port: UInt16, _ reactor: Reactor) {
        self.applications.value(on: reactor).native.offerSTUN(on: port)
    }

    /// All clients hear that the server goes, calls first.
    func drain() {
        self.home.execute { self.applications.value(on: $0).stop() }
        self.sockets.drain()
    }

    /// On the home loop only.
    func view(on reactor: Reactor) -> SignallingView { self.applications.value(on: reactor).view }

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

    /// In whose name the operators act in conversations.
    static let speaker = UserID("parley:operator") ?? { preconditionFailure("no user id") }()

    /// Once nothing moves any more.
    func close() { self.store.close() }
}

extension ServiceConfiguration {
    fileprivate var sockets: SocketServerSettings {
        var settings = SocketServerSettings()
        settings.link.engine = self.engine
        settings.legacyLink = self.doors.legacyLink
        settings.arrivals = self.arrivals
        return settings
    }

    /// What was given, or what is kept in the data directory from the first start on.
    fileprivate func serverSecret() throws -> ServerSecret {
        if let secret = self.secret { return try ServerSecret(secret) }
        return try ServerSecret.ofDirectory(self.data.path)
    }

    fileprivate func makeApplications() throws -> [Application] {
        try self.applications.map { key in
            var application =
                switch key.material {
                case .secret(let secret): try Application(id: key.id, secret: secret)
                case .publicKey(let bytes): Application(id: key.id, publicKey: try Ed25519Key(publicKey: bytes))
                }
            application.realm.prefix = self.applicationPrefixes[key.id] ?? ""
            application.realm.reserved = DoorList.reservedUsers + [Signalling.speaker.text]
            return application
        }
    }
}
