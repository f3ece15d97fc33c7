import AudioStreams
import RTP
import TestSupport
import Testing
import Vocabulary

@Suite("A call of two, in virtual time")
struct AudioCallTests {
    private static func tone(_ index: Int) -> Float { self.table[index % self.table.count] }
    private static let table = TestSound.sine(400, seconds: 0.25, rate: 48_000)

    @Test("brings a tone from one to the other")
    func tone() {
        var call = VirtualCall { _, _, _, _ in 50 }
        call.voice = Self.tone
        call.run(seconds: 5)
        let heard = call.second.heard.suffix(96_000)
        #expect(abs(TestSound.level(of: 400, in: heard, rate: 48_000) - 0.25) < 0.03)
        let statistics = call.second.receiver.statistics
        #expect(statistics.packetsLost == 0)
        #expect(statistics.concealedSamples == 0)
        #expect((240...251).contains(statistics.packetsReceived))
        #expect(abs(statistics.audioLevel - 0.177) < 0.02)
        #expect(call.first.sender.statistics.packetsSent >= statistics.packetsReceived)
        #expect(call.first.sender.statistics.redundancy == 0)
    }

    @Test("measures the round trip")
    func roundTrip() throws {
        var call = VirtualCall { _, _, _, _ in 50 }
        call.run(seconds: 8)
        let roundTrip = try #require(call.first.sender.statistics.roundTripTime)
        #expect((.milliseconds(98)...(.milliseconds(104))).contains(roundTrip))
        #expect(call.first.sender.statistics.roundTripTimeMeasurements >= 3)
    }
}
