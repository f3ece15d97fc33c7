import TestSupport
import Testing

@testable import SocketServer

@Suite("A session by polling", .timeLimit(.minutes(1)))
struct PollingTests {
    @Test("has its events in the poll that waits, and its answers to a POST in the next")
    func polling() async throws {
        try await play { scene in
            let client = Client(scene: scene)
            let sid = try #require(client.open())
            #expect(client.post(sid, "40")?.body == "ok")
            #expect(client.poll(sid).answer?.body.sid != nil)
            let waiting = client.poll(sid)
            #expect(waiting.answer == nil)
            scene.company.tell("hello")
            #expect(waiting.answer?.body.hasPrefix(#"42["news","hello","#) == true)
            #expect(client.post(sid, #"420["question"]"# + "\u{1e}" + #"421["another"]"#)?.body == "ok")
            #expect(client.poll(sid).answer?.body == #"430["yes"]"# + "\u{1e}" + #"431["yes"]"#)
            #expect(scene.company.read() == ["arrived", "heard question", "heard another"])
        }
    }

    @Test("ends when two polls come at once, or one is torn off", arguments: [true, false])
    func oneAtATime(isSecond: Bool) async throws {
        try await play { scene in
            let client = Client(scene: scene)
            let sid = try #require(client.open())
            _ = client.post(sid, "40")
            _ = client.poll(sid)
            let waiting = client.poll(sid)
            if isSecond { #expect(client.poll(sid).answer?.status == 400) } else { waiting.cut() }
            #expect(client.poll(sid).answer?.status == 400)
            #expect(scene.company.read() == ["arrived", "lost"])
        }
    }

    @Test("outlasts a large POST that takes longer to read than its ping timeout", arguments: [40_000, 100])
    func largePost(bytes: Int) async throws {
        try await play { scene in
            let client = Client(scene: scene)
            let sid = try #require(client.open())
            _ = client.post(sid, "40")
            _ = client.poll(sid)
            scene.wait(.seconds(25))
            #expect(client.poll(sid).answer?.body == "2")
            let word = String(repeating: "x", count: bytes)
            #expect(client.post(sid, #"42["\#(word)"]"#)?.status == 200)
            scene.clock.stall(for: .seconds(30))
            #expect(client.post(sid, "3")?.status == (bytes > 1000 ? 200 : 400))
        }
    }

    @Test("ends with what makes no sense", arguments: ["9", "42{", "4", ""])
    func nonsense(body: String) async throws {
        try await play { scene in
            let client = Client(scene: scene)
            let sid = try #require(client.open())
            #expect(client.post(sid, body)?.status == 400)
            #expect(client.post(sid, "40")?.status == 400)
        }
    }
}

@Suite("An upgrade", .timeLimit(.minutes(1)))
struct UpgradeTests {
    @Test("B01.whole takes the session to its WebSocket, with what came in between")
    func upgrade() async throws {
        try await play { scene in
            let client = Client(scene: scene)
            let sid = try #require(client.open())
            _ = client.post(sid, "40")
            _ = client.poll(sid)
            let waiting = client.poll(sid)
            let webSocket = client.webSocket("&sid=\(sid)")
            webSocket.say("2probe")
            #expect(webSocket.heard() == ["3probe"] && waiting.answer?.body == "6")
            scene.company.tell("in between")
            webSocket.say("5")
            scene.company.tell("behind")
            let news = webSocket.heard()
            #expect(news.map { $0.contains("in between") } == [true, false] && news[1].contains("behind"))
            #expect(client.poll(sid).answer?.status == 400)
            webSocket.say(#"42["still here"]"#)
            #expect(scene.company.read() == ["arrived", "heard still here"])
        }
    }

    @Test("that is not finished in time costs the WebSocket only")
    func late() async throws {
        try await play { scene in
            let client = Client(scene: scene)
            let sid = try #require(client.open())
            _ = client.post(sid, "40")
            _ = client.poll(sid)
            let webSocket = client.webSocket("&sid=\(sid)")
            webSocket.say("2probe")
            scene.wait(.milliseconds(9_999))
            #expect(webSocket.heard() == ["3probe"])
            scene.wait(.milliseconds(1))
            #expect(webSocket.heard().first?.hasPrefix("closed") == true)
            scene.company.tell("still polling")
            #expect(client.poll(sid).answer?.body.contains("still polling") == true)
        }
    }
}

@Suite("A heartbeat", .timeLimit(.minutes(1)))
struct HeartbeatTests {
    @Test("B05 is asked for by the server in version 4, for as long as it is answered")
    func version4() async throws {
        try await play { scene in
            let client = Client(scene: scene).connected()
            _ = client.heard()
            for _ in 0..<3 {
                scene.wait(.milliseconds(24_999))
                #expect(client.heard() == [])
                scene.wait(.milliseconds(1))
                #expect(client.heard() == ["2"])
                client.say("3")
            }
            scene.wait(.seconds(25))
            scene.wait(.milliseconds(19_989))
            #expect(client.heard() == ["2"] && scene.company.read() == ["arrived"])
            // Ten milliseconds early, so that nobody who waits exactly as long finds it just going.
            scene.wait(.milliseconds(1))
            #expect(client.heard() == ["closed 1000"] && scene.company.read() == ["lost"])
        }
    }

    @Test("B05 is the client's own in version 3: whoever is silent for interval and timeout is gone")
    func version3() async throws {
        try await play { scene in
            let client = Client(scene: scene, version: "EIO=3").webSocket()
            scene.wait(.milliseconds(10))
            _ = client.heard()
            for _ in 0..<3 {
                scene.wait(.milliseconds(44_900))
                client.say("2")
                #expect(client.heard() == ["3"])
            }
            scene.wait(.milliseconds(44_989))
            #expect(client.heard() == [])
            scene.wait(.milliseconds(1))
            #expect(client.heard() == ["closed 1000"])
            #expect(scene.company.read() == ["arrived", "left lineLost"])
        }
    }
}
