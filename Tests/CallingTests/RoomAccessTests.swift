import Calling
import Testing
import Vocabulary

@Suite("Who may come into a room")
struct RoomAccessTests {
    private static let secret = RoomRule.password(RoomPassword("sesame", salt: [1, 2, 3]))

    private static func room(_ rule: RoomRule, _ settings: RoomSettings = RoomSettings()) throws -> RoomScene {
        var scene = try RoomScene(settings: settings)
        scene.room = RoomMachine(settings: Shared(settings), rule: rule)
        _ = try scene.join("a1")
        scene.outbox.removeAll()
        return scene
    }

    private static func join(_ scene: inout RoomScene, _ line: String, _ password: String? = nil) throws -> Bool {
        try scene.room.joined(Cast.line(line), showing: password, into: &scene.outbox)
    }

    @Test("F13.password A room's password is asked of everybody but who opened it")
    func password() throws {
        var scene = try Self.room(Self.secret)
        #expect(throws: RoomRefusal.passwordRequired) { try scene.join("b1") }
        for wrong in ["", "sesam", "sesame ", "Sesame"] {
            #expect(throws: RoomRefusal.wrongPassword) { try Self.join(&scene, "b1", wrong) }
        }
        #expect(scene.heard() == [])
        #expect(try Self.join(&scene, "b1", "sesame"))
        #expect(try Self.join(&scene, "a2"), "who opened it")
        #expect(try !scene.room.asksPassword(of: Cast.user("a")))
        #expect(try scene.room.asksPassword(of: Cast.user("b")))
    }

    @Test("A room's password is kept as a hash that differs from room to room")
    func salted() {
        let (one, other) = (RoomPassword("sesame", salt: [1]), RoomPassword("sesame", salt: [2]))
        #expect(one != other && one.matches("sesame") && other.matches("sesame") && !one.matches("sesame\u{0}"))
        #expect(!"\(one)".contains("sesame"))
    }

    @Test("F13.invitation A room by invitation takes whom a member admits, until they are removed")
    func invitation() throws {
        var scene = try Self.room(.invitation)
        #expect(throws: RoomRefusal.invitationRequired) { try Self.join(&scene, "b1", "sesame") }
        #expect(throws: RoomRefusal.notAMember) { try scene.room.admitted(Cast.user("b"), by: Cast.line("b1")) }
        #expect(try !scene.room.admitted(Cast.user("b"), by: Cast.line("a1")))
        for _ in 0..<2 { #expect(try scene.join("b1") && scene.leave("b1")) }
        #expect(try scene.join("b1"))
        scene.room.removed(try Cast.user("b"), into: &scene.outbox)
        #expect(throws: RoomRefusal.invitationRequired) { try scene.join("b2") }
    }

    @Test("A user who asks to be let in is heard once in thirty seconds: asking one room to be let in")
    func knocking() throws {
        var settings = RoomSettings()
        settings.maximumKnocks = 2
        var scene = try Self.room(.invitation, settings)
        #expect(try scene.room.knocked(Cast.user("b"), at: scene.now))
        #expect(throws: RoomRefusal.knockedBefore(retryAfter: .seconds(30))) {
            try scene.room.knocked(Cast.user("b"), at: scene.now)
        }
        #expect(try scene.room.knocked(Cast.user("c"), at: scene.now))
        #expect(throws: RoomRefusal.self) { try scene.room.knocked(Cast.user("d"), at: scene.now) }
        scene.wait(.seconds(30))
        #expect(try scene.room.knocked(Cast.user("d"), at: scene.now))
        #expect(try scene.room.knocked(Cast.user("b"), at: scene.now))
        #expect(try scene.room.admitted(Cast.user("b"), by: Cast.line("a1")), "they had asked")
        #expect(try !scene.room.knocked(Cast.user("b"), at: scene.now), "they are in already")
        var open = try Self.room(.open)
        #expect(throws: RoomRefusal.isOpen) { try open.room.knocked(Cast.user("b"), at: open.now) }
    }

    @Test("A room admits a thousand: users admitted to one room")
    func admitted() throws {
        var scene = try Self.room(Self.secret)
        for number in 1..<1000 { _ = try scene.room.admitted(Cast.user("u\(number)"), by: Cast.line("a1")) }
        #expect(throws: RoomRefusal.tooManyAdmitted) { try scene.room.admitted(Cast.user("z"), by: Cast.line("a1")) }
        _ = try scene.room.admitted(Cast.user("u1"), by: Cast.line("a1"))
        let line = Line(try Cast.user("u999"), try Cast.session("x"))
        #expect(try scene.room.joined(line, into: &scene.outbox))
    }

    @Test("Who is banned does not come in, whatever they show, until the host admits them")
    func banned() throws {
        var scene = try Self.room(Self.secret)
        let host = try Cast.line("a1")
        _ = try scene.room.admitted(Cast.user("b"), by: host)
        _ = try scene.room.admitted(Cast.user("c"), by: host)
        #expect(try scene.join("c1"))
        try scene.room.removed(Cast.user("b"), by: host, isBanned: true, into: &scene.outbox)
        #expect(throws: RoomRefusal.banned) {
            try scene.room.joined(Cast.line("b1"), showing: "sesame", into: &scene.outbox)
        }
        #expect(throws: RoomRefusal.banned) { try scene.room.knocked(Cast.user("b"), at: scene.now) }
        #expect(throws: RoomRefusal.notHost) { try scene.room.admitted(Cast.user("b"), by: Cast.line("c1")) }
        _ = try scene.room.admitted(Cast.user("b"), by: host)
        #expect(try scene.join("b1"))
    }

    @Test("A room bans a thousand: users banned from one room")
    func mostBanned() throws {
        var scene = try Self.room(.open)
        for number in 0..<1000 {
            let user = try Cast.user("u\(number)")
            try scene.room.removed(user, by: nil, isBanned: true, into: &scene.outbox)
        }
        #expect(throws: RoomRefusal.tooManyBanned) {
            try scene.room.removed(Cast.user("z"), by: nil, isBanned: true, into: &scene.outbox)
        }
        try scene.room.removed(Cast.user("u7"), by: nil, isBanned: true, into: &scene.outbox)
    }

    @Test("An operator's rule holds for those who come afterwards")
    func protected() throws {
        var scene = try Self.room(.open)
        #expect(try scene.join("b1"))
        scene.room.protected(by: Self.secret)
        #expect(scene.room.count == 2)
        #expect(throws: RoomRefusal.passwordRequired) { try scene.join("c1") }
        scene.room.protected(by: .open)
        #expect(try scene.join("c1"))
    }
}
