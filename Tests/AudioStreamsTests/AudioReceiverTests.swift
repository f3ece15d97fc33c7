import AudioStreams
import MediaStreams
import Bytes
import RTP
import TestSupport
import Testing
import Vocabulary

@Suite("A receiver of sound")
struct AudioReceiverTests {
    private static func receiver(_ change: (inout AudioReceiverSettings) -> Void = { _ in }) -> AudioReceiver {
        var settings = AudioReceiverSettings()
        settings.payloadTypes = AudioPayloadTypes(opus: 111, red: 63, telephoneEvent: 110)
        settings.extensions = RTPExtensionIDs(audioLevel: 1)
        settings.lendsPayloads = true
        change(&settings)
        return AudioReceiver(settings)
    }

    private static func packet(
        _ sequence: Int, timestamp: Int? = nil, type: UInt8 = 111, ssrc: UInt32 = 9, payload: [UInt8]? = nil
    ) -> [UInt8] {
        var writer = ByteWriter()
        RTPHeader(
            payloadType: type, sequenceNumber: UInt16(truncatingIfNeeded: sequence),
            timestamp: UInt32(truncatingIfNeeded: timestamp ?? sequence * 960), ssrc: ssrc
        ).write(to: &writer)
        // One frame of 20 ms.
        writer.write(contentsOf: payload ?? [0xF8, UInt8(truncatingIfNeeded: sequence)])
        return writer.bytes
    }

    private static func feed(_ receiver: inout AudioReceiver, _ bytes: [UInt8], at milliseconds: Int) throws {
        receiver.received(try RTPPacket(parsing: bytes.span), at: Instant(milliseconds: Int64(milliseconds)))
    }

    private static func lent(_ receiver: inout AudioReceiver, at milliseconds: Int) -> [(position: Int, gap: Int)] {
        var lent: [(Int, Int)] = []
        while let payload = receiver.nextPayload(at: Instant(milliseconds: Int64(milliseconds))) {
            lent.append((Int(payload.position), payload.gap))
            receiver.recycle(payload)
        }
        return lent
    }

    private static func events(_ receiver: inout AudioReceiver) -> [AudioEvent] {
        var events: [AudioEvent] = []
        while let event = receiver.nextEvent() { events.append(event) }
        return events
    }

    @Test("counts what is lost and what comes twice, also where numbers begin anew")
    func losses() throws {
        var receiver = Self.receiver()
        for sequence in 65_500..<65_600 where !sequence.isMultiple(of: 10) {
            try Self.feed(&receiver, Self.packet(sequence), at: (sequence - 65_500) * 20)
        }
        // The first of all was a multiple of ten, so that nobody misses it.
        #expect(receiver.statistics.packetsLost == 9)
        #expect(receiver.statistics.packetsReceived == 90)
        let first = receiver.takeReport()
        let report = try #require(first)
        #expect(report.ssrc == 9)
        #expect(report.lost == 9)
        #expect(report.fractionLost == UInt8(9 * 256 / 99))
        #expect(report.highestSequence == 65_599)
        for sequence in 65_600..<65_610 {
            for _ in 0..<2 { try Self.feed(&receiver, Self.packet(sequence), at: sequence * 20) }
        }
        let second = receiver.takeReport()
        let next = try #require(second)
        // Of 65,599 to 65,609 none is missing, and ten came once more than they should.
        #expect(next.fractionLost == 0)
        #expect(next.lost == -1)
    }

    @Test("measures how unevenly packets come")
    func jitter() throws {
        var receiver = Self.receiver()
        for sequence in 0..<500 {
            try Self.feed(&receiver, Self.packet(sequence), at: sequence * 20 + (sequence.isMultiple(of: 2) ? 0 : 8))
        }
        // Each is 8 ms nearer or further than the one before (RFC 3550 §6.4.1).
        #expect(abs(receiver.statistics.jitter / .milliseconds(1) - 8) < 0.2)
    }

    @Test("lends packets in their order, and says what is missing")
    func order() throws {
        var receiver = Self.receiver()
        for (sequence, time) in [(0, 0), (2, 10), (1, 20), (4, 30)] {
            try Self.feed(&receiver, Self.packet(sequence), at: time)
        }
        #expect(Self.lent(&receiver, at: 30).map(\.position) == [0, 960, 1920])
        let deadline = receiver.findPayloadDeadline()
        #expect(deadline == Instant(milliseconds: 130))
        #expect(Self.lent(&receiver, at: 129).isEmpty)
        let late = Self.lent(&receiver, at: 130)
        #expect(late.map(\.position) == [3840])
        #expect(late.map(\.gap) == [960])
        // Given up is given up.
        try Self.feed(&receiver, Self.packet(3), at: 140)
        #expect(Self.lent(&receiver, at: 500).isEmpty)
    }

    /// A minute of packets whose stamps say what `stamp` makes of them: how many are lent, and how much is missing.
    private static func minute(_ stamp: (_ sequence: Int) -> Int) throws -> (count: Int, missing: Int) {
        var receiver = Self.receiver()
        var found = (count: 0, missing: 0)
        for sequence in 0..<3000 {
            try Self.feed(&receiver, Self.packet(sequence, timestamp: stamp(sequence)), at: sequence * 20)
            for lent in Self.lent(&receiver, at: sequence * 20) {
                found.count += 1
                found.missing += lent.gap
            }
        }
        for lent in Self.lent(&receiver, at: 61_000) {
            found.count += 1
            found.missing += lent.gap
        }
        return found
    }

    @Test("J14 goes by the clock when stamps jump, wherever to")
    func stampsThatJump() throws {
        let second = 48_000
        let back = try Self.minute { $0 * 960 + 1_000_000_000 - ($0 < 150 ? 0 : 600 * second) }
        #expect(back == (3000, 0))
        let stray = try Self.minute { $0 * 960 + ($0 == 150 ? 5 * 3600 * second : 0) }
        #expect(stray == (3000, 0))
        let leaping = try Self.minute { $0.isMultiple(of: 2) ? $0 * 960 : $0 * 960 + 1 << 31 }
        #expect(leaping == (3000, 0))
        // Each a little further than there is reason to ask.
        let creeping = try Self.minute { $0 * 9 * second }
        #expect(creeping.count == 3000 && creeping.missing <= 10 * second)
    }

    @Test("J14 knows a long silence from a jump")
    func silence() throws {
        var receiver = Self.receiver()
        try Self.feed(&receiver, Self.packet(0), at: 0)
        _ = Self.lent(&receiver, at: 0)
        for (sequence, time) in [(1, 60_000), (2, 60_020)] {
            try Self.feed(&receiver, Self.packet(sequence, timestamp: time * 48), at: time)
        }
        #expect(Self.lent(&receiver, at: 60_020).map(\.gap) == [60_000 * 48 - 960, 0])
    }

    @Test("finds lost packets in the copies of later ones")
    func copies() throws {
        var receiver = Self.receiver()
        try Self.feed(&receiver, Self.packet(0), at: 0)
        var red = ByteWriter()
        REDPayload.writeCopy(payloadType: 111, timestampOffset: 1920, count: 2, to: &red)
        REDPayload.writeCopy(payloadType: 111, timestampOffset: 960, count: 2, to: &red)
        REDPayload.writePrimary(payloadType: 111, to: &red)
        for index: UInt8 in 1...3 { red.write(contentsOf: [0xF8, index]) }
        try Self.feed(&receiver, Self.packet(3, type: 63, payload: red.bytes), at: 60)
        var payloads: [AudioPayload] = []
        while let payload = receiver.nextPayload(at: Instant(milliseconds: 60)) { payloads.append(payload) }
        #expect(payloads.map(\.bytes) == [[0xF8, 0], [0xF8, 1], [0xF8, 2], [0xF8, 3]])
        #expect(payloads.map(\.isCopy) == [false, true, true, false])
        #expect(payloads.allSatisfy { $0.gap == 0 && $0.duration == 960 })
        #expect(receiver.statistics.fecPacketsReceived == 2)
        #expect(receiver.statistics.packetsLost == 2)
    }

    @Test("takes no part of what somebody else says, until the first has gone")
    func strangers() throws {
        var receiver = Self.receiver()
        for sequence in 0..<10 { try Self.feed(&receiver, Self.packet(sequence), at: sequence * 20) }
        try Self.feed(&receiver, Self.packet(500, ssrc: 10), at: 190)
        #expect(receiver.ssrc == 9)
        #expect(receiver.statistics.packetsRefused == 1)
        try Self.feed(&receiver, Self.packet(501, ssrc: 10), at: 700)
        #expect(receiver.ssrc == 10)
        #expect(Self.events(&receiver) == [.restarted])
        #expect(receiver.statistics.packetsReceived == 1)
    }

    @Test("believes a jump of the numbers only when it goes on from there (RFC 3550 A.1)")
    func jumps() throws {
        var receiver = Self.receiver()
        for sequence in 0..<10 { try Self.feed(&receiver, Self.packet(sequence), at: sequence * 20) }
        try Self.feed(&receiver, Self.packet(20_000), at: 200)
        #expect(receiver.statistics.packetsRefused == 1)
        try Self.feed(&receiver, Self.packet(10), at: 220)
        #expect(receiver.statistics.packetsLost == 0)
        try Self.feed(&receiver, Self.packet(30_000), at: 240)
        try Self.feed(&receiver, Self.packet(30_001), at: 260)
        #expect(receiver.statistics.packetsLost == 0)
        #expect(receiver.statistics.packetsReceived == 12)
    }

    @Test("hears the end of a key that got lost", arguments: [false, true])
    func lostEnd(isFollowed: Bool) throws {
        var receiver = Self.receiver()
        for index in 1..<5 {
            var key = ByteWriter()
            TelephoneEvent(event: 3, isEnd: false, duration: UInt16(960 * index)).write(to: &key)
            try Self.feed(
                &receiver, Self.packet(index, timestamp: 5000, type: 110, payload: key.bytes), at: 20 * index)
        }
        receiver.clockAdvanced(to: Instant(milliseconds: 200))
        #expect(Self.events(&receiver).isEmpty)
        if isFollowed {
            var key = ByteWriter()
            TelephoneEvent(event: 4, isEnd: true, duration: 4800).write(to: &key)
            try Self.feed(&receiver, Self.packet(9, timestamp: 9000, type: 110, payload: key.bytes), at: 210)
        }
        receiver.clockAdvanced(to: Instant(milliseconds: 230))
        let first = AudioEvent.key("3", .milliseconds(80))
        #expect(Self.events(&receiver) == (isFollowed ? [first, .key("4", .milliseconds(100))] : [first]))
    }

    @Test("survives whatever comes whenever", arguments: 0..<10 as Range<UInt64>)
    func junk(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var receiver = Self.receiver()
        var sound = [Float](repeating: 0, count: 480)
        var now: Int64 = 0
        for index in 0..<2000 {
            now += .random(in: 0...15_000_000, using: &random)
            let type = [111, 63, 110, 0].randomElement(using: &random) ?? 0
            let isWild = Int.random(in: 0..<10, using: &random) == 0
            let bytes = Self.packet(
                isWild ? .random(in: 0...65_535, using: &random) : index,
                timestamp: isWild ? .random(in: 0...0xFFFF_FFFF, using: &random) : nil, type: UInt8(type),
                ssrc: Int.random(in: 0..<50, using: &random) == 0 ? 10 : 9,
                payload: random.bytes(.random(in: 0...60, using: &random)))
            receiver.received(try RTPPacket(parsing: bytes.span), at: Instant(nanoseconds: now))
            var span = sound.mutableSpan
            receiver.pull(into: &span, at: Instant(nanoseconds: now))
            if index.isMultiple(of: 5) { _ = Self.lent(&receiver, at: Int(now / 1_000_000)) }
            _ = receiver.nextEvent()
        }
        #expect(receiver.statistics.totalSamplesReceived == 2000 * 480)
        #expect(sound.allSatisfy { $0.isFinite })
    }
}
