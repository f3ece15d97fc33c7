import Sessions
import SocketIO
import TestSupport
import Testing

@Suite("An Engine.IO session under random events")
struct EngineSessionRandomTests {
    /// The bench itself checks what must hold after every event: no answer without a poll, no frame without a socket,
    /// nothing behind the end, nobody left waiting, and a deadline until then.
    @Test("keeps its promises through a hundred thousand of them")
    func promises() {
        var events = 0
        var ends: [EngineEnd: Int] = [:]
        var upgrades = 0
        for seed in UInt64(0)..<1_200 {
            var random = SeededRandom(seed: seed)
            let version: EngineVersion = Bool.random(using: &random) ? .v4 : .v3
            let transport: EngineTransport = Int.random(in: 0..<4, using: &random) == 0 ? .webSocket : .polling
            let bench = SessionBench(
                version, on: transport, settings: EngineSettings(maxPayload: 2_000, maximumQueuedBytes: 4_000))
            var sent = 0
            for _ in 0..<100 {
                events += 1
                self.event(on: bench, sent: &sent, using: &random)
            }
            self.check(bench, sent: sent, seed: seed)
            upgrades += bench.upgrades
            if let end = bench.end { ends[end, default: 0] += 1 }
        }
        #expect(events >= 100_000 && upgrades > 50)
        #expect(Set(ends.keys) == Set(EngineEnd.allCases), "every way to end was taken")
    }

    private func event(on bench: SessionBench, sent: inout Int, using random: inout SeededRandom) {
        switch Int.random(in: 0..<200, using: &random) {
        case 0..<40: if !bench.isPolling { _ = try? bench.poll() }
        case 40..<90: self.clientSpeaks(on: bench, using: &random)
        case 90..<140: if bench.send("\(sent)") { sent += 1 }
        case 140..<150: _ = try? bench.openSocket()
        case 150..<160: bench.frame("2probe")
        case 160..<166: bench.frame("5")
        case 166: bench.cork()
        case 167..<170: bench.uncork()
        case 170..<192: bench.advance(Int64.random(in: 0..<9_000, using: &random))
        default: self.trouble(on: bench, using: &random)
        }
    }

    private func clientSpeaks(on bench: SessionBench, using random: inout SeededRandom) {
        let beat = bench.version == .v4 ? "3" : "2"
        let text = ["4hello", beat, "6", "4"].randomElement(using: &random) ?? "4"
        if bench.session.transport == .webSocket { return bench.frame(text) }
        let body = bench.version == .v4 ? text : "\(text.utf16.count):\(text)"
        if bench.isPosting {
            _ = bench.finishPost(body)
        } else if Bool.random(using: &random) {
            _ = try? bench.beginPost()
        } else {
            _ = try? bench.post(body)
        }
    }

    private func trouble(on bench: SessionBench, using random: inout SeededRandom) {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: bench.abortPoll()
        case 1: bench.abortPost()
        case 2: bench.closeSocket()
        case 3: bench.frame("garbage")
        case 4: bench.frame("1")
        case 5: _ = try? bench.poll()
        case 6: _ = try? bench.post("garbage")
        case 7: bench.close([.forcedClose, .serverShutdown].randomElement(using: &random) ?? .forcedClose)
        case 8: bench.kill(.forcedClose)
        case 9: bench.reportBacklog(Int.random(in: 0..<8_000, using: &random))
        case 10:
            _ = bench.send(String(repeating: "x", count: 3_000)) && bench.send(String(repeating: "x", count: 3_000))
        default: bench.advance(60_000)
        }
    }

    /// What the client got is the beginning of what was sent: in order, once, without a gap.
    private func check(_ bench: SessionBench, sent: Int, seed: UInt64) {
        let received = bench.packets.filter { $0.kind == .message }
            .map { String(decoding: $0.bytes.dropFirst(), as: UTF8.self) }
            .filter { !$0.hasPrefix("x") }
        #expect(received == (0..<sent).prefix(received.count).map(String.init), "seed \(seed)")
    }
}
