import TestSupport
import Testing
import Web

@Suite("WebSocket compression")
struct WebSocketCompressionTests {
    private static func events(_ frames: [UInt8]) -> [WebSocketEvent] {
        let transcript = FrameTranscript(of: frames, role: .client, compresses: true)
        #expect(transcript.error == nil)
        return transcript.events
    }

    @Test(
        "reads the examples of RFC 7692 §7.2.3",
        arguments: [
            "c1 07 f2 48 cd c9 c9 07 00", "41 03 f2 48 cd 80 04 c9 c9 07 00",
            "c1 0b 00 05 00 fa ff 48 65 6c 6c 6f 00", "c1 08 f3 48 cd c9 c9 07 00 00",
            "c1 0d f2 48 05 00 00 00 ff ff ca c9 c9 07 00",
        ])
    func examples(hex: String) {
        #expect(Self.events(Frames.hex(hex)) == [.assembled(.text, Array("Hello".utf8))])
    }

    @Test("writes the example of RFC 7692 §7.2.3.1, and an empty message as one byte")
    func writing() {
        let deflater = WebSocketDeflater()
        for (text, expected) in [("Hello", [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]), ("", [0x00])]
            as [(String, [UInt8])]
        {
            var out: [UInt8] = []
            let message = Array(text.utf8)
            deflater.deflate(message.span, into: &out)
            #expect(out == expected)
        }
        #expect(Self.events([0xC1, 0x01, 0x00]) == [.assembled(.text, [])])
    }

    @Test("comes back from every window, message after message", arguments: 9...15)
    func roundTrip(windowBits: Int) throws {
        var random = SeededRandom(seed: UInt64(windowBits))
        let codec = WebSocketCodec()
        for length in [0, 1, 2, 125, 1000, 16_384, 70_000] {
            let message = (0..<length).map { _ in UInt8.random(in: 0...15, using: &random) }
            var out: [UInt8] = [7]
            codec.deflater(windowBits: windowBits).deflate(message.span, into: &out)
            let payload = Array(out.dropFirst())
            let back = try codec.inflater.inflate(payload.span, limit: length)
            #expect(back == message)
        }
        #expect(codec.deflater(windowBits: windowBits) === codec.deflater(windowBits: windowBits))
    }

    @Test(
        "refuses what is no compressed message",
        arguments: [[0xFF, 0xFF], [0xF2, 0x48, 0xCD], [], [0x07], [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07]] as [[UInt8]])
    func corrupt(payload: [UInt8]) {
        do {
            let bytes = try WebSocketInflater().inflate(payload.span, limit: 1000)
            // Nothing at all, with the four bytes that every message ends with, is an empty message.
            #expect(payload.isEmpty && bytes.isEmpty)
        } catch {
            #expect(error.fault == .corruptCompression && error.closeCode == .invalidData)
        }
    }

    @Test("forgets one message before the next")
    func forgets() throws {
        let inflater = WebSocketInflater()
        #expect(throws: WebSocketError.self) { try inflater.inflate(([0xFF, 0xFF] as [UInt8]).span, limit: 10) }
        let hello = Frames.hex("f2 48 cd c9 c9 07 00")
        let first = try inflater.inflate(hello.span, limit: 5)
        #expect(first == Array("Hello".utf8))
        // A message that refers to the one before (RFC 7692 §7.2.3.2) cannot be read without its window.
        #expect(throws: WebSocketError.self) { try inflater.inflate(Frames.hex("f2 00 11 00 00").span, limit: 5) }
    }

    @Test("checks the text that comes out")
    func invalidText() {
        var payload: [UInt8] = []
        WebSocketDeflater().deflate(([0x61, 0xFF] as [UInt8]).span, into: &payload)
        let frame = Frames.frame(.text, payload, isCompressed: true)
        #expect(FrameTranscript(of: frame, compresses: true).error?.fault == .invalidText)
        let binary = Frames.frame(.binary, payload, isCompressed: true)
        #expect(FrameTranscript(of: binary, compresses: true).events == [.assembled(.binary, [0x61, 0xFF])])
    }

    @Test("maximumMessageBytes holds to the byte")
    func exactLimit() throws {
        let message = [UInt8](repeating: 1, count: 50_000)
        var payload: [UInt8] = []
        WebSocketDeflater().deflate(message.span, into: &payload)
        let inflater = WebSocketInflater()
        let fits = try inflater.inflate(payload.span, limit: 50_000)
        #expect(fits == message)
        do {
            _ = try inflater.inflate(payload.span, limit: 49_999)
            Issue.record("one byte too many came through")
        } catch {
            #expect(error.fault == .messageTooBig)
        }
    }
}

@Suite("A WebSocket frame")
struct WebSocketFrameTests {
    @Test(
        "has the shortest header for its length",
        arguments: [
            (0, "82 00"), (125, "82 7d"), (126, "82 7e 00 7e"), (65_535, "82 7e ff ff"),
            (65_536, "82 7f 00 00 00 00 00 01 00 00"), (Int.max, "82 7f 7f ff ff ff ff ff ff ff"),
        ])
    func lengths(length: Int, hex: String) {
        var out: [UInt8] = []
        WebSocketFrameHeader(.binary, length: length).append(to: &out)
        #expect(out == Frames.hex(hex))
    }

    @Test("carries its flags and its mask")
    func flags() {
        var out: [UInt8] = []
        WebSocketFrameHeader(.text, length: 1, isFinal: false, isCompressed: true, mask: 0x0102_0304).append(to: &out)
        #expect(out == [0x41, 0x81, 1, 2, 3, 4])
    }

    @Test("is masked alike in one go and byte by byte, at any place and for any length")
    func masking() {
        var random = SeededRandom(seed: 4)
        for length in 0..<70 {
            let plain = random.bytes(length)
            let key = UInt32.random(in: 0...UInt32.max, using: &random)
            let expected = plain.indices.map { plain[$0] ^ UInt8(truncatingIfNeeded: key >> UInt32(24 - $0 % 4 * 8)) }
            let start = Int.random(in: 0...9, using: &random)
            let cut = start + Int.random(in: 0...length, using: &random)
            var bytes = [UInt8](repeating: 0, count: start) + plain + [0, 0]
            var span = bytes.mutableSpan
            var mask = WebSocketMask(key)
            mask.apply(to: &span, in: start..<cut)
            mask.apply(to: &span, in: cut..<(start + length))
            #expect(bytes == [UInt8](repeating: 0, count: start) + expected + [0, 0])
        }
    }

    @Test("comes back whatever its length and its cuts", arguments: [0, 1, 125, 126, 127, 65_535, 65_536])
    func roundTrip(length: Int) {
        var random = SeededRandom(seed: UInt64(length))
        let payload = random.bytes(length)
        let frame = Frames.frame(.binary, payload, mask: 0xDEAD_BEEF)
        for sizes in [[], [1000, 7], [frame.count - 1, 1]] {
            #expect(FrameTranscript(of: frame, cutInto: sizes).events == [.assembled(.binary, payload)])
        }
    }

    @Test("every fault closes with a code and a short reason", arguments: WebSocketFault.allCases)
    func faults(fault: WebSocketFault) {
        #expect(WebSocketCloseCode(fault.closeCode.number) == fault.closeCode && fault.reason.utf8.count <= 123)
    }
}
