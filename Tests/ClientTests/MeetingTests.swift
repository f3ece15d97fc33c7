import Calling
import Client
import Service
import Switchboard
import Testing
import Vocabulary

@Suite("Two clients of one server", .timeLimit(.minutes(1)))
struct MeetingTests {
    private let stage: Stage

    init() throws {
        self.stage = try Stage()
    }

    @Test("are welcomed under their names")
    func welcome() async throws {
        let ann = try await self.stage.guest("Ann 安")
        let welcome = try await ann.hears { if case .welcome(let welcome) = $0 { welcome } else { nil } }
        #expect(welcome.user == ann.signedIn.user && welcome.name == "Ann 安" && welcome.member == ann.member)
        #expect(welcome.iceServers.servers.bytes.first == UInt8(ascii: "["))
        #expect(welcome.expires == ann.signedIn.expires)
    }

    @Test("are told of the STUN service where it is, and only if there is one")
    func stun() async throws {
        let stage = try Stage { $0.stun = .at(SocketAddress(.loopback, port: 0)) }
        let url = try #require(try await Self.servers(of: stage).firstMatch(of: /stun:127\.0\.0\.1:(\d+)/))
        let port = try #require(UInt16(url.1))
        #expect(port != 0)
        let late = try Stage { $0.stun = .at(SocketAddress(.loopback, port: port)) }
        #expect(try await Self.servers(of: late) == "[]")
        withExtendedLifetime(stage) {}
    }

    private static func servers(of stage: Stage) async throws -> String {
        let guest = try await stage.guest("Ann")
        let welcome = try await guest.hears { if case .welcome(let welcome) = $0 { welcome } else { nil } }
        return String(decoding: welcome.iceServers.servers.bytes, as: UTF8.self)
    }

    @Test("meet in a room, and pass each other descriptions as they are")
    func room() async throws {
        let (ann, bob) = (try await self.stage.guest("Ann"), try await self.stage.guest("Bob"))
        let room = try #require(RoomName("kitchen"))
        let empty = try await ann.client.join(room)
        #expect(empty.members.isEmpty && empty.count == 1 && empty.member == ann.member)
        let view = try await bob.client.join(room)
        #expect(view.members.map(\.user) == [ann.signedIn.user] && view.members.map(\.name) == ["Ann"])
        guard case .joined(let newcomer) = try await ann.hearsRoom().change else {
            Issue.record("nobody was announced")
            return
        }
        #expect(newcomer.user == bob.signedIn.user && newcomer.member == bob.member)
        let offer = SessionDescription(.offer, sdp: "v=0\r\ns=-\r\n")
        try await bob.client.signal(.description(offer.json), in: room, to: ann.member)
        let signal = try await ann.hearsSignal()
        #expect(signal.scope == .room(room) && signal.from == bob.member)
        guard case .description(let json) = signal.content else {
            Issue.record("\(signal.content) is no description")
            return
        }
        #expect(json == offer.json && SessionDescription(json) == offer)
        try await bob.client.leave(room)
        #expect(try await ann.hearsRoom().change == .left(bob.member, reason: "left"))
    }

    @Test("tell all others in a room, and the number of that comes back")
    func broadcast() async throws {
        let (ann, bob) = (try await self.stage.guest("Ann"), try await self.stage.guest("Bob"))
        let room = try #require(RoomName("hall"))
        _ = try await ann.client.join(room)
        _ = try await bob.client.join(room)
        let data = try #require(RawJSON(#"{"hello":"你好"}"#))
        let number = try await bob.client.signal(.data(data), in: room)
        let signal = try await ann.hearsSignal()
        #expect(signal.content == .data(data) && signal.number == number && number != nil)
    }

    @Test("meet in a room only where there is place for one more: rooms at once")
    func manyRooms() async throws {
        let stage = try Stage { $0.switchboard.maximumRooms = 1 }
        let (ann, bob) = (try await stage.guest("Ann"), try await stage.guest("Bob"))
        let (kitchen, cellar) = (try #require(RoomName("kitchen")), try #require(RoomName("cellar")))
        _ = try await ann.client.join(kitchen)
        _ = try await bob.client.join(kitchen)
        let error = await #expect(throws: ClientError.self) { try await bob.client.join(cellar) }
        guard case .refused(let refusal) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(refusal.code == "unavailable" && refusal.retryAfter == .seconds(30))
        for guest in [ann, bob] { try await guest.client.leave(kitchen) }
        _ = try await bob.client.join(cellar)
    }

    @Test("are listed to each other up to a limit: users in the list of everybody")
    func largeHouse() async throws {
        let stage = try Stage { $0.switchboard.maximumIntroducedUsers = 2 }
        let (ann, bob) = (try await stage.guest("Ann"), try await stage.guest("Bob"))
        #expect(try await Set(ann.client.watchEverybody().map(\.user)) == [ann.signedIn.user, bob.signedIn.user])
        let cid = try await stage.guest("Cid")
        #expect(try await bob.client.watchEverybody().isEmpty)
        let news = try await ann.hears { if case .presence(let presence) = $0 { presence } else { nil } }
        #expect(news.user == cid.signedIn.user && news.isOnline)
    }

    @Test("ring each other, talk, and hang up")
    func call() async throws {
        let (ann, bob) = (try await self.stage.guest("Ann"), try await self.stage.guest("Bob"))
        let call = try await ann.client.invite(bob.signedIn.user, to: .audio)
        guard case .incoming(.audio, let caller) = try await bob.hearsCall().change else {
            Issue.record("it does not ring")
            return
        }
        #expect(caller.user == ann.signedIn.user && caller.name == "Ann")
        try await bob.client.ringing(call)
        #expect(try await ann.hearsCall().change == .ringing(byPush: false))
        try await bob.client.accept(call)
        guard case .connected(.audio, .caller, let callee) = try await ann.hearsCall().change else {
            Issue.record("the caller is not connected")
            return
        }
        #expect(callee.user == bob.signedIn.user)
        let candidate = CandidateDescription("candidate:1 1 udp 1 192.0.2.1 9 typ host", mid: "0", lineIndex: 0)
        try await ann.client.signal(.candidate(candidate.json), in: call)
        guard case .candidate(let json) = try await bob.hearsSignal().content else {
            Issue.record("no candidate came")
            return
        }
        #expect(CandidateDescription(json) == candidate)
        #expect(try await bob.client.take(call).phase == "talking")
        try await ann.client.hangUp(call)
        for person in [ann, bob] { #expect(try await person.hearsEnd(of: call) == "completed") }
    }

    @Test("decline, and both know")
    func decline() async throws {
        let (ann, bob) = (try await self.stage.guest("Ann"), try await self.stage.guest("Bob"))
        let call = try await ann.client.invite(bob.signedIn.user, to: .video)
        _ = try await bob.hearsCall()
        try await bob.client.decline(call)
        for person in [ann, bob] { #expect(try await person.hearsEnd(of: call) == "declined") }
    }

    @Test("see each other come and go")
    func presence() async throws {
        let (ann, bob) = (try await self.stage.guest("Ann"), try await self.stage.guest("Bob"))
        let now = try await ann.client.watch([bob.signedIn.user])
        #expect(now.map(\.user) == [bob.signedIn.user] && now.map(\.isOnline) == [true])
        try await ann.client.unwatch([bob.signedIn.user])
        #expect(try await ann.client.watchEverybody().count == 2)
    }

    @Test("are refused in the server's own words")
    func refused() async throws {
        let ann = try await self.stage.guest("Ann")
        let room = try #require(RoomName("elsewhere"))
        let data = try #require(RawJSON("1"))
        let error = await #expect(throws: ClientError.self) { try await ann.client.signal(.data(data), in: room) }
        guard case .refused(let refusal) = error else {
            Issue.record("\(String(describing: error)) is no refusal")
            return
        }
        #expect(refusal.code == "not_member" && !refusal.message.isEmpty)
    }

    @Test("ask for ICE servers and keep their session with a fresh token")
    func session() async throws {
        let ann = try await self.stage.guest("Ann")
        #expect(try await ann.client.iceServers().servers.bytes.first == UInt8(ascii: "["))
        let signIn = SignInClient(self.stage.server, on: self.stage.loop)
        let fresh = try await signIn.refresh(ann.signedIn.refreshToken)
        #expect(fresh.user == ann.signedIn.user && fresh.refreshToken != ann.signedIn.refreshToken)
        #expect(try await ann.client.refreshSession(with: fresh.accessToken) == fresh.expires)
    }

    @Test("register and log in again")
    func register() async throws {
        let signIn = SignInClient(self.stage.server, on: self.stage.loop)
        let name = try UserName("ann_lee")
        let first = try await signIn.register(name, password: "correct horse")
        #expect(try await signIn.logIn(name, password: "correct horse").user == first.user)
        let error = await #expect(throws: ClientError.self) { try await signIn.logIn(name, password: "wrong horse") }
        guard case .refused(let refusal) = error else {
            Issue.record("\(String(describing: error)) is no refusal")
            return
        }
        #expect(refusal.code == "unauthorized")
    }
}

extension Person {
    /// What became of the call.
    func hearsEnd(of call: CallID) async throws -> String {
        try await self.hears { event in
            guard case .call(let event) = event, event.call == call, case .ended(let end) = event.change else {
                return nil
            }
            return end.outcome
        }
    }
}
