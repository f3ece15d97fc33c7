import AudioStreams
import MediaStreams
import RTP
import TestSupport
import Testing
import VirtualCalls
import Vocabulary

@Suite("Keys of a telephone")
struct TelephoneKeyTests {
    /// What leaves while keys are pressed, and when, in milliseconds.
    private static func press(_ keys: String, settings: AudioSenderSettings = .usual()) throws -> [(Int, SeenPacket)] {
        var sender = AudioSender(settings)
        var outbox = MediaOutbox()
        sender.press(keys)
        var seen: [(Int, SeenPacket)] = []
        for millisecond in 0..<(200 * keys.count) {
            let now = Instant(milliseconds: Int64(millisecond))
            if let deadline = sender.findDeadline(), deadline <= now { sender.clockAdvanced(to: now, into: &outbox) }
            seen += try outbox.takeAll().map { (millisecond, $0) }
        }
        #expect(sender.isDialling == false)
        return seen
    }

    @Test("are told of many times, and let go three times")
    func packets() throws {
        let seen = try Self.press("5")
        #expect(seen.map(\.0) == [0, 20, 40, 60, 80, 100, 120, 140])
        #expect(seen.map(\.1.header.isMarked) == [true] + [Bool](repeating: false, count: 7))
        #expect(Set(seen.map(\.1.header.timestamp)).count == 1)
        #expect(seen.map { $0.1.key?.isEnd } == [false, false, false, false, false, true, true, true])
        #expect(seen.compactMap { $0.1.key?.duration } == [48, 960, 1920, 2880, 3840, 4800, 4800, 4800])
        #expect(seen.allSatisfy { $0.1.key?.key == "5" && $0.1.header.payloadType == 110 })
    }

    @Test("follow on each other, and count in their own clock")
    func several() throws {
        let settings = AudioSenderSettings.usual { $0.payloadTypes.telephoneEventRate = 8000 }
        let seen = try Self.press("12#", settings: settings)
        let starts = seen.filter { $0.1.header.isMarked }
        #expect(starts.map(\.0) == [0, 170, 340])
        #expect(starts.compactMap { $0.1.key?.key } == ["1", "2", "#"])
        #expect(seen.compactMap { $0.1.key?.duration }.max() == 800)
    }

    @Test("are left out when they are none, and when they are too many")
    func refused() {
        var sender = AudioSender(.usual())
        #expect(sender.press("1x2") == 2)
        #expect(sender.press(String(repeating: "9", count: 100)) == 62)
        var plain = AudioSender(.usual { $0.payloadTypes.telephoneEvent = nil })
        #expect(plain.press("1") == 0)
        let deadline = plain.findDeadline()
        #expect(deadline == nil)
    }

    @Test("take the place of sound, which goes on where it would be")
    func sound() throws {
        var sender = AudioSender(.usual())
        var outbox = MediaOutbox()
        let sound = TestSound.sine(400, seconds: 1, rate: 48_000)
        for index in 0..<100 {
            if index == 20 { sender.press("7") }
            let piece = sound.span.extracting((index * 480)..<(index * 480 + 480))
            sender.speak(piece, at: Instant(milliseconds: Int64(index) * 10), into: &outbox)
        }
        let packets = try outbox.takeAll()
        let keys = packets.filter { $0.header.payloadType == 110 }
        let others = packets.filter { $0.header.payloadType != 110 }
        #expect(keys.count == 8)
        #expect((39...43).contains(others.count))
        #expect(others.last.map { Int($0.header.timestamp) } == 1000 + 49 * 960)
        #expect(keys.allSatisfy { $0.header.timestamp == 1000 + 20 * 480 })
        let first = try #require(packets.firstIndex { $0.header.payloadType == 110 })
        #expect(packets[(first + 8)...].first?.header.isMarked == true)
    }

    @Test("all arrive, each once, where a tenth of all packets gets lost", arguments: [48_000, 8000])
    func manyKeys(rate: Int) {
        var call = VirtualCall(
            seed: 11, sender: { $0.payloadTypes.telephoneEventRate = rate },
            line: VirtualLine.even(50, jitter: 10, loss: 0.1))
        var random = SeededRandom(seed: 12)
        var pressed = ""
        for _ in 0..<250 {
            let keys = String((0..<20).map { _ in "0123456789*#ABCD".randomElement(using: &random) ?? "0" })
            #expect(call.first.sender.press(keys) == 20)
            pressed += keys
            call.run(seconds: 20 * 0.17 + 0.5)
        }
        var heard = ""
        for case .key(let key, let duration) in call.second.events {
            heard.append(key)
            #expect((.zero...(.milliseconds(100))).contains(duration))
        }
        #expect(heard.count == pressed.count)
        #expect(zip(heard, pressed).allSatisfy { $0 == $1 })
    }
}
