import Client
import TestSupport
import Testing
import Vocabulary

@Suite("A client's requests")
struct ClientRequestTests {
    private func online(_ change: (inout ClientSettings) -> Void = { _ in }) -> ClientScene {
        let scene = ClientScene(change)
        _ = scene.start()
        scene.getIn()
        return scene
    }

    private func json(_ text: String) throws -> RawJSON { try #require(RawJSON(text)) }

    @Test("travel as events with a number, and are answered under it")
    func answered() throws {
        let scene = self.online()
        let (id, orders) = try scene.ask("room.join", #"{"room":"a"}"#)
        #expect(orders == [.send(text: #"42\#(id)["room.join",{"room":"a"}]"#)])
        let answer = try self.json(#"{"count":1}"#)
        #expect(scene.hear(#"43\#(id)[{"count":1}]"#) == [.tell(.answered(id, answer))])
        #expect(scene.hear(#"43\#(id)[{"count":1}]"#) == [], "a second answer is nobody's")
    }

    @Test("that are not granted say why")
    func refused() throws {
        let scene = self.online()
        let (id, _) = try scene.ask("room.join")
        let refusal = ServerRefusal(code: "rate_limited", message: "slower", retryAfter: .milliseconds(250))
        let answer = #"43\#(id)[{"error":{"code":"rate_limited","message":"slower","retryAfter":250}}]"#
        #expect(scene.hear(answer) == [.tell(.unanswered(id, .refused(refusal)))])
    }

    @Test("without an answer in time are over, and a late answer is nobody's")
    func timesOut() throws {
        let scene = self.online()
        let (first, _) = try scene.ask("one")
        _ = scene.wait(.seconds(5))
        let (second, _) = try scene.ask("two")
        #expect(scene.wait(.milliseconds(9_999)) == [])
        #expect(scene.wait(.milliseconds(1)) == [.tell(.unanswered(first, .timedOut))])
        #expect(scene.wait(.seconds(5)) == [.tell(.unanswered(second, .timedOut))])
        #expect(scene.hear("43\(first)[{}]") == [] && scene.isOnline)
    }

    @Test("B03.once made without a connection leave with the next one, once and in order")
    func waitForConnection() throws {
        let scene = self.online()
        _ = scene.lose()
        let (first, none) = try scene.ask("one")
        let (second, _) = try scene.ask("two")
        #expect(none == [])
        _ = scene.wait(.seconds(1))
        let sends = scene.getIn().dropFirst()
        #expect(Array(sends) == [.send(text: #"42\#(first)["one",{}]"#), .send(text: #"42\#(second)["two",{}]"#)])
        let lost = scene.lose()
        #expect(lost.contains(.tell(.unanswered(first, .connectionLost))))
        #expect(lost.contains(.tell(.unanswered(second, .connectionLost))))
        _ = scene.wait(.seconds(1))
        #expect(scene.getIn().count == 1, "what was sent is never sent a second time")
    }

    @Test("run out of time also without a connection")
    func timesOutOffline() throws {
        let scene = self.online()
        _ = scene.lose()
        let (id, _) = try scene.ask("one")
        #expect(scene.wait(.seconds(15)).contains(.tell(.unanswered(id, .timedOut))))
    }

    @Test("are told so when there will be no answer any more")
    func ended() throws {
        let scene = self.online()
        let (id, _) = try scene.ask("one")
        #expect(scene.stop().contains(.tell(.unanswered(id, .ended(.stopped)))))
        #expect(throws: ClientError.ended(.stopped)) { try scene.ask("two") }
    }

    @Test("are not piled up without end")
    func tooMany() throws {
        let scene = self.online { $0.maximumRequests = 2 }
        _ = try scene.ask("one")
        _ = try scene.ask("two")
        #expect(throws: ClientError.tooManyRequests) { try scene.ask("three") }
    }
}

@Suite("What a server says to a client")
struct ClientHearingTests {
    private func online() -> ClientScene {
        let scene = ClientScene()
        _ = scene.start()
        scene.getIn()
        return scene
    }

    @Test("is passed on with its name and the very bytes of its argument")
    func event() throws {
        let argument = try #require(RawJSON(#"{"a" : [1, "\u00e9"]}"#))
        let heard = self.online().hear(#"42["x.y",{"a" : [1, "\u00e9"]},"zz"]"#)
        #expect(heard == [.tell(.event(name: "x.y", argument: argument))])
    }

    @Test(
        "ends the connection when it is no packet",
        arguments: [
            "", "x", "9", "0{}", "4", "4x", "42", "42[", "42[]", #"42["a""#, "43[]", "40{}", "44{}", "451-[]", "bAAAA",
        ])
    func nonsense(frame: String) {
        let orders = self.online().hear(frame)
        #expect(orders.first == .hangUp)
        guard case .tell(.away(.brokenPacket, _)) = orders.last else {
            Issue.record("\(frame) led to \(orders)")
            return
        }
    }

    @Test("of other namespaces is nobody's")
    func otherNamespace() {
        #expect(self.online().hear(#"42/other,["a",{}]"#) == [])
    }

    @Test("that it closes leads back")
    func close() {
        let away = ClientOutbox.News.away(.closedByServer(nil), retryIn: .seconds(1))
        #expect(self.online().hear("1") == [.hangUp, .tell(away)])
    }

    @Test("never brings the client down, whatever it is")
    func fuzz() {
        var random = SeededRandom(seed: 2026)
        let samples = [
            ClientScene.opening, #"40{"sid":"\#(ClientScene.member)","pid":"k"}"#, #"42["signal",{"a":[1,2]},"q"]"#,
            #"431[{"error":{"code":"c"}}]"#, #"44{"message":"unauthorized"}"#, "41", "2", "1",
        ]
        for _ in 0..<3000 {
            let scene = ClientScene { $0.insistsFromTheStart = true }
            _ = scene.start()
            scene.open()
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                var bytes = Array(samples.randomElement(using: &random).map { Array($0.utf8) } ?? [])
                if Bool.random(using: &random), !bytes.isEmpty {
                    bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 32...126, using: &random)
                }
                _ = scene.hear(String(decoding: bytes, as: UTF8.self))
            }
            _ = scene.wait(.seconds(30))
            #expect(scene.hasDeadline || !scene.isOnline)
        }
    }
}
