import Client
import Operations
import Reactor
import Testing
import Vocabulary

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("A client in trouble", .timeLimit(.minutes(1)))
struct TroubleTests {
    @Test("B03.once is back by itself when the server is, and what was asked meanwhile is done once")
    func restart() async throws {
        let stage = try Stage()
        let ann = try await stage.guest("Ann")
        let room = try #require(RoomName("kitchen"))
        _ = try await ann.client.join(room)
        stage.stopServer()
        _ = try await ann.hears { if case .disconnected(let failure, _) = $0 { failure } else { nil } }
        async let again = ann.client.join(room)
        try stage.startServer()
        let member = try await ann.hears {
            if case .connected(let member) = $0, member != ann.member { member } else { nil }
        }
        let view = try await again
        #expect(view.member == member && view.count == 1)
    }

    @Test("keeps its seat and misses nothing when only the line broke")
    func brokenLine() async throws {
        let stage = try Stage()
        let cable = try stage.cable()
        let (ann, bob) = (try await stage.guest("Ann", by: cable), try await stage.guest("Bob"))
        let room = try #require(RoomName("kitchen"))
        _ = try await ann.client.join(room)
        _ = try await bob.client.join(room)
        _ = try await ann.hearsRoom()
        cable.cut()
        _ = try await ann.hears { if case .disconnected(let failure, _) = $0 { failure } else { nil } }
        let numbers = try await (0..<3).asyncMap { number in
            try await bob.client.signal(.data(try #require(RawJSON("\(number)"))), in: room)
        }
        let member = try await ann.hears { if case .recovered(let member) = $0 { member } else { nil } }
        #expect(member == ann.member)
        for number in numbers { #expect(try await ann.hearsSignal().number == number) }
    }

    @Test("B04 is told that a black hole did not let it in, and when")
    func blackHole() async throws {
        let hole = try BlackHole()
        let loops = try EventLoopGroup(count: 1)
        defer { loops.shutDown() }
        var settings = ClientSettings()
        settings.connectTimeout = .milliseconds(200)
        let client = ParleyClient(ServerURL(hole.address), token: "t", on: loops.loops[0], settings: settings)
        let began = ContinuousClock.now
        await #expect(throws: LinkFailure.connectTimedOut(after: .milliseconds(200))) { try await client.connect() }
        #expect(ContinuousClock.now - began >= .milliseconds(200))
        let events = await client.events.reduce(into: []) { $0.append($1) }
        #expect(events == [.ended(.connectTimedOut(after: .milliseconds(200)))])
        let signIn = SignInClient(ServerURL(hole.address), on: loops.loops[0], timeout: .milliseconds(100))
        await #expect(throws: ClientError.ended(.connectTimedOut(after: .milliseconds(100)))) {
            try await signIn.signInAnonymously()
        }
    }

    @Test("is told when nobody listens, and when a name is nobody's")
    func nobody() async throws {
        let loops = try EventLoopGroup(count: 1)
        defer { loops.shutDown() }
        let address = try BlackHole().address
        let refused = await #expect(throws: LinkFailure.self) {
            try await ParleyClient(ServerURL(address), token: "t", on: loops.loops[0]).connect()
        }
        guard case .unreachable = refused else {
            Issue.record("\(String(describing: refused)) is another story")
            return
        }
        let nowhere = ServerURL(.name("nowhere.invalid"), port: 80)
        await #expect(throws: LinkFailure.unknownHost("nowhere.invalid")) {
            try await ParleyClient(nowhere, token: "t", on: loops.loops[0]).connect()
        }
    }

    @Test("finds a server by its name")
    func byName() async throws {
        let stage = try Stage()
        let server = ServerURL(.name("localhost"), port: stage.address.port)
        let signedIn = try await SignInClient(server, on: stage.loop).signInAnonymously()
        let client = ParleyClient(server, token: signedIn.accessToken, on: stage.loop)
        try await client.connect()
        client.close()
        let last = await client.events.reduce(into: []) { $0.append($1) }.last
        #expect(last == .ended(.stopped))
    }

    @Test("trusts no certificate that was made on the spot, unless it is told to")
    func certificates() async throws {
        let stage = try Stage(isEncrypted: true)
        let ann = try await stage.guest("Ann")
        let room = try #require(RoomName("kitchen"))
        #expect(try await ann.client.join(room).count == 1)
        let strict = ServerURL(stage.address, isEncrypted: true)
        let client = ParleyClient(strict, token: ann.signedIn.accessToken, on: stage.loop)
        let failure = await #expect(throws: LinkFailure.self) { try await client.connect() }
        guard let failure, case .insecure = failure else {
            Issue.record("\(String(describing: failure)) is another story")
            return
        }
        #expect(failure.description.contains("certificate verify failed"))
    }

    @Test("is turned away with a token that is none")
    func wrongToken() async throws {
        let stage = try Stage()
        let client = ParleyClient(stage.server, token: "nonsense", on: stage.loop)
        await #expect(throws: LinkFailure.refused(code: "unauthorized")) { try await client.connect() }
        await #expect(throws: ClientError.ended(.refused(code: "unauthorized"))) {
            try await client.request(.session(.iceServers))
        }
    }

    @Test("is cut off when it does not read its events, and none is left out before that")
    func unread() async throws {
        let stage = try Stage()
        let signedIn = try await SignInClient(stage.server, on: stage.loop).signInAnonymously()
        var settings = ClientSettings()
        settings.maximumUnreadEvents = 1
        let client = ParleyClient(stage.server, token: signedIn.accessToken, on: stage.loop, settings: settings)
        let member = try await client.connect()
        // The greeting comes before any answer, and is one event too many.
        await #expect(throws: ClientError.ended(.eventsUnread)) { try await client.iceServers() }
        let events = await client.events.reduce(into: []) { $0.append($1) }
        #expect(events.count == 3 && events.first == .connected(member) && events.last == .ended(.eventsUnread))
    }

    @Test("may be closed before it was ever connected")
    func closedFirst() async throws {
        let stage = try Stage()
        let client = ParleyClient(stage.server, token: "t", on: stage.loop)
        client.close()
        await #expect(throws: LinkFailure.stopped) { try await client.connect() }
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}

/// A port that takes connections and never says a word.
private final class BlackHole {
    private let descriptor: Int32
    let address: SocketAddress

    struct Failure: Error {
        let code = errno
    }

    init() throws {
        self.descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = self.descriptor
        let code = withUnsafeMutablePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) | listen(descriptor, 8) | getsockname(descriptor, $0, &length)
            }
        }
        guard descriptor >= 0, code == 0 else { throw Failure() }
        self.address = SocketAddress(.loopback, port: name.sin_port.bigEndian)
    }

    deinit { close(self.descriptor) }
}
