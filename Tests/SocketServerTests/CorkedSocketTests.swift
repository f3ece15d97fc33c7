import Testing

@testable import SocketServer

@Suite("A socket that is corked", .timeLimit(.minutes(1)))
struct CorkedSocketTests {
    @Test("by WebSocket sends nothing before it is uncorked, and then everything in order")
    func webSocket() async throws {
        try await play { scene in
            scene.company.isCorking = true
            let client = Client(scene: scene).connected()
            scene.company.tell("one")
            scene.company.sockets.last?.emit("ask", { _ in }, answer: { _ in })
            #expect(client.heard().count == 1)
            scene.company.sockets.last?.uncork()
            let heard = client.heard()
            #expect(
                heard.count == 3 && heard[0].hasPrefix("40") && heard[1].contains("one") && heard[2].contains("ask"))
            scene.company.tell("two")
            #expect(client.heard().count == 1)
            scene.company.sockets.last?.uncork()
            #expect(client.heard() == [])
        }
    }

    @Test("by polling leaves the poll waiting")
    func polling() async throws {
        try await play { scene in
            scene.company.isCorking = true
            let client = Client(scene: scene)
            let sid = try #require(client.open())
            #expect(client.post(sid, "40")?.body == "ok")
            let poll = client.poll(sid)
            #expect(poll.answer == nil)
            scene.company.sockets.last?.uncork()
            #expect(poll.answer?.body.hasPrefix("40") == true)
        }
    }

    @Test("tells why its client is sent away, and may lose its client before it is uncorked")
    func end() async throws {
        try await play { scene in
            scene.company.isCorking = true
            let client = Client(scene: scene).connected()
            scene.company.sockets.last?.disconnect(closingLink: true)
            #expect(client.heard().dropFirst().map { $0.prefix(2) } == ["40", "41", "cl"])
            let other = Client(scene: scene).connected()
            other.pipe.cut()
            scene.company.sockets.last?.uncork()
            #expect(scene.company.read() == ["arrived", "left sentAway", "arrived", "lost"])
        }
    }
}
