import Bytes
import RTP
import TestSupport
import Testing

@Suite("A packet of RTP")
struct RTPPacketTests {
    private static let header = RTPHeader(
        payloadType: 111, sequenceNumber: 0x1234, timestamp: 0xDEAD_BEEF, ssrc: 0xCAFE_BABE, isMarked: true)
    private static let plain = "80ef1234deadbeefcafebabe"

    private static func parse(_ bytes: [UInt8]) throws { _ = try RTPPacket(parsing: bytes.span) }

    /// Everything a packet may hold.
    static let samples: [[UInt8]] = {
        let texts = [
            "\(plain)010203",
            // Two sources, the short form with level, number and name, padding.
            "b2ef1234deadbeefcafebabe" + "0000000a0000000b" + "bede0003" + "108a" + "31abcd" + "0000" + "42616263"
                + "00" + "f8ff" + "000003",
            // The long form, with an empty value and a long one.
            "90ef1234deadbeefcafebabe" + "10000006" + "0500" + "1e12" + "000102030405060708090a0b0c0d0e0f1011" + "0000"
                + "f8",
            // A form nobody knows, and no payload.
            "90ef1234deadbeefcafebabe" + "abcd0001" + "01020304",
        ]
        return texts.compactMap { try? Hex.decode($0) }
    }()

    @Test("is written as the RFC draws it, and read again")
    func header() throws {
        var writer = ByteWriter()
        Self.header.write(to: &writer)
        #expect(Hex.encode(writer.bytes) == Self.plain)
        writer.write(contentsOf: [1, 2, 3])
        let packet = try RTPPacket(parsing: writer.bytes.span)
        #expect(packet.header == Self.header && packet.payloadRange == 12..<15)
        #expect(!packet.hasExtensions && packet.sourceCount == 0 && packet.range(of: 1) == nil)
    }

    @Test("shows its sources, its extensions and its payload without padding")
    func everything() throws {
        let bytes = Self.samples[1]
        let packet = try RTPPacket(parsing: bytes.span)
        #expect(packet.sourceCount == 2 && packet.source(at: 0) == 10 && packet.source(at: 1) == 11)
        #expect(packet.audioLevel(1) == RTPAudioLevel(isVoice: true, attenuation: 10))
        #expect(packet.transportSequence(3) == 0xABCD)
        let name = packet.copy(of: 4)
        #expect(name == Array("abc".utf8))
        #expect(packet.range(of: 2) == nil && packet.range(of: 15) == nil && packet.range(of: 0) == nil)
        let payload = [UInt8](copying: packet.payload)
        #expect(payload == [0xF8, 0xFF])
    }

    @Test("shows extensions of the long form")
    func long() throws {
        let bytes = Self.samples[2]
        let packet = try RTPPacket(parsing: bytes.span)
        #expect(packet.range(of: 5)?.isEmpty == true && packet.range(of: 0x1E)?.count == 18)
        #expect(packet.audioLevel(5) == nil && packet.transportSequence(5) == nil)
        let payload = [UInt8](copying: packet.payload)
        #expect(payload == [0xF8])
    }

    @Test("has no extensions when their form is unknown, and may have no payload")
    func otherForm() throws {
        let bytes = Self.samples[3]
        let packet = try RTPPacket(parsing: bytes.span)
        #expect(packet.hasExtensions && packet.range(of: 1) == nil && packet.payloadRange.isEmpty)
    }

    @Test("with a broken extension keeps the others and the payload")
    func brokenExtension() throws {
        // The second claims four bytes where two are left; and identifier 15 ends the list.
        for (elements, sees) in [("1011" + "3301", true), ("f00011" + "00", false)] {
            let bytes = try Hex.decode("90ef1234deadbeefcafebabe" + "bede0001" + elements + "aa")
            let packet = try RTPPacket(parsing: bytes.span)
            #expect((packet.audioLevel(1) != nil) == sees && packet.range(of: 3) == nil)
            let payload = [UInt8](copying: packet.payload)
            #expect(payload == [0xAA])
        }
    }

    @Test("is refused when it is cut before its payload, and never read beyond its end", arguments: samples.indices)
    func cut(index: Int) throws {
        let sample = Self.samples[index]
        let payload = try RTPPacket(parsing: sample.span).payloadRange
        for count in 0..<sample.count {
            let cut = Array(sample.prefix(count))
            if count < payload.lowerBound {
                #expect(throws: ByteError(.truncated, at: count)) { try Self.parse(cut) }
            } else if let packet = try? RTPPacket(parsing: cut.span) {
                #expect(packet.payloadRange.upperBound <= count)
            }
        }
    }

    @Test("says where it stops making sense")
    func offsets() throws {
        var version = Self.samples[0]
        version[0] = 0x40
        #expect(throws: ByteError(.unexpected(0x40), at: 0)) { try Self.parse(version) }
        for padding: UInt8 in [0, 4, 255] {
            let padded = try Hex.decode("a0ef1234deadbeefcafebabe") + [1, 2, padding]
            #expect(throws: ByteError(.outOfRange, at: 14)) { try Self.parse(padded) }
        }
    }

    @Test("is told from RTCP and from what is neither")
    func plausible() {
        let kinds = { (bytes: [UInt8]) in
            [RTPPacket.isPlausible(bytes.span), RTCPDatagram.isPlausible(bytes.span)]
        }
        #expect(kinds(Self.samples[0]) == [true, false])
        #expect(kinds([0x80, 200, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) == [false, true])
        #expect(kinds([0x80, 200]) == [false, false] && kinds([0x80, 111, 0, 0]) == [false, false])
        #expect(kinds([UInt8](repeating: 22, count: 20)) == [false, false])
    }

    @Test("is read as it was written, whatever it holds", arguments: 0..<20 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var writer = ByteWriter()
        for _ in 0..<100 {
            writer.removeAll()
            let header = RTPHeader(
                payloadType: .random(in: 0...127, using: &random),
                sequenceNumber: .random(in: 0 ... .max, using: &random),
                timestamp: .random(in: 0 ... .max, using: &random), ssrc: .random(in: 0 ... .max, using: &random),
                isMarked: .random(using: &random))
            let sources = (0..<Int.random(in: 0...15, using: &random)).map { UInt32($0) }
            let isLong = Bool.random(using: &random)
            var values: [UInt8: [UInt8]] = [:]
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let count = isLong ? Int.random(in: 0...60, using: &random) : Int.random(in: 1...16, using: &random)
                values[.random(in: 1...(isLong ? 255 : 14), using: &random)] = random.bytes(count)
            }
            header.write(sources: sources, hasExtensions: !values.isEmpty, to: &writer)
            if !values.isEmpty {
                let extensions = RTPExtensionWriter(isLong: isLong, to: &writer)
                for (id, value) in values { extensions.append(id, value.span, to: &writer) }
                extensions.finish(&writer)
            }
            let payload = random.bytes(.random(in: 0...100, using: &random))
            writer.write(payload.span)
            let bytes = writer.bytes
            let packet = try RTPPacket(parsing: bytes.span)
            let found = [UInt8](copying: packet.payload)
            #expect(packet.header == header && found == payload)
            #expect((0..<packet.sourceCount).map { packet.source(at: $0) } == sources)
            for (id, value) in values {
                let found = packet.copy(of: id)
                #expect(found == value)
            }
        }
    }

    @Test("whatever comes, nothing lies outside of it", arguments: 0..<20 as Range<UInt64>)
    func mutations(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for round in 0..<500 {
            var bytes = Self.samples[round % Self.samples.count]
            for _ in 0..<3 {
                bytes[.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let packet = try? RTPPacket(parsing: bytes.span) else { continue }
            #expect(packet.payloadRange.upperBound <= bytes.count)
            for id: UInt8 in 0...255 {
                #expect((packet.range(of: id)?.upperBound ?? 0) <= packet.payloadRange.lowerBound)
            }
        }
    }
}

extension RTPPacket {
    fileprivate func copy(of id: UInt8) -> [UInt8]? {
        guard let value = self.value(of: id) else { return nil }
        return [UInt8](copying: value)
    }
}
