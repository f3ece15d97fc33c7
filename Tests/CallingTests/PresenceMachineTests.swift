import Calling
import TestSupport
import Testing
import Vocabulary

@Suite("Presence")
struct PresenceMachineTests {
    @Test("comes with a user's first line and goes with the last")
    func firstAndLast() throws {
        var scene = PresenceScene()
        try scene.open("a1", "a2", "a2")
        #expect(scene.heard() == ["a came"])
        #expect(try scene.machine.lines(of: Cast.user("a")) == ["a1", "a2"].map(Cast.session))
        try scene.close("a1")
        #expect(scene.heard() == [])
        try scene.close("a2", "a2", "b1")
        #expect(scene.heard() == ["a went at 0 s"])
        #expect(try !scene.machine.isOnline(Cast.user("a")) && scene.machine.onlineCount == 0)
    }

    @Test("lingers when told to, so that a reconnect is no news")
    func reconnect() throws {
        var scene = PresenceScene(linger: .seconds(5))
        try scene.open("a1")
        try scene.close("a1")
        scene.wait(.seconds(4))
        #expect(try scene.machine.isOnline(Cast.user("a")) && scene.machine.lines(of: Cast.user("a")).isEmpty)
        try scene.open("a2")
        scene.wait(.seconds(60))
        #expect(scene.heard() == ["a came"])
        #expect(scene.machine.deadline == nil)
    }

    @Test("that lingers says when the user was really last seen")
    func lastSeen() throws {
        var scene = PresenceScene(linger: .seconds(5))
        try scene.open("a1")
        scene.wait(.seconds(10))
        try scene.close("a1")
        scene.wait(.seconds(5))
        #expect(scene.heard() == ["a came", "a went at 10 s"])
    }

    @Test("is told to those who asked, as long as they want and as long as they are there")
    func watching() throws {
        var scene = PresenceScene()
        try scene.open("a1", "b1", "c1")
        try scene.watch("a", "d", by: "b1")
        try scene.watch("a", by: "c1")
        try scene.watch("a", by: "c1")
        #expect(try scene.watchers(of: "a") == ["b1", "c1"] && scene.watchers(of: "d") == ["b1"])
        scene.machine.unwatched([try Cast.user("a")], by: try Cast.session("b1"))
        #expect(try scene.watchers(of: "a") == ["c1"])
        try scene.close("c1", "b1")
        #expect(try scene.watchers(of: "a").isEmpty && scene.watchers(of: "d").isEmpty)
    }

    @Test("goes with a line that broke, and what that line watched it still watches when it is back")
    func lineBroke() throws {
        var scene = PresenceScene()
        try scene.open("a1", "b1")
        try scene.watch("b", by: "a1")
        #expect(scene.heard() == ["a came", "b came"])
        try scene.lose("a1", "a1")
        #expect(scene.heard() == ["a went at 0 s"])
        #expect(try scene.machine.lines(of: Cast.user("a")).isEmpty)
        #expect(try scene.watchers(of: "b") == ["a1"])
        try scene.open("a1")
        #expect(scene.heard() == ["a came"])
        try scene.lose("a1")
        try scene.close("a1")
        #expect(scene.heard() == ["a went at 0 s"])
        #expect(try scene.watchers(of: "b").isEmpty)
    }

    @Test("can be asked about everybody, and tells such a line once")
    func everybody() throws {
        var scene = PresenceScene()
        try scene.open("a1", "b1")
        try scene.machine.watchedEverybody(true, by: Cast.session("b1"))
        try scene.watch("a", by: "b1")
        #expect(try scene.watchers(of: "a") == ["b1"] && scene.watchers(of: "z") == ["b1"])
        try scene.machine.watchedEverybody(false, by: Cast.session("b1"))
        #expect(try scene.watchers(of: "z").isEmpty)
        try scene.machine.watchedEverybody(true, by: Cast.session("a1"))
        try scene.close("a1")
        #expect(try scene.watchers(of: "z").isEmpty)
    }

    @Test("has a limit to curiosity, which takes all of a question or nothing")
    func limit() throws {
        var scene = PresenceScene(maximumWatched: 3)
        try scene.open("a1")
        try scene.watch("b", "c", "b", by: "a1")
        #expect(throws: PresenceRefusal.tooManyWatched) { try scene.watch("d", "e", by: "a1") }
        #expect(try scene.watchers(of: "d").isEmpty)
        try scene.watch("b", "c", "d", by: "a1")
        #expect(try scene.watchers(of: "d") == ["a1"])
    }

    @Test("agrees with a plain count of lines through random use", arguments: 0..<20)
    func model(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var scene = PresenceScene(linger: seed.isMultiple(of: 2) ? .zero : .seconds(3))
        var (up, shown, lastUp): (Set<String>, Set<String>, [String: Instant]) = ([], [], [:])
        for _ in 0..<500 {
            let user = ["a", "b", "c"].randomElement(using: &random) ?? "a"
            let line = "\(user)\(Int.random(in: 1...3, using: &random))"
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                try scene.open(line)
                up.insert(line)
            case 1:
                if up.remove(line) != nil { lastUp[user] = scene.now }
                try scene.close(line)
            default: scene.wait(.milliseconds(.random(in: 0..<2_000, using: &random)))
            }
            for news in scene.heard() {
                let name = String(news.prefix(1))
                let isNews = news.hasSuffix("came") ? shown.insert(name).inserted : shown.remove(name) != nil
                #expect(isNews, "seed \(seed): \(news) twice")
            }
            for user in ["a", "b", "c"] {
                let lingers = lastUp[user].map { $0 + scene.machine.settings.linger > scene.now } ?? false
                let isOnline = up.contains { $0.hasPrefix(user) } || lingers
                try #require(shown.contains(user) == isOnline, "seed \(seed)")
                try #require(try scene.machine.isOnline(Cast.user(user)) == isOnline, "seed \(seed)")
            }
        }
    }
}

/// Presence with a clock, and everything it ordered as a transcript.
struct PresenceScene {
    var machine: PresenceMachine
    var outbox = PresenceOutbox()
    var now = Instant(milliseconds: 0)

    init(linger: Duration = .zero, maximumWatched: Int = 1_000) {
        var settings = PresenceSettings()
        settings.linger = linger
        settings.maximumWatchedPerLine = maximumWatched
        self.machine = PresenceMachine(settings: settings)
    }

    mutating func open(_ lines: String...) throws {
        for line in lines { try self.machine.lineOpened(Cast.line(line), into: &self.outbox) }
    }

    mutating func close(_ lines: String...) throws {
        for line in lines { try self.machine.lineClosed(Cast.line(line), at: self.now, into: &self.outbox) }
    }

    mutating func lose(_ lines: String...) throws {
        for line in lines { try self.machine.lineLost(Cast.line(line), at: self.now, into: &self.outbox) }
    }

    mutating func watch(_ users: String..., by line: String) throws {
        try self.machine.watched(users.map(Cast.user), by: Cast.session(line))
    }

    func watchers(of user: String) throws -> Set<String> {
        Set(try self.machine.watchers(of: Cast.user(user)).map(Cast.name(of:)))
    }

    mutating func wait(_ duration: Duration) {
        self.now = self.now + duration
        self.machine.clockAdvanced(to: self.now, into: &self.outbox)
    }

    mutating func heard() -> [String] {
        defer { self.outbox.removeAll() }
        return self.outbox.orders.map { order in
            switch order {
            case .cameOnline(let user): "\(user.text) came"
            case .wentOffline(let user, let lastSeen): "\(user.text) went at \(lastSeen.nanoseconds / 1_000_000_000) s"
            }
        }
    }
}
