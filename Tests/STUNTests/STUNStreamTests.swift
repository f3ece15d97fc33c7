import Bytes
import STUN
import TestSupport
import Testing

@Suite("TURN's packets")
struct STUNStreamTests {
    private static func parse(_ bytes: [UInt8]) throws {
        _ = try ChannelData(parsing: bytes.span)
    }

    @Test("carry a payload under a channel's number, and ignore what is behind it")
    func channelData() throws {
        let channel = try #require(ChannelNumber(rawValue: 0x4001))
        var writer = ByteWriter()
        ChannelData.write([1, 2, 3, 4, 5].span, on: channel, padded: false, to: &writer)
        #expect(Hex.encode(writer.bytes) == "400100050102030405")
        let bytes = writer.bytes + [0, 0, 0]
        let data = try ChannelData(parsing: bytes.span)
        #expect(data.channel == channel)
        #expect([UInt8](copying: data.payload) == [1, 2, 3, 4, 5])
        for count in 0..<9 {
            #expect(throws: ByteError.self) { try Self.parse(Array(bytes.prefix(count))) }
        }
        for first: UInt8 in [0x3F, 0x80] {
            #expect(throws: ByteError(.outOfRange, at: 0)) {
                try Self.parse(([first] + bytes.dropFirst()))
            }
        }
    }

    @Test("are found one after the other in a stream, however it is cut", arguments: 0..<20)
    func stream(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let channel = try #require(ChannelNumber(rawValue: 0x4FFF))
        var packets: [[UInt8]] = []
        for _ in 0..<30 {
            var writer = ByteWriter()
            if Bool.random(using: &random) {
                let count = Int.random(in: 0...70, using: &random)
                ChannelData.write(random.bytes(count).span, on: channel, padded: true, to: &writer)
                packets.append(writer.bytes)
            } else {
                packets.append(try #require(STUNSamples.all.randomElement(using: &random)))
            }
        }
        var stream: [UInt8] = []
        var found: [[UInt8]] = []
        for byte in packets.joined() {
            stream.append(byte)
            guard let length = try STUNFraming.length(of: stream.span), stream.count >= length else { continue }
            found.append(stream)
            stream.removeAll()
        }
        #expect(found == packets)
    }

    @Test("end the stream that is neither STUN nor channel data")
    func lost() throws {
        #expect(try STUNFraming.length(of: [0, 1, 0].span) == nil)
        #expect(throws: ByteError(.unexpected(0x80), at: 0)) { try STUNFraming.length(of: [0x80, 0, 0, 0].span) }
        #expect(throws: ByteError(.outOfRange, at: 2)) { try STUNFraming.length(of: [0, 1, 0, 3].span) }
    }
}
