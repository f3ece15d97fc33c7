import Client
import Journal
import Reactor
import Service
import TestSupport
import Testing
import Vocabulary

/// A server in this process, a loop for clients, and people who sign in.
final class Stage {
    private let folder: TemporaryFolder
    private let group: EventLoopGroup
    private var service: ParleyService?
    private var configuration = ServiceConfiguration()
    private(set) var address: SocketAddress
    let isEncrypted: Bool

    init(isEncrypted: Bool = false, _ configure: (inout ServiceConfiguration) -> Void = { _ in }) throws {
        self.folder = try TemporaryFolder()
        self.group = try EventLoopGroup(count: 1)
        self.isEncrypted = isEncrypted
        self.address = SocketAddress(.loopback, port: 0)
        try self.folder.folder("data")
        self.configuration.listen = [self.address]
        self.configuration.admin = self.address
        self.configuration.data = DataDirectory("\(self.folder.path)/data")
        self.configuration.loops = 2
        self.configuration.stun = .off
        self.configuration.drainTimeout = .seconds(1)
        if isEncrypted { self.configuration.tls = .selfSigned }
        configure(&self.configuration)
        try self.startServer()
    }

    deinit {
        self.stopServer()
        self.group.shutDown()
    }

    var loop: EventLoop { self.group.loops[0] }
    var server: ServerURL {
        var server = ServerURL(self.address, isEncrypted: self.isEncrypted)
        server.trustsAnybody = true
        return server
    }

    /// The first time anywhere, later at the same place.
    func startServer() throws {
        self.configuration.listen = [self.address]
        let service = try ParleyService(self.configuration, journal: Journal(level: .error, sink: JournalRecorder()))
        self.address = try service.start().listen
        self.service = service
    }

    func stopServer() {
        self.service?.stop()
        self.service?.waitUntilEnded()
        self.service = nil
    }

    /// Another way to the server, one that can be cut.
    func cable() throws -> Cable { try Cable(to: self.address, on: self.group) }

    /// Somebody new, signed in and connected.
    func guest(_ name: String, by cable: Cable? = nil) async throws -> Person {
        let server = cable.map { ServerURL($0.address) } ?? self.server
        let signIn = SignInClient(server, on: self.loop)
        let signedIn = try await signIn.signInAnonymously(as: DisplayName(name))
        var settings = ClientSettings()
        settings.backOff.first = .milliseconds(20)
        settings.backOff.maximum = .milliseconds(200)
        let client = ParleyClient(server, token: signedIn.accessToken, on: self.loop, settings: settings)
        let member = try await client.connect()
        return Person(client: client, signedIn: signedIn, member: member)
    }
}

/// A client, and who is behind it.
struct Person: Sendable {
    let client: ParleyClient
    let signedIn: SignedIn
    let member: SessionID

    struct NothingMore: Error {}

    /// Waits for the next event of a kind; what comes before it is let go.
    func hears<Value>(_ pick: (ParleyEvent) -> Value?) async throws -> Value {
        for await event in self.client.events {
            if let value = pick(event) { return value }
        }
        throw NothingMore()
    }

    func hearsCall() async throws -> CallEvent {
        try await self.hears { if case .call(let event) = $0 { event } else { nil } }
    }

    func hearsRoom() async throws -> RoomEvent {
        try await self.hears { if case .room(let event) = $0 { event } else { nil } }
    }

    func hearsSignal() async throws -> SignalMessage {
        try await self.hears { if case .signal(let signal) = $0 { signal } else { nil } }
    }
}
