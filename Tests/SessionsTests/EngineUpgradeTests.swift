import Sessions
import SocketIO
import TestSupport
import Testing
import Vocabulary

@Suite("An upgrade to WebSocket")
struct EngineUpgradeTests {
    /// Polling with a WebSocket that has shown what it can do.
    private func probing(_ version: EngineVersion = .v4) throws -> SessionBench {
        let bench = SessionBench(version, settings: EngineSettings())
        try bench.openSocket()
        bench.frame("2probe")
        return bench
    }

    @Test("goes by probe, released poll and upgrade packet", arguments: EngineVersion.allCases)
    func succeeds(_ version: EngineVersion) throws {
        let bench = try self.probing(version)
        bench.echoes = true
        #expect(bench.frames == ["3probe"])
        #expect(try bench.poll() == (version == .v4 ? "6" : "1:6"))
        bench.frame("5")
        #expect(bench.upgrades == 1)
        bench.frame("4hello")
        #expect(bench.frames == ["3probe", "4hello"])
        #expect(bench.session.transport == .webSocket)
    }

    @Test("lets a poll go that was waiting before the probe")
    func releasesWaitingPoll() throws {
        let bench = SessionBench()
        try bench.poll()
        try bench.openSocket()
        #expect(bench.isPolling)
        bench.frame("2probe")
        #expect(bench.pollAnswers.last == "6")
    }

    @Test("lets a client that keeps polling go about every 100 ms, and does not let it spin")
    func pace() throws {
        let bench = try self.probing()
        #expect(try bench.poll() == "6")
        #expect(try bench.poll() == nil)
        bench.advance(99)
        #expect(bench.isPolling)
        bench.advance(1)
        #expect(bench.pollAnswers.suffix(2) == ["6", "6"])
        try bench.poll()
        bench.advance(100)
        #expect(bench.pollAnswers.count == 4)
    }

    @Test("ends polling for good, without harm to the session")
    func refusesPolling() throws {
        let bench = try self.probing()
        bench.echoes = true
        bench.frame("5")
        #expect(throws: EngineRefusal.badRequest) { try bench.poll() }
        #expect(throws: EngineRefusal.badRequest) { try bench.post("4late") }
        bench.frame("4hello")
        #expect(bench.frames.last == "4hello" && bench.end == nil)
    }

    @Test("is offered once: another WebSocket is refused before and after")
    func refusesSecondSocket() throws {
        let bench = try self.probing()
        #expect(throws: EngineRefusal.badRequest) { try bench.openSocket() }
        bench.frame("5")
        #expect(throws: EngineRefusal.badRequest) { try bench.openSocket() }
        bench.frame("4hello")
        #expect(bench.delivered == ["hello"])
    }

    @Test("is refused where it was not offered")
    func notAllowed() {
        let bench = SessionBench(settings: EngineSettings(allowsUpgrade: false))
        #expect(bench.pollAnswers[0].contains("\"upgrades\":[]"))
        #expect(throws: EngineRefusal.badRequest) { try bench.openSocket() }
    }

    @Test("takes everything that was waiting along, in order")
    func flushes() throws {
        let bench = try self.probing()
        bench.send("one")
        bench.send("two", attachments: [Array("raw".utf8)])
        bench.frame("5")
        bench.send("three")
        #expect(bench.frames == ["3probe", "4one", "4two", "raw", "4three"])
    }

    @Test("releases a poll that is still waiting when it happens")
    func releasesAtTheEnd() throws {
        let bench = SessionBench()
        try bench.openSocket()
        try bench.poll()
        bench.frame("5")
        #expect(bench.pollAnswers.last == "6" && bench.upgrades == 1)
    }

    @Test("lets a POST finish that had begun before")
    func openPost() throws {
        let bench = try self.probing()
        try bench.beginPost()
        bench.frame("5")
        #expect(bench.finishPost("4in time") == .ok)
        #expect(bench.delivered == ["in time"] && bench.end == nil)
        #expect(throws: EngineRefusal.badRequest) { try bench.beginPost() }
    }

    @Test("does not mind what old clients say behind it")
    func oldClients() throws {
        let bench = try self.probing(.v3)
        bench.frame("5")
        bench.frame("6")
        bench.frame("451-[]")
        bench.frame("b4AQID")
        #expect(bench.delivered == ["51-[]", "AQID"] && bench.end == nil)
    }

    @Test("fails alone: polling goes on", arguments: ["abc", "4hello", "2", "3probe", "1", ""])
    func failsByPacket(_ frame: String) throws {
        let bench = SessionBench()
        try bench.openSocket()
        bench.frame(frame)
        #expect(!bench.hasSocket && bench.end == nil && bench.delivered.isEmpty)
        bench.send("hello")
        #expect(try bench.poll() == "4hello")
        try bench.openSocket()
        bench.frame("2probe")
        bench.frame("5")
        #expect(bench.upgrades == 1)
    }

    @Test("fails alone when its WebSocket is lost")
    func failsByLoss() throws {
        let bench = try self.probing()
        bench.closeSocket()
        bench.send("hello")
        #expect(try bench.poll() == "4hello")
        #expect(try bench.poll() == nil)
        bench.advance(500)
        #expect(bench.isPolling)
    }

    @Test("An upgrade to WebSocket is given up after ten seconds")
    func timesOut() throws {
        let bench = SessionBench(.v4, settings: EngineSettings())
        try bench.openSocket()
        bench.advance(9_999)
        #expect(bench.hasSocket)
        bench.advance(1)
        #expect(!bench.hasSocket && bench.end == nil)
    }

    @Test("does not outlive its session")
    func endsWithSession() throws {
        let closed = try self.probing()
        closed.close()
        #expect(closed.closeCodes == [1002])
        let left = try self.probing()
        #expect(try left.post("1") == .ok)
        #expect(!left.hasSocket && left.end == .transportClose)
    }

    @Test("loses nothing and doubles nothing, whenever it happens")
    func exactlyOnce() throws {
        for seed in UInt64(0)..<300 {
            var random = SeededRandom(seed: seed)
            let bench = SessionBench(.v4, settings: EngineSettings())
            let upgradesAt = Int.random(in: 0..<20, using: &random)
            var client = PoliteClient(bench)
            var sent: [String] = []
            for step in 0..<40 {
                if step == upgradesAt { try client.startUpgrade() }
                for _ in 0..<Int.random(in: 0..<3, using: &random) {
                    sent.append("down \(sent.count)")
                    bench.send(sent[sent.count - 1])
                }
                try client.step(&random)
                bench.advance(Int64.random(in: 0..<120, using: &random))
            }
            try client.finish()
            #expect(bench.upgrades == 1 && bench.end == nil)
            let received = bench.packets.filter { $0.kind == .message }
                .map { String(decoding: $0.bytes.dropFirst(), as: UTF8.self) }
            #expect(received == sent, "seed \(seed)")
            #expect(bench.delivered == client.sent, "seed \(seed)")
        }
    }
}

/// A client that does everything as the official one does: it stops polling and posting before it changes over.
private struct PoliteClient {
    private enum Stage { case polling, probing, pausing, upgraded }

    private let bench: SessionBench
    private var stage: Stage = .polling
    private(set) var sent: [String] = []

    init(_ bench: SessionBench) {
        self.bench = bench
    }

    mutating func startUpgrade() throws {
        try self.bench.openSocket()
        self.stage = .probing
    }

    mutating func step(_ random: inout SeededRandom) throws {
        switch self.stage {
        case .polling, .probing:
            if !self.bench.isPolling, Bool.random(using: &random) { try self.bench.poll() }
            if Bool.random(using: &random) { try self.tell() }
            if self.stage == .probing, Bool.random(using: &random) {
                self.bench.frame("2probe")
                self.stage = .pausing
            }
        case .pausing:
            guard !self.bench.isPolling else { return }
            self.bench.frame("5")
            self.stage = .upgraded
        case .upgraded:
            try self.tell()
        }
    }

    mutating func finish() throws {
        var random = SeededRandom(seed: 1)
        while self.stage != .upgraded {
            try self.step(&random)
            self.bench.advance(100)
        }
    }

    private mutating func tell() throws {
        let text = "up \(self.sent.count)"
        self.sent.append(text)
        if self.stage == .upgraded {
            self.bench.frame("4\(text)")
        } else {
            try self.bench.post("4\(text)")
        }
    }
}
