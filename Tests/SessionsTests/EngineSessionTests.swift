import Sessions
import SocketIO
import Testing
import Vocabulary

@Suite("An Engine.IO session on polling")
struct PollingSessionTests {
    @Test("opens with the first answer, which goes alone")
    func opens() throws {
        for version in EngineVersion.allCases {
            let bench = SessionBench(version)
            #expect(bench.pollAnswers.count == 1)
            #expect(bench.pollAnswers[0].contains(#""upgrades":["websocket"],"pingInterval":300,"pingTimeout":200"#))
            bench.send("0")
            #expect(try bench.poll() == (version == .v4 ? "40" : "2:40"))
        }
    }

    @Test("brings one, several and binary packets of one POST back in one answer")
    func echoes() throws {
        let bodies: [(EngineVersion, [String])] = [
            (.v4, ["4hello", "4test1\u{1e}4test2\u{1e}4test3", "4你好"]),
            (.v3, ["6:4hello", "6:4test16:4test26:4test3", "3:4你好"]),
        ]
        for (version, bodies) in bodies {
            for body in bodies {
                let bench = SessionBench(version)
                bench.echoes = true
                #expect(try bench.post(body) == .ok)
                #expect(try bench.poll() == body)
                #expect(try bench.poll() == nil)
                #expect(try bench.post(body) == .ok)
                #expect(bench.pollAnswers.last == body)
            }
        }
    }

    @Test("lets a waiting poll go as soon as there is something to tell, binary with its message")
    func waiting() throws {
        let bench = SessionBench()
        #expect(try bench.poll() == nil)
        bench.send("51-[]", attachments: [[1, 2, 3, 4]])
        #expect(bench.pollAnswers.last == "451-[]\u{1e}bAQIDBA==")
        #expect(!bench.isPolling)
    }

    @Test("puts no more into an answer than a payload may weigh, and nothing out of order")
    func batches() throws {
        let bench = SessionBench(settings: EngineSettings(maxPayload: 100))
        let messages = (0..<10).map { "message \($0) " + String(repeating: "x", count: 20) }
        for message in messages { bench.send(message) }
        bench.send(String(repeating: "y", count: 500))
        var answers: [String] = []
        while bench.session.transport == .polling, let answer = try bench.poll() { answers.append(answer) }
        #expect(answers.dropLast().allSatisfy { $0.utf8.count <= 100 })
        #expect(answers.last?.utf8.count == 501)
        #expect(answers.joined(separator: "\u{1e}").hasPrefix(messages.map { "4" + $0 }.joined(separator: "\u{1e}")))
    }

    @Test("closes upon a second poll beside the first, which learns of it")
    func duplicatePoll() throws {
        for (version, last) in [(EngineVersion.v4, "1"), (.v3, "1:1")] {
            let bench = SessionBench(version)
            try bench.poll()
            #expect(throws: EngineRefusal.badRequest) { try bench.poll() }
            #expect(bench.pollAnswers.last == last)
            #expect(bench.end == .transportError)
            #expect(throws: EngineRefusal.unknownSession) { try bench.poll() }
        }
    }

    @Test("closes upon a poll that was torn off")
    func abortedPoll() throws {
        let bench = SessionBench()
        try bench.poll()
        bench.abortPoll()
        #expect(bench.end == .transportError)
        #expect(throws: EngineRefusal.unknownSession) { try bench.poll() }
    }

    @Test("does not mind a connection that closes behind its answer")
    func answeredPoll() throws {
        let bench = SessionBench()
        bench.abortPoll()
        #expect(bench.end == nil)
    }

    @Test("closes upon a second POST beside the first")
    func duplicatePost() throws {
        let bench = SessionBench()
        try bench.beginPost()
        #expect(throws: EngineRefusal.badRequest) { try bench.beginPost() }
        #expect(bench.end == .transportError)
        #expect(bench.finishPost("4late") == .badRequest)
        #expect(bench.delivered.isEmpty)
    }

    @Test("closes upon a POST that was torn off")
    func abortedPost() throws {
        let bench = SessionBench()
        try bench.beginPost()
        bench.abortPost()
        #expect(bench.end == .transportError)
    }

    @Test(
        "closes upon what is no packet", arguments: [(EngineVersion.v4, "abc"), (.v4, ""), (.v3, "abc"), (.v3, "3:4a")])
    func garbage(_ version: EngineVersion, _ body: String) throws {
        let bench = SessionBench(version)
        try bench.poll()
        #expect(try bench.post(body) == .badRequest)
        #expect(bench.end == .parseError)
        #expect(bench.pollAnswers.last == (version == .v4 ? "1" : "1:1"))
    }

    @Test("closes upon an open packet of the client's")
    func openPacket() throws {
        let bench = SessionBench()
        #expect(try bench.post("0{}") == .badRequest)
        #expect(bench.end == .parseError)
    }

    @Test("is closed by its client, and the waiting poll ends with a noop")
    func clientCloses() throws {
        for (version, body, last) in [(EngineVersion.v4, "1", "6"), (.v3, "1:1", "1:6")] {
            let bench = SessionBench(version)
            try bench.poll()
            #expect(try bench.post(body) == .ok)
            #expect(bench.pollAnswers.last == last)
            #expect(bench.end == .transportClose)
            #expect(throws: EngineRefusal.unknownSession) { try bench.poll() }
            #expect(throws: EngineRefusal.unknownSession) { try bench.post(body) }
        }
    }

    @Test("delivers nothing that follows a goodbye")
    func afterGoodbye() throws {
        let bench = SessionBench()
        #expect(try bench.post("4a\u{1e}1\u{1e}4b") == .ok)
        #expect(bench.delivered == ["a"])
    }

    @Test("is closed by the server through the waiting poll")
    func serverClosesWaiting() throws {
        let bench = SessionBench()
        try bench.poll()
        bench.close()
        #expect(bench.pollAnswers.last == "1" && bench.end == .forcedClose)
    }

    @Test("is closed by the server with the next poll, behind everything that was sent")
    func serverClosesLater() throws {
        let bench = SessionBench()
        bench.send("last words")
        bench.close(.serverShutdown)
        #expect(bench.end == nil)
        #expect(!bench.send("too late"))
        #expect(throws: EngineRefusal.badRequest) { try bench.post("4too late") }
        #expect(try bench.poll() == "4last words\u{1e}1")
        #expect(bench.end == .serverShutdown)
    }

    @Test("does not wait for ever to say goodbye")
    func serverClosesAlone() {
        let bench = SessionBench(settings: EngineSettings(closeTimeout: .seconds(3)))
        bench.close()
        bench.advance(2_999)
        #expect(bench.end == nil)
        bench.advance(1)
        #expect(bench.end == .forcedClose)
    }

    @Test("ends when it is more than may wait: bytes that wait for a client")
    func slowReader() {
        let bench = SessionBench(settings: EngineSettings(maximumQueuedBytes: 10_000))
        let kilobyte = String(repeating: "x", count: 1_000)
        var count = 0
        while bench.send(kilobyte) { count += 1 }
        #expect(count == 9 && bench.end == .slowReader)
    }

    @Test("sends alone whatever its size")
    func largeMessage() throws {
        let bench = SessionBench(settings: EngineSettings(maximumQueuedBytes: 10_000))
        #expect(bench.send(String(repeating: "x", count: 50_000)))
        #expect(try bench.poll()?.utf8.count == 50_001)
    }
}

@Suite("An Engine.IO session on a WebSocket")
struct WebSocketSessionTests {
    @Test("opens with its first frame and offers no upgrade")
    func opens() {
        let bench = SessionBench(.v4, on: .webSocket)
        #expect(bench.frames.count == 1 && bench.frames[0].contains(#""upgrades":[],"#))
        #expect(throws: EngineRefusal.badRequest) { try bench.poll() }
        #expect(throws: EngineRefusal.badRequest) { try bench.beginPost() }
        #expect(throws: EngineRefusal.badRequest) { try bench.openSocket() }
        #expect(bench.end == nil)
    }

    @Test("carries messages both ways")
    func echoes() {
        let bench = SessionBench(.v4, on: .webSocket)
        bench.echoes = true
        bench.frame("4hello")
        bench.frame("4你好")
        #expect(bench.delivered == ["hello", "你好"])
        #expect(bench.frames.dropFirst() == ["4hello", "4你好"])
    }

    @Test("closes upon what is no packet", arguments: ["abc", "", "9"])
    func garbage(_ text: String) {
        let bench = SessionBench(.v4, on: .webSocket)
        bench.frame(text)
        #expect(bench.end == .parseError && bench.closeCodes == [1002])
    }

    @Test("is closed by its client, politely or not")
    func clientCloses() {
        let polite = SessionBench(.v4, on: .webSocket)
        polite.frame("1")
        #expect(polite.end == .transportClose && polite.closeCodes == [1000])
        let lost = SessionBench(.v4, on: .webSocket)
        lost.closeSocket()
        #expect(lost.end == .transportClose && lost.closeCodes.isEmpty)
    }

    @Test("is closed by the server with a code that says why")
    func serverCloses() {
        for (reason, code) in [(EngineEnd.forcedClose, UInt16(1000)), (.serverShutdown, 1001)] {
            let bench = SessionBench(.v4, on: .webSocket)
            bench.close(reason)
            #expect(bench.end == reason && bench.closeCodes == [code])
        }
    }

    @Test("ends when its client does not read, with a code that says come back")
    func slowReader() {
        let bench = SessionBench(.v4, on: .webSocket, settings: EngineSettings(maximumQueuedBytes: 1_000))
        bench.reportBacklog(1_000)
        #expect(bench.end == nil)
        bench.reportBacklog(1_001)
        #expect(bench.end == .slowReader && bench.closeCodes == [1013])
    }
}

@Suite("The heartbeat of an Engine.IO session")
struct HeartbeatTests {
    @Test("of version 4 asks every interval", arguments: EngineTransport.allCases)
    func version4(_ transport: EngineTransport) throws {
        let bench = SessionBench(.v4, on: transport)
        for round in 1...3 {
            if transport == .polling { try bench.poll() }
            bench.advance(299)
            #expect(bench.pings == round - 1)
            bench.advance(1)
            #expect(bench.pings == round)
            if transport == .polling {
                #expect(bench.pollAnswers.last == "2")
                #expect(try bench.post("3") == .ok)
            } else {
                #expect(bench.frames.last == "2")
                bench.frame("3")
            }
            #expect(bench.pongs == round)
        }
        #expect(bench.end == nil)
    }

    @Test("of version 4 ends a session that does not answer, before its client would look")
    func version4Silence() throws {
        for transport in EngineTransport.allCases {
            let bench = SessionBench(.v4, on: transport)
            bench.advance(480)
            #expect(bench.end == nil)
            bench.advance(19)
            #expect(bench.end == .pingTimeout)
        }
        let waiting = SessionBench()
        try waiting.poll()
        waiting.advance(300)
        try waiting.poll()
        waiting.advance(199)
        #expect(waiting.pollAnswers.suffix(2) == ["2", "1"])
    }

    @Test("of version 4 takes anything for a sign of life")
    func version4Chatter() {
        let bench = SessionBench(.v4, on: .webSocket)
        for _ in 0..<20 {
            bench.advance(150)
            bench.frame("4still here")
        }
        #expect(bench.end == nil && bench.pings == 1)
        bench.advance(189)
        #expect(bench.end == nil)
        bench.advance(1)
        #expect(bench.end == .pingTimeout)
    }

    @Test("of version 3 answers its client")
    func version3() throws {
        let polling = SessionBench(.v3)
        for _ in 0..<5 {
            polling.advance(300)
            #expect(try polling.post("1:2") == .ok)
            #expect(try polling.poll() == "1:3")
        }
        #expect(polling.end == nil && polling.pings == 0)
        let webSocket = SessionBench(.v3, on: .webSocket)
        webSocket.frame("2")
        #expect(webSocket.frames.last == "3")
    }

    @Test("of version 3 ends a session that is silent for interval and timeout, and any packet starts it anew")
    func version3Silence() throws {
        let bench = SessionBench(.v3)
        bench.advance(480)
        #expect(try bench.post("6:4hello") == .ok)
        bench.advance(480)
        #expect(bench.end == nil)
        bench.advance(19)
        #expect(bench.end == .pingTimeout)
        #expect(throws: EngineRefusal.unknownSession) { try bench.post("1:2") }
    }

    @Test("goes one way only", arguments: [(EngineVersion.v4, "2"), (.v3, "3")])
    func direction(_ version: EngineVersion, _ frame: String) {
        let bench = SessionBench(version, on: .webSocket)
        bench.frame(frame)
        #expect(bench.end == .transportError)
    }

    @Test("counts no pong that nobody asked for")
    func unasked() {
        let bench = SessionBench(.v4, on: .webSocket)
        bench.frame("3")
        #expect(bench.pongs == 0 && bench.end == nil)
    }
}
