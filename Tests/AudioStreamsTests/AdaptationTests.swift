import AudioStreams
import MediaStreams
import RTP
import TestSupport
import Testing
import VirtualCalls
import Vocabulary

/// How a sender follows its way, all in virtual time and without a codec.
@Suite("A sender of sound and its way")
struct AdaptationTests {
    /// A packet of Opus as long as one of 24 kbit/s.
    private static let packets = [[0x78] + [UInt8](repeating: 0xAB, count: 59)]

    private static func call(seed: UInt64 = 5, line: @escaping VirtualCall.Line) -> VirtualCall {
        var call = VirtualCall(seed: seed, line: line)
        call.first.voice = .packets(Self.packets)
        return call
    }

    @Test("sends no copies while nothing gets lost, whatever the jitter", arguments: [0, 5, 10, 20] as [Double])
    func calm(jitter: Double) {
        var call = Self.call(line: VirtualLine.even(100, jitter: jitter))
        call.run(seconds: 2)
        for _ in 0..<60 {
            call.run(seconds: 1)
            #expect(call.first.sender.statistics.redundancy == 0)
        }
        #expect(call.first.estimates.allSatisfy { !$0.isCongested })
    }

    @Test("J39 sends copies for a second, until it can know what gets lost", arguments: 0..<5 as Range<UInt64>)
    func firstSecond(seed: UInt64) throws {
        var call = Self.call(seed: seed) { packet, random in
            packet.time < 1000 && Int.random(in: 0..<5, using: &random) == 0 ? nil : 50 + random.normal(5)
        }
        call.second.isListening = true
        call.run(seconds: 0.9)
        #expect(call.first.sender.statistics.redundancy == 2)
        call.run(seconds: 1.1)
        let statistics = call.second.receiver.statistics
        #expect(statistics.packetsLost >= 3)
        // Without them each lost packet would have to be made up.
        #expect(Int64(statistics.concealedSamples) <= statistics.packetsLost * 960 / 2)
    }

    @Test(
        "sends copies within two seconds of a loss, and none twenty seconds after its end",
        arguments: 0..<5 as Range<UInt64>)
    func step(seed: UInt64) {
        var call = Self.call(seed: seed) { packet, random in
            let isLossy = (20_000..<60_000).contains(packet.time)
            return isLossy && Int.random(in: 0..<5, using: &random) == 0 ? nil : 50 + random.normal(5)
        }
        call.run(seconds: 20)
        #expect(call.first.sender.statistics.redundancy == 0)
        call.run(seconds: 2)
        #expect(call.first.sender.statistics.redundancy == 2)
        for _ in 0..<38 {
            call.run(seconds: 1)
            #expect(call.first.sender.statistics.redundancy == 2)
        }
        call.run(seconds: 20)
        #expect(call.first.sender.statistics.redundancy == 0)
    }

    @Test("hears of losses in reports too, where packets carry no numbers of the transport")
    func reports() {
        var call = VirtualCall(
            seed: 6, sender: { $0.extensions.transportSequence = nil },
            receiver: { $0.extensions.transportSequence = nil },
            line: { packet, random in
                packet.time > 20_000 && Int.random(in: 0..<5, using: &random) == 0 ? nil : 50
            })
        call.first.voice = .packets(Self.packets)
        call.run(seconds: 20)
        #expect(call.first.estimates.isEmpty)
        #expect(call.first.sender.statistics.redundancy == 0)
        call.run(seconds: 5)
        #expect(call.first.sender.statistics.redundancy == 2)
        #expect(abs(call.first.sender.statistics.fractionLost - 0.2) < 0.2)
    }

    @Test("says less where less goes through, and more again when it may")
    func narrow() {
        let voice = TestSound.babble(seconds: 4, rate: 48_000)
        var call = VirtualCall(
            seed: 7,
            sender: {
                $0.minimumBitRate = 8000
                $0.initialBitRate = 48_000
                $0.maximumBitRate = 48_000
                $0.complexity = 0
            },
            line: VirtualLine.narrow(40, bitRate: { (20_000..<60_000).contains($0) ? 48_000 : 1_000_000 }, longest: 600)
        )
        call.first.voice = .sound(voice)
        call.run(seconds: 20)
        #expect(call.first.sender.statistics.targetBitrate == 48_000)
        call.run(seconds: 20)
        #expect(call.first.sender.statistics.targetBitrate <= 26_000)
        #expect(call.first.sender.statistics.targetBitrate >= 8000)
        let before = call.second.receiver.statistics.packetsLost
        call.run(seconds: 20)
        #expect(call.second.receiver.statistics.packetsLost - before <= 30)
        call.run(seconds: 40)
        #expect(call.first.sender.statistics.targetBitrate >= 40_000)
    }

    @Test("does not take a longer way for a line")
    func longerWay() {
        var call = Self.call { packet, random in (packet.time < 20_000 ? 50 : 250) + random.normal(5) }
        call.run(seconds: 60)
        #expect(call.first.estimates.filter(\.isCongested).isEmpty)
        #expect(call.first.sender.statistics.targetBitrate == 24_000)
    }
}
