import Sessions
import SocketIO
import TestSupport
import Testing

@Suite("An Engine.IO session that is corked")
struct CorkedSessionTests {
    @Test("sends nothing, and when it is uncorked everything in its order, a ping among it")
    func order() {
        let bench = SessionBench(.v4, on: .webSocket)
        bench.cork()
        bench.send("one")
        bench.advance(300)
        bench.send("two")
        #expect(bench.frames.count == 1 && bench.pings == 1)
        bench.uncork()
        #expect(bench.frames.dropFirst() == ["4one", "2", "4two"])
        bench.send("three")
        #expect(bench.frames.last == "4three")
    }

    @Test("leaves a poll waiting")
    func polling() throws {
        let bench = SessionBench()
        bench.cork()
        try bench.poll()
        bench.send("one")
        try bench.post("4hello")
        #expect(bench.isPolling)
        bench.uncork()
        #expect(!bench.isPolling && bench.pollAnswers.last == "4one")
    }

    @Test("stays so over an upgrade")
    func upgrade() throws {
        let bench = SessionBench()
        bench.cork()
        bench.send("one")
        try bench.openSocket()
        bench.frame("2probe")
        bench.frame("5")
        #expect(bench.upgrades == 1 && bench.frames == ["3probe"])
        bench.uncork()
        #expect(bench.frames == ["3probe", "4one"])
    }

    @Test("still sends what has waited when it is closed", arguments: EngineTransport.allCases)
    func closed(_ transport: EngineTransport) throws {
        let bench = SessionBench(.v4, on: transport)
        bench.cork()
        bench.send("one")
        bench.close()
        if transport == .polling { try bench.poll() }
        #expect(bench.packets.filter { $0.kind == .message }.count == 1 && bench.end == .forcedClose)
    }

    @Test("ends when it is more than may wait: bytes that wait for a client", arguments: EngineTransport.allCases)
    func bound(_ transport: EngineTransport) {
        let bench = SessionBench(.v4, on: transport, settings: EngineSettings(maximumQueuedBytes: 10_000))
        bench.cork()
        let kilobyte = String(repeating: "x", count: 1_000)
        var count = 0
        while bench.send(kilobyte) { count += 1 }
        #expect(count == 9 && bench.end == .slowReader)
    }
}
