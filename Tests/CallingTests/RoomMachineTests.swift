import Calling
import Testing
import Vocabulary

@Suite("A room")
struct RoomMachineTests {
    @Test("shows a newcomer who is there, in the order they came, and tells them")
    func joining() throws {
        var scene = RoomScene()
        for line in ["a1", "b1", "a2", "c1"] { #expect(try scene.join(line)) }
        #expect(try scene.room.others(than: Cast.session("c1")).map(\.session) == ["a1", "b1", "a2"].map(Cast.session))
        #expect(
            scene.heard() == [
                "1 to all but a1: a1 joined", "2 to all but b1: b1 joined", "3 to all but a2: a2 joined",
                "4 to all but c1: c1 joined",
            ])
    }

    @Test("takes a second join of the same line for the first")
    func joiningTwice() throws {
        var scene = try RoomScene(with: "a1", "b1")
        #expect(try !scene.join("a1"))
        #expect(scene.heard() == [] && scene.room.count == 2)
        let stranger = Line(try Cast.user("c"), try Cast.session("a1"))
        #expect(throws: RoomRefusal.notYours) { try scene.room.joined(stranger, into: &scene.outbox) }
    }

    @Test("has ten thousand chairs: members of a room")
    func chairs() throws {
        var scene = try RoomScene(with: "a1")
        for number in 1..<10_000 { #expect(try scene.join("u\(number)")) }
        #expect(throws: RoomRefusal.full) { try scene.join("late") }
        #expect(scene.room.count == 10_000)
    }

    @Test("has a last chair")
    func full() throws {
        var settings = RoomSettings()
        settings.maximumMembers = 2
        var scene = try RoomScene(with: "a1", "b1", settings: settings)
        #expect(throws: RoomRefusal.full) { try scene.join("c1") }
        #expect(throws: RoomRefusal.full) { try scene.join("c1", replacing: "b1") }
        #expect(try scene.join("b2", replacing: "b1"))
        #expect(
            scene.heard() == [
                "3 to all but b2: b2 joined", "b1 dismissed replaced", "4 to all but b1: b1 gone replaced",
            ])
    }

    @Test("J35.room tells the others who records, and shows it to who comes later")
    func recording() throws {
        var scene = try RoomScene(with: "a1", "b1")
        try scene.record("a1", since: 5)
        try scene.record("a1", since: 7)
        #expect(try scene.join("c1"))
        #expect(scene.room.member(try Cast.session("a1"))?.recordingSince == WallTime(milliseconds: 5))
        try scene.record("a1", since: nil)
        try scene.record("a1", since: nil)
        #expect(
            scene.heard() == [
                "3 to all but a1: a1 records since 5", "4 to all but c1: c1 joined",
                "5 to all but a1: a1 records no more",
            ])
        #expect(throws: RoomRefusal.notAMember) { try scene.record("d1", since: 9) }
    }

    @Test("J35.room forgets a recording with the seat of who makes it, and not with a broken line")
    func recordingOfSomebodyWhoGoes() throws {
        var scene = try RoomScene(with: "a1", "b1")
        try scene.record("b1", since: 5)
        try scene.lose("b1")
        #expect(scene.room.member(try Cast.session("b1"))?.recordingSince != nil)
        #expect(try scene.join("b2", replacing: "b1"))
        #expect(scene.room.members.allSatisfy { $0.recordingSince == nil })
    }

    @Test("is over when the last one leaves, and lets nobody in afterwards")
    func ending() throws {
        var scene = try RoomScene(with: "a1", "b1")
        #expect(try scene.leave("a1") && !scene.leave("a1"))
        #expect(try scene.leave("b1"))
        #expect(
            scene.heard() == ["3 to all but a1: a1 gone left", "b hosts", "4 to all but b1: b1 gone left", "ended"])
        #expect(scene.room.hasEnded)
        #expect(throws: RoomRefusal.ended) { try scene.join("c1") }
    }

    @Test("does not end under a line that replaces the only one")
    func replacingTheOnlyOne() throws {
        var scene = try RoomScene(with: "a1")
        #expect(try scene.join("a2", replacing: "a1"))
        #expect(!scene.room.hasEnded && scene.room.count == 1)
    }

    @Test("keeps the seat of a broken line for the length of a lease")
    func lease() throws {
        var scene = try RoomScene(with: "a1", "b1")
        try scene.lose("b1")
        try scene.lose("b1")
        scene.wait(.milliseconds(19_999))
        #expect(scene.heard() == ["3 to all but b1: b1 away"])
        scene.wait(.milliseconds(1))
        #expect(scene.heard() == ["b1 dismissed lost", "4 to all but b1: b1 gone lost"])
        #expect(scene.room.count == 1 && scene.room.deadline == nil)
    }

    @Test("gives the seat back to a line that is there in time", arguments: [true, false])
    func resuming(byJoining: Bool) throws {
        var scene = try RoomScene(with: "a1", "b1")
        try scene.lose("b1")
        if byJoining {
            #expect(try !scene.join("b1"))
        } else {
            #expect(try scene.room.returned(Cast.line("b1"), into: &scene.outbox))
        }
        scene.wait(.seconds(10))
        #expect(scene.heard() == ["3 to all but b1: b1 away", "4 to all but b1: b1 back"])
    }

    @Test("has no seat for a line that comes back too late, or that never had one")
    func tooLate() throws {
        var scene = try RoomScene(with: "a1", "b1")
        try scene.lose("b1")
        scene.wait(.seconds(20))
        #expect(try !scene.room.returned(Cast.line("b1"), into: &scene.outbox))
        #expect(try !scene.room.returned(Cast.line("c1"), into: &scene.outbox))
    }

    @Test("keeps a seat for a line that fell silent only a moment longer")
    func silence() throws {
        var scene = try RoomScene(with: "a1", "b1", "c1")
        try scene.lose("b1", fellSilent: true)
        try scene.lose("c1")
        scene.wait(.seconds(1))
        #expect(scene.room.members.map(\.line) == [try Cast.line("a1"), try Cast.line("c1")])
    }

    @Test("without a lease loses a member with its line")
    func noLease() throws {
        var settings = RoomSettings()
        settings.lease = .zero
        var scene = try RoomScene(with: "a1", "b1", settings: settings)
        try scene.lose("b1")
        #expect(scene.heard() == ["3 to all but b1: b1 gone lost"])
    }

    @Test("sends a user out on all their lines")
    func removing() throws {
        var scene = try RoomScene(with: "a1", "b1", "a2")
        scene.room.removed(try Cast.user("a"), into: &scene.outbox)
        #expect(
            scene.heard() == [
                "a1 dismissed removed", "4 to all but a1: a1 gone removed", "a2 dismissed removed",
                "5 to all but a2: a2 gone removed", "b hosts",
            ])
    }

    @Test("is led by who opened it, then by whoever has been there for longest")
    func hosts() throws {
        var scene = try RoomScene(with: "a1", "b1", "c1", "a2")
        #expect(scene.room.host == (try Cast.user("a")))
        #expect(try scene.leave("a1"))
        #expect(scene.heard() == ["5 to all but a1: a1 gone left"], "a2 is the same user")
        #expect(try scene.join("b2", replacing: "b1"))
        _ = scene.heard()
        #expect(try scene.leave("a2"))
        #expect(scene.heard().last == "c hosts", "b came in anew")
        try scene.lose("c1")
        scene.wait(.seconds(20))
        #expect(scene.heard().last == "b hosts")
    }

    @Test("lets its host send others away, and nobody else")
    func sendingAway() throws {
        var scene = try RoomScene(with: "a1", "b1", "b2", "c1")
        let (host, other) = (try Cast.line("a1"), try Cast.line("b1"))
        #expect(throws: RoomRefusal.notHost) { try scene.remove("c", by: other) }
        #expect(throws: RoomRefusal.notHost) { try scene.remove("a", by: host) }
        #expect(throws: RoomRefusal.notThere) { try scene.remove("d", by: host) }
        #expect(throws: RoomRefusal.notAMember) { try scene.remove("c", by: Cast.line("d1")) }
        #expect(scene.heard() == [])
        try scene.remove("b", by: host)
        #expect(scene.heard().filter { $0.contains("dismissed") } == ["b1 dismissed removed", "b2 dismissed removed"])
        #expect(try scene.join("b3"), "sent away, not banned")
        try scene.remove("a", by: nil)
        #expect(scene.heard().last == "c hosts")
    }

    @Test("relays between its members only")
    func relaying() throws {
        var scene = try RoomScene(with: "a1", "b1")
        let (a1, c1) = try (Cast.line("a1"), Cast.line("c1"))
        #expect(try scene.room.relay(from: a1, to: Cast.session("b1")) == .deliver(to: Cast.session("b1")))
        #expect(try scene.room.relay(from: a1, to: Cast.session("c1")) == .unknownTarget)
        #expect(try scene.room.relay(from: a1, to: a1.session) == .unknownTarget)
        #expect(throws: RoomRefusal.notAMember) { try scene.room.relay(from: c1, to: a1.session) }
        #expect(throws: RoomRefusal.notAMember) { try scene.room.relayToOthers(from: c1) }
        let impostor = Line(c1.user, a1.session)
        #expect(throws: RoomRefusal.notAMember) { try scene.room.relay(from: impostor, to: Cast.session("b1")) }
        try scene.lose("b1")
        #expect(try scene.room.relay(from: a1, to: Cast.session("b1")) == .keep(for: Cast.session("b1")))
    }

    @Test("numbers what goes to all with the same numbers as what happens in it")
    func numbers() throws {
        var scene = try RoomScene(with: "a1", "b1")
        #expect(try scene.room.relayToOthers(from: Cast.line("a1")) == .deliverToOthers(number: 3))
        _ = try scene.join("c1")
        #expect(scene.heard() == ["4 to all but c1: c1 joined"])
        #expect(scene.room.number == 4)
    }

    @Test("keeps the order of a thousand who come and go")
    func order() throws {
        var scene = RoomScene()
        for number in 0..<1_000 { _ = try scene.join("u\(number)") }
        for number in 0..<1_000 where number % 10 != 0 { _ = try scene.leave("u\(number)") }
        _ = try scene.join("late")
        let names = scene.room.members.map { Cast.name(of: $0.session) }
        #expect(names == (0..<100).map { "u\($0 * 10)" } + ["late"])
        #expect(try scene.room.member(Cast.session("u500"))?.user == Cast.user("u"))
    }
}

/// A room with a clock, and everything it ordered as a transcript.
struct RoomScene {
    var room: RoomMachine
    var outbox = RoomOutbox()
    var now = Instant(milliseconds: 0)

    init(with lines: String..., settings: RoomSettings = RoomSettings()) throws {
        self.room = RoomMachine(settings: Shared(settings))
        for line in lines { _ = try self.join(line) }
        self.outbox.removeAll()
    }

    init() {
        self.room = RoomMachine()
    }

    mutating func join(_ line: String, replacing old: String? = nil) throws -> Bool {
        try self.room.joined(Cast.line(line), replacing: old.map(Cast.session), into: &self.outbox)
    }

    mutating func leave(_ line: String) throws -> Bool {
        try self.room.left(Cast.session(line), into: &self.outbox)
    }

    mutating func remove(_ user: String, by line: Line?) throws {
        try self.room.removed(Cast.user(user), by: line, isBanned: false, into: &self.outbox)
    }

    mutating func lose(_ line: String, fellSilent: Bool = false) throws {
        try self.room.lineLost(Cast.session(line), fellSilent: fellSilent, at: self.now, into: &self.outbox)
    }

    mutating func record(_ line: String, since milliseconds: Int64?) throws {
        try self.room.recorded(
            by: Cast.line(line), since: milliseconds.map { WallTime(milliseconds: $0) }, into: &self.outbox)
    }

    mutating func wait(_ duration: Duration) {
        self.now = self.now + duration
        self.room.clockAdvanced(to: self.now, into: &self.outbox)
    }

    mutating func heard() -> [String] {
        defer { self.outbox.removeAll() }
        return self.outbox.orders.map(\.sentence)
    }
}

extension RoomOutbox.Order {
    /// One line of a transcript, as in `3 to all but b1: b1 away`.
    var sentence: String {
        switch self {
        case .announce(let event, let session):
            "\(event.number) to all but \(Cast.name(of: session)): \(event.content.sentence)"
        case .dismiss(let session, let departure): "\(Cast.name(of: session)) dismissed \(departure)"
        case .host(let user): "\(user.text) hosts"
        case .ended: "ended"
        }
    }
}

extension RoomAnnouncement.Content {
    var sentence: String {
        switch self {
        case .joined(let line): "\(Cast.name(of: line.session)) joined"
        case .away(let session): "\(Cast.name(of: session)) away"
        case .back(let session): "\(Cast.name(of: session)) back"
        case .gone(let line, let departure): "\(Cast.name(of: line.session)) gone \(departure)"
        case .recording(let session, let start):
            "\(Cast.name(of: session)) records \(start.map { "since \($0.milliseconds)" } ?? "no more")"
        }
    }
}
