import Testing

@testable import SocketServer

@Suite("A client whose answer is held back", .timeLimit(.minutes(1)))
struct HeldArrivalTests {
    @Test("by WebSocket hears nothing before it is released, and then everything in order")
    func webSocket() async throws {
        try await play { scene in
            scene.company.isHolding = true
            let client = Client(scene: scene).connected()
            scene.company.tell("one")
            scene.company.sockets.last?.emit("ask", { _ in }, answer: { _ in })
            #expect(client.heard().count == 1)
            scene.company.sockets.last?.release()
            let heard = client.heard()
            #expect(
                heard.count == 3 && heard[0].hasPrefix("40") && heard[1].contains("one") && heard[2].contains("ask"))
            scene.company.tell("two")
            #expect(client.heard().count == 1)
            scene.company.sockets.last?.release()
            #expect(client.heard() == [])
        }
    }

    @Test("by polling waits with its poll")
    func polling() async throws {
        try await play { scene in
            scene.company.isHolding = true
            let client = Client(scene: scene)
            let sid = try #require(client.open())
            #expect(client.post(sid, "40")?.body == "ok")
            let poll = client.poll(sid)
            #expect(poll.answer == nil)
            scene.company.sockets.last?.release()
            #expect(poll.answer?.body.hasPrefix("40") == true)
        }
    }

    @Test("hears why it is sent away, and may go before it was answered")
    func end() async throws {
        try await play { scene in
            scene.company.isHolding = true
            let client = Client(scene: scene).connected()
            scene.company.sockets.last?.disconnect(closingLink: true)
            #expect(client.heard().dropFirst().map { $0.prefix(2) } == ["40", "41", "cl"])
            let other = Client(scene: scene).connected()
            other.pipe.cut()
            scene.company.sockets.last?.release()
            #expect(scene.company.read() == ["arrived", "left sentAway", "arrived", "lost"])
        }
    }
}
