import Bytes
import RTP
import TestSupport
import Testing

@Suite("Media with copies of earlier media")
struct REDTests {
    private static func blocks(_ bytes: [UInt8]) throws(ByteError) -> [REDPayload.Block] {
        var payload = try REDPayload(parsing: bytes.span)
        var blocks: [REDPayload.Block] = []
        while let block = payload.next() { blocks.append(block) }
        return blocks
    }

    private static func words(_ bytes: [UInt8]) throws -> [String] {
        try self.blocks(bytes).map {
            "\($0.payloadType) -\($0.timestampOffset) \($0.range)\($0.isPrimary ? " primary" : "")"
        }
    }

    /// The example of RFC 2198 §7: DVI4 with a copy in LPC, 7 bytes of it, 20 ms at 8 kHz before. Shortened at its end.
    private static let example = "87028007" + "05" + "01020304050607" + "a0a1a2"

    @Test("is taken apart as RFC 2198 draws it")
    func vector() throws {
        #expect(
            try Self.words(Hex.decode(Self.example)) == ["7 -160 5..<12", "5 -0 12..<15 primary"])
    }

    @Test("is written the same")
    func written() throws {
        var writer = ByteWriter()
        REDPayload.writeCopy(payloadType: 7, timestampOffset: 160, count: 7, to: &writer)
        REDPayload.writePrimary(payloadType: 5, to: &writer)
        writer.write(contentsOf: [1, 2, 3, 4, 5, 6, 7, 0xA0, 0xA1, 0xA2])
        #expect(Hex.encode(writer.bytes) == Self.example)
    }

    @Test("holds the longest and oldest copies there may be")
    func limits() throws {
        var writer = ByteWriter()
        REDPayload.writeCopy(payloadType: 127, timestampOffset: 0x3FFF, count: 0x3FF, to: &writer)
        REDPayload.writeCopy(payloadType: 0, timestampOffset: 0, count: 0, to: &writer)
        REDPayload.writePrimary(payloadType: 111, to: &writer)
        writer.writeZeros(0x3FF)
        #expect(
            try Self.words(writer.bytes) == ["127 -16383 9..<1032", "0 -0 1032..<1032", "111 -0 1032..<1032 primary"])
    }

    @Test("is refused when it is cut before the last block")
    func cut() throws {
        let bytes = try Hex.decode(Self.example)
        for count in 0..<12 {
            #expect(throws: ByteError(.truncated, at: count)) { try Self.blocks(Array(bytes.prefix(count))) }
        }
        #expect(try Self.blocks(Array(bytes.prefix(12))).last?.range.isEmpty == true)
    }

    @Test("whatever comes, blocks lie one behind the other", arguments: 0..<20 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let bytes = random.bytes(.random(in: 0...40, using: &random))
            guard let blocks = try? Self.blocks(bytes) else { continue }
            for (block, next) in zip(blocks, blocks.dropFirst()) {
                #expect(block.range.upperBound == next.range.lowerBound)
            }
            #expect(blocks.last?.range.upperBound == bytes.count && blocks.filter(\.isPrimary).count == 1)
        }
    }
}

@Suite("A key of a telephone")
struct TelephoneEventTests {
    @Test("is written and read as RFC 4733 draws it")
    func vector() throws {
        var writer = ByteWriter()
        TelephoneEvent(event: 11, isEnd: true, attenuation: 10, duration: 800).write(to: &writer)
        #expect(Hex.encode(writer.bytes) == "0b8a0320")
        let event = try TelephoneEvent(parsing: writer.bytes.span)
        #expect(event == TelephoneEvent(event: 11, isEnd: true, attenuation: 10, duration: 800) && event.key == "#")
        for count in 0..<4 {
            let cut = Array(writer.bytes.prefix(count))
            #expect(throws: ByteError(.truncated, at: count)) { try TelephoneEvent(parsing: cut.span) }
        }
    }

    @Test("A key of a telephone has an event number, and the number its sign", arguments: Array("0123456789*#ABCD"))
    func keys(key: Character) throws {
        let event = try #require(TelephoneEvent.event(of: key))
        #expect(TelephoneEvent(event: event, isEnd: false, duration: 0).key == key)
        #expect(TelephoneEvent.event(of: Character(key.lowercased())) == event)
    }

    @Test("A sign that is no key of a telephone has no event number")
    func others() {
        #expect(TelephoneEvent.event(of: "E") == nil && TelephoneEvent.event(of: " ") == nil)
        #expect(TelephoneEvent(event: 16, isEnd: false, duration: 0).key == nil)
    }
}

@Suite("Numbers that begin anew")
struct SequenceNumberTests {
    @Test(
        "know which is ahead",
        arguments: [(1, 0, 1), (0, 1, -1), (0, 65_535, 1), (65_535, 0, -1), (5, 5, 0), (32_767, 0, 32_767)]
            as [(UInt16, UInt16, Int64)])
    func distance(number: UInt16, other: UInt16, distance: Int64) {
        #expect(number.wrappedDistance(from: other) == distance)
        #expect(number.isAhead(of: other) == (distance > 0))
    }

    @Test("go on when they are unwrapped, forwards and backwards")
    func unwrap() {
        var unwrapper = Unwrapper<UInt16>()
        #expect(unwrapper.last == nil)
        let unwrapped = [65_530, 65_535, 2, 65_533, 3, 32_000, 64_000, 100].map { unwrapper.unwrap($0) }
        #expect(unwrapped == [65_530, 65_535, 65_538, 65_533, 65_539, 97_536, 129_536, 131_172])
        #expect(unwrapper.peek(0) == 131_072 && unwrapper.last == 131_172)
        var backwards = Unwrapper<UInt32>()
        #expect([0, .max, 1].map { backwards.unwrap($0) } == [0, -1, 1])
    }

    @Test("agree with numbers that do not", arguments: 0..<10 as Range<UInt64>)
    func walk(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var unwrapper = Unwrapper<UInt16>()
        var truth: Int64 = 1000
        #expect(unwrapper.unwrap(1000) == truth)
        for _ in 0..<1000 {
            truth += .random(in: -20_000...32_767, using: &random)
            #expect(unwrapper.unwrap(UInt16(truncatingIfNeeded: truth)) == truth)
        }
    }

    @Test("Moments and intervals are those of NTP, and round trips those of RFC 3550 §6.4.1's example")
    func time() {
        #expect(NTPTime(unixNanoseconds: 0).rawValue == 2_208_988_800 << 32)
        #expect(NTPTime(unixNanoseconds: 500_000_000).middle == 0x7E80_8000)
        #expect(NTPInterval(nanoseconds: 1_500_000_000).rawValue == 0x1_8000)
        #expect(NTPInterval(nanoseconds: -1).rawValue == 0 && NTPInterval(nanoseconds: .max).rawValue == .max)
        #expect(NTPInterval(rawValue: 0x1_8000).nanoseconds == 1_500_000_000)
        // Sent at 0xb705:2000, held 5.250 s, heard at 0xb710:8000: 6.125 s on the way.
        let now = NTPTime(rawValue: 0xB44D_B710_8000_0000)
        let held = NTPInterval(rawValue: 0x0005_4000)
        let trip = NTPInterval.roundTrip(now: now, sent: 0xB705_2000, held: held)
        #expect(trip?.rawValue == 0x0006_2000 && trip?.nanoseconds == 6_125_000_000)
        #expect(NTPInterval.roundTrip(now: now, sent: 0, held: held) == nil)
        #expect(NTPInterval.roundTrip(now: now, sent: 0xB710_0000, held: held) == nil)
    }
}
