import Bytes
import SocketIO
import TestSupport
import Testing

/// What one packet means, independent of where it lies.
struct Meaning: Hashable, CustomStringConvertible {
    let kind: EnginePacket.Kind
    let isBinary: Bool
    let content: [UInt8]

    init(_ kind: EnginePacket.Kind, _ text: String = "") {
        self.kind = kind
        self.isBinary = false
        self.content = Array(text.utf8)
    }

    init(binary: [UInt8]) {
        self.kind = .message
        self.isBinary = true
        self.content = binary
    }

    init(_ packet: EnginePacket, in bytes: [UInt8]) {
        self.kind = packet.kind
        self.isBinary = packet.form != .text
        self.content = Array(bytes[packet.body])
    }

    var encoded: EncodedPacket {
        self.isBinary ? EncodedPacket(binary: self.content) : EncodedPacket(self.kind, body: self.content)
    }

    var description: String { "\(self.kind)(\(String(decoding: self.content, as: UTF8.self)))" }
}

func decode(
    _ body: [UInt8], _ version: EngineVersion, isBinary: Bool = false, maximumPackets: Int = 100
) throws(ByteError) -> [Meaning] {
    var body = body
    let decoder = EnginePayloadDecoder(version: version, maximumPackets: maximumPackets)
    let packets = try decoder.decode(&body, isBinary: isBinary)
    return packets.map { Meaning($0, in: body) }
}

func decode(_ body: String, _ version: EngineVersion) throws(ByteError) -> [Meaning] {
    try decode(Array(body.utf8), version)
}

func encode(_ packets: [Meaning], _ version: EngineVersion, base64Only: Bool = false) -> EnginePayload {
    EnginePayload(packets.map(\.encoded), version: version, base64Only: base64Only)
}

@Suite("A polling payload of version 4")
struct PayloadVersion4Tests {
    @Test(
        "separates packets by 0x1e and dresses binary in Base64",
        arguments: [
            ("4hello", [Meaning(.message, "hello")]),
            ("4", [Meaning(.message)]),
            ("2", [Meaning(.ping)]),
            ("4test1\u{1e}4test2\u{1e}4test3", ["test1", "test2", "test3"].map { Meaning(.message, $0) }),
            ("4hello\u{1e}bAQIDBA==", [Meaning(.message, "hello"), Meaning(binary: [1, 2, 3, 4])]),
            ("b", [Meaning(binary: [])]),
            (
                "bAQID\u{1e}bAQI=\u{1e}3probe",
                [Meaning(binary: [1, 2, 3]), Meaning(binary: [1, 2]), Meaning(.pong, "probe")]
            ),
            ("4你好😀", [Meaning(.message, "你好😀")]),
        ])
    func vectors(_ text: String, _ packets: [Meaning]) throws {
        #expect(try decode(text, .v4) == packets)
        let payload = encode(packets, .v4)
        #expect(payload.bytes == Array(text.utf8) && !payload.isBinary)
    }

    @Test(
        "has no room for anything else",
        arguments: [
            "", "\u{1e}", "4a\u{1e}", "\u{1e}4a", "7", "x", "abc", "bA", "bAQIDB", "b====", "bAQ=D", "bAR==", "bAQ ==",
            "bAQID\n",
        ])
    func refused(_ text: String) {
        #expect(throws: ByteError.self) { try decode(text, .v4) }
    }

    @Test("A polling payload of version 4 must be UTF-8")
    func isText() {
        #expect(throws: ByteError(.malformed, at: 0)) { try decode([0x34, 0xFF], .v4) }
        #expect(throws: ByteError(.malformed, at: 0)) { try decode(Array("4a".utf8), .v4, isBinary: true) }
    }

    @Test("may not hold more than so many, CVE-2020-36048, CVE-2020-36049: packets in one polling body")
    func bounded() throws {
        let body = Array(repeatElement("4", count: 101).joined(separator: "\u{1e}").utf8)
        #expect(throws: ByteError.self) { try decode(body, .v4) }
        #expect(try decode(Array(body.dropLast(2)), .v4).count == 100)
        let long = [UInt8(ascii: "4")] + [UInt8](repeating: 0x61, count: 3_000_000)
        #expect(try decode(long, .v4).count == 1)
    }
}

@Suite("A polling payload of version 3")
struct PayloadVersion3Tests {
    @Test(
        "counts text in UTF-16 code units",
        arguments: [
            ("6:4hello", [Meaning(.message, "hello")]),
            ("6:4test16:4test26:4test3", ["test1", "test2", "test3"].map { Meaning(.message, $0) }),
            ("6:4hello10:b4AQIDBA==", [Meaning(.message, "hello"), Meaning(binary: [1, 2, 3, 4])]),
            ("1:2", [Meaning(.ping)]),
            ("1:1", [Meaning(.close)]),
            ("3:4你好1:6", [Meaning(.message, "你好"), Meaning(.noop)]),
            ("3:4😀", [Meaning(.message, "😀")]),
            ("5:4é𠀀ü2:4:", [Meaning(.message, "é𠀀ü"), Meaning(.message, ":")]),
        ])
    func text(_ text: String, _ packets: [Meaning]) throws {
        #expect(try decode(text, .v3) == packets)
        let payload = encode(packets, .v3, base64Only: true)
        #expect(payload.bytes == Array(text.utf8) && !payload.isBinary)
    }

    @Test(
        "is refused when a count is not exact",
        arguments: [
            "", ":", "4hello", "6", "6:", "6:4hell", "7:4hello", "5:4hello", "06:4hello", "-1:4", "6 :4hello", "2:4😀",
            "1:😀", "2:4你好", "99999999999999999999:4", "999999999:4", "1:9", "4:b4A=", "1:b", "6:b3AQID", "1:41:4x",
        ])
    func refused(_ text: String) {
        #expect(throws: ByteError.self) { try decode(text, .v3) }
    }

    @Test("may be empty in the form the reference writes")
    func empty() throws {
        #expect(try decode("0:", .v3) == [])
        #expect(EnginePayload([], version: .v3, base64Only: true).bytes == Array("0:".utf8))
    }

    @Test("becomes binary when a client can read it and a packet needs it")
    func binary() throws {
        let packets = [Meaning(.message, "hello"), Meaning(binary: [1, 2, 3, 4])]
        let bytes: [UInt8] = [0, 6, 255, 52, 104, 101, 108, 108, 111, 1, 5, 255, 4, 1, 2, 3, 4]
        let payload = encode(packets, .v3)
        #expect(payload.bytes == bytes && payload.isBinary)
        #expect(try decode(bytes, .v3, isBinary: true) == packets)
        #expect(!encode([Meaning(.noop)], .v3).isBinary)
    }

    @Test("in binary counts the bytes of text, one digit in each byte")
    func binaryLengths() throws {
        let packets = [Meaning(.message, "你好"), Meaning(binary: [UInt8](repeating: 9, count: 119))]
        let payload = encode(packets, .v3)
        #expect(payload.bytes.prefix(3) == [0, 7, 255])
        #expect(Array(payload.bytes[10..<15]) == [1, 1, 2, 0, 255])
        #expect(try decode(payload.bytes, .v3, isBinary: true) == packets)
    }

    @Test(
        "in binary is refused when its marks are wrong",
        arguments: [
            [], [0], [0, 255], [2, 1, 255, 0x34], [0, 2, 255, 0x34], [0, 10, 255, 0x34], [0, 0, 1, 255, 0x34],
            [1, 1, 255, 0x34], [1, 0, 255], [0, 0, 255], [0, 2, 255, 0x34, 0xFF],
            [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 255],
            [0, 1, 255, 0x34, 7],
        ] as [[UInt8]])
    func refusedBinary(_ bytes: [UInt8]) {
        #expect(throws: ByteError.self) { try decode(bytes, .v3, isBinary: true) }
    }
}

@Suite("Engine.IO payloads and frames")
struct EngineRoundTripTests {
    private static let pieces = ["a", "你好", "😀", "𠀀", "é", "\u{0}", "\u{7F}", "语音", ":", "b4", "1:", "\"", "\\"]

    private func randomPacket(_ random: inout SeededRandom) -> Meaning {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return Meaning(binary: random.bytes(Int.random(in: 0..<200, using: &random)))
        case 1: return Meaning([.ping, .pong, .noop, .close].randomElement(using: &random) ?? .noop)
        default:
            let count = Int.random(in: 0..<40, using: &random)
            return Meaning(.message, (0..<count).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined())
        }
    }

    private func throughFrame(_ packet: Meaning, _ version: EngineVersion) throws -> Meaning {
        let bytes = Array(packet.encoded.frame(for: version))
        let received =
            packet.isBinary
            ? try EnginePacket(binaryFrame: bytes.span, version: version)
            : try EnginePacket(textFrame: bytes.span, version: version)
        return Meaning(received, in: bytes)
    }

    @Test("B06 long and Chinese text, emoji and bytes survive Base64 polling, octet-stream polling and WebSocket")
    func everyForm() throws {
        var random = SeededRandom(seed: 6)
        for _ in 0..<500 {
            let packets = (0..<Int.random(in: 1..<8, using: &random)).map { _ in self.randomPacket(&random) }
            for (version, base64Only) in [(EngineVersion.v4, false), (.v3, true), (.v3, false)] {
                let payload = encode(packets, version, base64Only: base64Only)
                #expect(try decode(payload.bytes, version, isBinary: payload.isBinary) == packets)
            }
            for packet in packets {
                #expect(try self.throughFrame(packet, .v3) == packet)
                #expect(try self.throughFrame(packet, .v4) == packet)
            }
        }
        let long = Meaning(.message, String(repeating: "长消息😀", count: 50_000))
        #expect(try decode(encode([long], .v3).bytes, .v3) == [long])
        #expect(try decode(encode([long], .v4).bytes, .v4) == [long])
    }

    @Test("A bound is never below what a packet takes")
    func bounds() {
        var random = SeededRandom(seed: 8)
        for _ in 0..<500 {
            let packet = self.randomPacket(&random)
            for (version, base64Only) in [(EngineVersion.v4, false), (.v3, true), (.v3, false)] {
                #expect(encode([packet], version, base64Only: base64Only).bytes.count < packet.encoded.payloadBound)
            }
        }
    }

    @Test("A payload that is cut anywhere is refused or holds fewer packets")
    func cuts() throws {
        let packets = [Meaning(.message, "你好"), Meaning(binary: [1, 2, 3, 4, 5]), Meaning(.message, "😀x")]
        for (version, base64Only) in [(EngineVersion.v4, false), (.v3, true), (.v3, false)] {
            let payload = encode(packets, version, base64Only: base64Only)
            for end in 0..<payload.bytes.count {
                let cut = Array(payload.bytes[..<end])
                let rest = (try? decode(cut, version, isBinary: payload.isBinary)) ?? []
                #expect(rest != packets && rest.count <= packets.count)
            }
        }
    }

    @Test("No bytes at all make a decoder stumble")
    func fuzz() {
        var random = SeededRandom(seed: 9)
        let seeds = ["6:4hello10:b4AQIDBA==", "4hello\u{1e}bAQIDBA==", "3:4😀1:2"].map { Array($0.utf8) }
        for round in 0..<20_000 {
            var body = round.isMultiple(of: 4) ? random.bytes(round % 40) : seeds[round % seeds.count]
            for _ in 0..<3 where !body.isEmpty {
                body[Int.random(in: body.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            for (version, isBinary) in [(EngineVersion.v4, false), (.v3, false), (.v3, true)] {
                let packets = (try? decode(body, version, isBinary: isBinary)) ?? []
                #expect(packets.count <= body.count + 1)
                _ = try? EnginePacket(textFrame: body.span, version: version)
                _ = try? EnginePacket(binaryFrame: body.span, version: version)
            }
        }
    }

    @Test("Text frames of old clients may bring attachments in Base64", arguments: EngineVersion.allCases)
    func base64Frames(_ version: EngineVersion) throws {
        var frame = Array((version == .v3 ? "b4AQIDBA==" : "bAQIDBA==").utf8)
        let packet = try EnginePacket(textFrame: frame.span, version: version)
        #expect(packet.form == .base64)
        let decoded = try packet.withoutBase64(in: &frame)
        #expect(Meaning(decoded, in: frame) == Meaning(binary: [1, 2, 3, 4]))
    }

    @Test("Only the question and the answer of an upgrade are probes")
    func probes() throws {
        for (text, isProbe) in [("2probe", true), ("3probe", true), ("2", false), ("2probes", false), ("2prob", false)]
        {
            let frame = Array(text.utf8)
            #expect(try EnginePacket(textFrame: frame.span, version: .v4).isProbe == isProbe)
        }
    }

    @Test("A binary frame of version 3 says its type")
    func typedFrames() throws {
        #expect(EncodedPacket(binary: [1, 2]).frame(for: .v3) == [4, 1, 2])
        #expect(EncodedPacket(binary: [1, 2]).frame(for: .v4) == [1, 2])
        for bad: [UInt8] in [[], [3, 1], [0x34, 1]] {
            #expect(throws: ByteError.self) { try EnginePacket(binaryFrame: bad.span, version: .v3) }
        }
        let nothing: [UInt8] = []
        #expect(throws: Never.self) { try EnginePacket(binaryFrame: nothing.span, version: .v4) }
        #expect(throws: ByteError.self) { try EnginePacket(textFrame: nothing.span, version: .v4) }
    }
}
