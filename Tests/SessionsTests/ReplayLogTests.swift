import SocketIO
import Testing
import Vocabulary

@testable import Sessions

@Suite("What a client was sent and may not have received")
struct ReplayLogTests {
    private func append(_ numbers: ClosedRange<UInt64>, to log: inout ReplayLog) {
        for number in numbers {
            log.append([EncodedPacket(messageWithDigit: Array("4\(number)".utf8))], as: EventOffset(number))
        }
    }

    private func heartbeat(_ log: inout ReplayLog) {
        log.pingSent()
        log.pongReceived()
    }

    @Test("takes no memory once the client has shown that it has all of it, and goes on from there")
    func quiet() {
        var log = ReplayLog()
        self.append(1...300, to: &log)
        #expect(log.capacity >= 300)
        for _ in 1...2 { self.heartbeat(&log) }
        #expect(log.count == 0 && log.capacity == 0)
        self.append(301...302, to: &log)
        let missed = log.replay(from: .after(EventOffset(300)))
        #expect(missed?.count == 2)
    }
}
