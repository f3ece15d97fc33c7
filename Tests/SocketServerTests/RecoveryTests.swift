import JSON
import Testing

@testable import SocketServer

@Suite("Somebody whose line broke", .timeLimit(.minutes(1)))
struct RecoveryTests {
    /// What a client remembers of its session.
    struct Memory {
        let sid: String
        let key: String
        var offset: String?

        var auth: String {
            let offset = self.offset.map { #","offset":"\#($0)""# } ?? ""
            return #"{"pid":"\#(self.key)"\#(offset)}"#
        }
    }

    /// Somebody has connected and heard one event.
    private static func begin(_ client: Client) throws -> (WebSocketEnd, Memory) {
        let end = client.connected()
        let welcome = try #require(end.heard().last)
        var memory = Memory(sid: try #require(welcome.sid), key: try #require(welcome.member("pid")))
        client.scene.company.tell("first")
        memory.offset = end.heard().last.flatMap(Self.offset)
        return (end, memory)
    }

    /// The last argument of every event.
    private static func offset(_ event: String) -> String? {
        event.split(separator: "\"").dropLast().last.map(String.init)
    }

    private static func news(_ heard: [String]) -> [String] {
        heard.filter { $0.hasPrefix("42") }.map { String($0.split(separator: "\"")[3]) }
    }

    @Test("B03 is back with everything missed until the last moment of two minutes")
    func inside() async throws {
        try await play { scene in
            let client = Client(scene: scene)
            let (end, memory) = try Self.begin(client)
            end.pipe.cut()
            for minute in 0..<4 {
                scene.company.tell("\(minute)")
                scene.wait(.seconds(29))
            }
            scene.wait(.milliseconds(3_999))
            let back = client.connected(memory.auth).heard()
            #expect(back[1].sid == memory.sid && back[1].member("pid") == memory.key)
            #expect(Self.news(back) == ["0", "1", "2", "3"])
            #expect(scene.company.read() == ["arrived", "lost", "returned"])
        }
    }

    @Test("B03 is gone when two minutes have passed, and comes as somebody new")
    func outside() async throws {
        try await play { scene in
            let client = Client(scene: scene)
            let (end, memory) = try Self.begin(client)
            end.pipe.cut()
            scene.company.tell("missed")
            scene.wait(.milliseconds(119_999))
            #expect(scene.company.read() == ["arrived", "lost"])
            scene.wait(.milliseconds(1))
            #expect(scene.company.read() == ["left lineLost"])
            let back = client.connected(memory.auth).heard()
            #expect(back.count == 2 && back[1].sid != memory.sid && back[1].member("pid") != memory.key)
            #expect(scene.company.read() == ["arrived"])
        }
    }

    @Test("B03 is back every time, not only once, and the window begins anew each time")
    func again() async throws {
        try await play { scene in
            let client = Client(scene: scene)
            var (end, memory) = try Self.begin(client)
            for turn in 0..<5 {
                end.pipe.cut()
                scene.company.tell("\(turn)")
                scene.wait(.seconds(119))
                end = client.connected(memory.auth)
                let heard = end.heard()
                #expect(heard[1].sid == memory.sid && Self.news(heard) == ["\(turn)"])
                memory.offset = heard.last.flatMap(Self.offset)
            }
        }
    }

    @Test("is back on a quiet line without having missed anything, and by polling as well")
    func quiet() async throws {
        try await play { scene in
            let client = Client(scene: scene)
            let (end, memory) = try Self.begin(client)
            end.pipe.cut()
            scene.wait(.seconds(60))
            let session = try #require(client.open())
            #expect(client.post(session, "40\(memory.auth)")?.status == 200)
            let welcome = try #require(client.poll(session).answer?.body)
            #expect(welcome.sid == memory.sid && !welcome.contains("news"))
        }
    }

    @Test("takes the place over while the old line still looks alive")
    func takeOver() async throws {
        try await play { scene in
            let client = Client(scene: scene)
            let (end, memory) = try Self.begin(client)
            let heard = client.connected(memory.auth).heard()
            #expect(heard[1].sid == memory.sid && end.heard() == ["closed 1000"])
            scene.wait(.seconds(20))
            #expect(scene.company.read() == ["arrived", "returned"])
        }
    }

    @Test("and cannot say how far it got takes the old line down with the old place")
    func gap() async throws {
        try await play { scene in
            let client = Client(scene: scene)
            var (end, memory) = try Self.begin(client)
            memory.offset = "nobody-said-this"
            let heard = client.connected(memory.auth).heard()
            #expect(heard[1].sid != memory.sid && end.heard() == ["closed 1000"])
            end = client.connected()
            _ = end.heard()
            #expect(scene.company.read() == ["arrived", "left lineLost", "arrived", "arrived"])
        }
    }

    @Test("and who was kicked meanwhile is told so and finds no place any more")
    func kicked() async throws {
        try await play { scene in
            let client = Client(scene: scene)
            let (end, memory) = try Self.begin(client)
            end.pipe.cut()
            scene.company.tell("not for you any more")
            scene.company.refusal = "kicked"
            let refused = client.connected(memory.auth).heard()
            #expect(refused.dropFirst() == [#"44{"message":"kicked"}"#])
            #expect(scene.company.read() == ["arrived", "lost", "left sentAway"])
            scene.company.refusal = nil
            let fresh = client.connected(memory.auth).heard()
            #expect(fresh.count == 2 && fresh[1].sid != memory.sid)
        }
    }

    @Test("and who said goodbye, or was sent away, has none to come back to", arguments: [true, false])
    func goodbye(isOurs: Bool) async throws {
        try await play { scene in
            let client = Client(scene: scene)
            let (end, memory) = try Self.begin(client)
            if isOurs { scene.company.sockets.last?.disconnect() } else { end.say("41") }
            #expect(scene.company.read() == ["arrived", isOurs ? "left sentAway" : "left saidGoodbye"])
            #expect(client.connected(memory.auth).heard().last?.sid != memory.sid)
        }
    }

    @Test("because more waited than may wait is closed with 1013, and back with all of it: what waits for one client")
    func slow() async throws {
        try await play { scene in
            let client = Client(scene: scene)
            let (end, memory) = try Self.begin(client)
            end.pipe.queuedBytes = 4_000_001
            scene.company.tell("too much")
            #expect(end.heard().last == "closed 1013")
            scene.company.tell("while away")
            let back = client.connected(memory.auth).heard()
            #expect(back[1].sid == memory.sid && Self.news(back) == ["too much", "while away"])
            #expect(scene.company.read() == ["arrived", "lost", "returned"])
        }
    }

    @Test("hears of a question that it was not there to answer that nobody answered")
    func pendingAcks() async throws {
        try await play { scene in
            let (end, _) = try Self.begin(Client(scene: scene))
            let answers = Answers()
            let socket = try #require(scene.company.sockets.last)
            socket.emit("question") {
                $0.integer(1)
            } answer: {
                answers.note($0)
            }
            end.say(#"430["yes"]"#)
            socket.emit("question") {
                $0.integer(2)
            } answer: {
                answers.note($0)
            }
            end.pipe.cut()
            socket.emit("question") {
                $0.integer(3)
            } answer: {
                answers.note($0)
            }
            #expect(answers.heard == [true, false, false])
        }
    }
}

/// Whether questions were answered.
private final class Answers {
    private(set) var heard: [Bool] = []
    func note(_ answer: SocketAnswer?) { self.heard.append(answer != nil) }
}
