import Pacing
import SocketIO
import Testing
import Vocabulary

@testable import SocketServer

@Suite("A handshake", .timeLimit(.minutes(1)))
struct HandshakeTests {
    @Test("by polling offers the WebSocket, and one by WebSocket offers nothing", arguments: [true, false])
    func opening(isPolling: Bool) async throws {
        try await play { scene in
            let client = Client(scene: scene)
            let opening =
                isPolling ? try #require(client.handshake()).body : try #require(client.webSocket().heard().first)
            let upgrades = isPolling ? #"["websocket"]"# : "[]"
            let rest = #","upgrades":\#(upgrades),"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#
            #expect(opening.first == "0" && opening.sid != nil && opening.hasSuffix(rest))
        }
    }

    @Test(
        "that makes no sense is answered with a number", arguments: ["transport=pigeon", "transport=polling&sid=who"])
    func refused(query: String) async throws {
        try await play { scene in
            let answer = try #require(Client(scene: scene).ask("GET", query).answer)
            #expect(
                answer.status == 400 && answer.head.contains("application/json") && answer.body.member("message") != nil
            )
        }
    }

    @Test("of version 3 is refused in that version's words where nobody needs it")
    func withoutLegacy() async throws {
        try await play({ $0.legacyLink = nil }) { scene in
            for version in ["EIO=3", "b64=1"] {
                let answer = try #require(Client(scene: scene, version: version).handshake())
                #expect(answer.status == 400)
                #expect(answer.body == #"{"code":5,"message":"Unsupported protocol version"}"#)
            }
            #expect(Client(scene: scene).connected().heard().count == 2)
        }
    }

    @Test("without a version is of version 3 where one of its clients is known by a parameter")
    func implied() async throws {
        try await play({ $0.legacyLink?.impliedBy = ["key"] }) { scene in
            #expect(Client(scene: scene, version: "key=1").handshake()?.status == 200)
            #expect(Client(scene: scene, version: "b64=1").handshake()?.status == 400)
        }
    }

    @Test("of version 4 is followed by the client's CONNECT, and one of version 3 by our own")
    func connecting() async throws {
        try await play { scene in
            let new = Client(scene: scene).connected().heard()
            #expect(new.count == 2 && new[1].hasPrefix("40") && new[1].sid != nil && new[1].member("pid") != nil)
            let old = Client(scene: scene, version: "EIO=3").webSocket()
            // The opening keeps its distance from the 101.
            scene.wait(.milliseconds(9))
            #expect(old.heard() == [])
            scene.wait(.milliseconds(1))
            let heard = old.heard()
            #expect(heard.count == 2 && heard[1] == "40")
            #expect(scene.company.read() == ["arrived", "arrived"])
        }
    }

    @Test("that no CONNECT follows is over in time: a session without a CONNECT")
    func connectTimeout() async throws {
        try await play({ $0.connectTimeout = .seconds(20) }) { scene in
            let silent = Client(scene: scene).webSocket()
            let busy = Client(scene: scene).connected()
            _ = (silent.heard(), busy.heard())
            scene.wait(.milliseconds(19_999))
            #expect(silent.heard() == [])
            scene.wait(.milliseconds(1))
            #expect(silent.heard() == ["closed 1000"] && busy.heard() == [])
        }
    }

    @Test("H4 of version 3 that is refused is over in time, however often its client pings")
    func refusedLegacy() async throws {
        try await play({ $0.connectTimeout = .seconds(20) }) { scene in
            scene.company.refusal = "banned"
            let old = Client(scene: scene, version: "EIO=3").webSocket()
            scene.wait(.seconds(10))
            #expect(old.heard().last == #"44"banned""#)
            old.say("2")
            scene.wait(.milliseconds(9_999))
            #expect(old.heard() == ["3"])
            scene.wait(.milliseconds(11))
            #expect(old.heard() == ["closed 1000"])
        }
    }

    @Test("H2 that is followed by one refused CONNECT after the other ends: maximumRefusals")
    func refusals() async throws {
        try await play { scene in
            scene.company.refusal = "banned"
            let client = Client(scene: scene).connected()
            client.say("40")
            #expect(client.heard().count == 3)
            client.say("40")
            #expect(client.heard().suffix(2) == [#"44{"message":"banned"}"#, "closed 1000"])
        }
    }

    @Test("H4 that no accepted CONNECT has followed yet takes little: maximumBytesBeforeConnect")
    func beforeConnect() async throws {
        try await play { scene in
            let large = Client(scene: scene).webSocket()
            // The header of a text of 20,000 bytes is enough.
            large.pipe.send([0x81, 0xFE, 0x4E, 0x20, 0, 0, 0, 0])
            #expect(large.heard().last == "closed 1009")
            let binary = Client(scene: scene).webSocket()
            binary.say(#"451-["x",{"_placeholder":true,"num":0}]"#)
            #expect(binary.heard().last == "closed 1002")
        }
    }

    @Test("H1 with a token in its query is followed only by requests that have the same one")
    func credential() async throws {
        try await play({ $0.legacyLink?.credential = "key" }) { scene in
            let victim = Client(scene: scene, version: "EIO=3&key=1")
            let sid = try #require(victim.open())
            for query in ["EIO=3", "EIO=3&key=2"] {
                for method in ["GET", "POST"] {
                    let thief = Client(scene: scene, version: query)
                    let answer = try #require(thief.ask(method, "transport=polling&sid=\(sid)").answer)
                    #expect(answer.status == 400 && answer.body.contains("Session ID unknown"))
                }
            }
            #expect(victim.poll(sid).answer?.body == "2:40")
        }
    }

    @Test("of somebody who may not come in ends with the reason")
    func refusal() async throws {
        try await play { scene in
            scene.company.refusal = "banned"
            let heard = Client(scene: scene).connected().heard()
            #expect(heard.last == #"44{"message":"banned"}"#)
            let elsewhere = Client(scene: scene).webSocket()
            elsewhere.say("40/nowhere,")
            #expect(elsewhere.heard().last == #"44/nowhere,{"message":"Invalid namespace"}"#)
        }
    }
}

@Suite("An address that begins sessions", .timeLimit(.minutes(1)))
struct ArrivalTests {
    @Test("is held to its rate by polling and by WebSocket, and waiting helps")
    func rate() async throws {
        try await play({ $0.arrivals.rate = .init(perSecond: 1, burst: 3) }) { scene in
            let client = Client(scene: scene, address: .v4(1))
            #expect((0..<3).allSatisfy { _ in client.handshake()?.status == 200 })
            let answer = try #require(client.handshake())
            #expect(answer.status == 429 && answer.head.contains("Retry-After: 1"))
            let message = "connection rate limit exceeded; connect again later"
            let words = #""code":4,"message":"\#(message)""#
            let error = #""error":{"code":"rate_limited","message":"\#(message)","retryAfter":1000}"#
            #expect(answer.body == "{\(words),\(error)}")
            #expect(client.webSocket().status == 429)
            #expect(Client(scene: scene, address: .v4(2)).handshake()?.status == 200)
            scene.wait(.seconds(1))
            #expect(client.webSocket().status == 101 && client.handshake()?.status == 429)
        }
    }

    @Test("has room for so many, and for one more when one has ended however it may")
    func open() async throws {
        try await play({ $0.arrivals.maximumOpen = 2 }) { scene in
            let client = Client(scene: scene, address: .v4(1))
            let first = client.connected()
            let second = try #require(client.open())
            #expect(client.handshake()?.status == 429)
            first.pipe.cut()
            let third = client.connected()
            #expect(third.status == 101 && client.handshake()?.status == 429)
            #expect(client.post(second, "1")?.status == 200)
            #expect(client.handshake()?.status == 200)
            // The silent one is gone with its heartbeat, and so is the third, which nobody answered for.
            scene.wait(.seconds(46))
            #expect(client.webSocket().status == 101 && client.webSocket().status == 101)
            #expect(client.handshake()?.status == 429)
        }
    }
}
