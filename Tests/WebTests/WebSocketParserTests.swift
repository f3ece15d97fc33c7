import TestSupport
import Testing
import Web

@Suite("A WebSocket parser")
struct WebSocketParserTests {
    @Test(
        "reads the examples of RFC 6455 §5.7",
        arguments: [
            ("81 05 48 65 6c 6c 6f", WebSocketRole.client, WebSocketEvent.assembled(.text, Array("Hello".utf8))),
            ("81 85 37 fa 21 3d 7f 9f 4d 51 58", .server, .assembled(.text, Array("Hello".utf8))),
            ("01 03 48 65 6c 80 02 6c 6f", .client, .assembled(.text, Array("Hello".utf8))),
            ("89 05 48 65 6c 6c 6f", .client, .ping(Array("Hello".utf8))),
            ("8a 85 37 fa 21 3d 7f 9f 4d 51 58", .server, .pong(Array("Hello".utf8))),
        ])
    func examples(hex: String, role: WebSocketRole, event: WebSocketEvent) {
        let transcript = FrameTranscript(of: Frames.hex(hex), role: role)
        #expect(transcript.events == [event] && transcript.error == nil)
    }

    @Test("reads the long examples of RFC 6455 §5.7", arguments: [256, 65_536])
    func longExamples(count: Int) {
        let payload = [UInt8](repeating: 7, count: count)
        let header = count == 256 ? Frames.hex("82 7E 01 00") : Frames.hex("82 7F 00 00 00 00 00 01 00 00")
        let transcript = FrameTranscript(of: header + payload, role: .client)
        #expect(transcript.events == [.assembled(.binary, payload)] && transcript.inPlace == 1)
        #expect(Frames.frame(.binary, payload, mask: nil) == header + payload)
    }

    @Test("reads a whole message where it lies, and any number of them in one go")
    func inPlace() {
        let bytes = (0..<50).flatMap { Frames.frame($0.isMultiple(of: 2) ? .text : .binary, "message \($0)") }
        let transcript = FrameTranscript(of: bytes)
        #expect(transcript.inPlace == 50 && transcript.error == nil && transcript.consumed == bytes.count)
        #expect(transcript.events.last == .assembled(.binary, Array("message 49".utf8)))
    }

    @Test("lets control frames come between fragments")
    func interleaved() {
        let bytes =
            Frames.frame(.text, "Hel", isFinal: false) + Frames.frame(.ping, "1")
            + Frames.frame(.continuation, "", isFinal: false) + Frames.frame(.pong, "2")
            + Frames.frame(.continuation, "lo") + Frames.frame(.binary, "x")
        let transcript = FrameTranscript(of: bytes)
        #expect(
            transcript.events == [
                .ping([0x31]), .pong([0x32]), .assembled(.text, Array("Hello".utf8)), .assembled(.binary, [0x78]),
            ])
    }

    @Test("says the same however the bytes are cut", arguments: FrameSamples.all)
    func cuts(sample: FrameSamples.Sample) {
        let whole = FrameTranscript(of: sample.bytes, compresses: true)
        #expect(whole.error?.fault == sample.fault)
        for cut in 1..<max(2, min(sample.bytes.count, 300)) {
            #expect(FrameTranscript(of: sample.bytes, cutInto: [cut, sample.bytes.count], compresses: true) == whole)
        }
        #expect(FrameTranscript(of: sample.bytes, cutInto: [1], compresses: true) == whole)
        #expect(FrameTranscript(of: sample.bytes, cutInto: [3, 1, 7], compresses: true) == whole)
    }

    @Test("A WebSocket frame that breaks the rules is refused", arguments: FrameSamples.refused)
    func refuses(sample: FrameSamples.Sample) {
        let error = FrameTranscript(of: sample.bytes).error
        #expect(error?.fault == sample.fault && error?.closeCode.number == sample.code)
        #expect((error?.reason.utf8.count ?? 0) <= 123)
    }

    @Test("refuses what a first byte or two already tell, without waiting for more")
    func early() {
        for bytes in [[0xB1, 0x80], [0x83, 0x80], [0x09, 0x80], [0x89, 0xFE], [0x81, 0x05], [0x80, 0x80]] as [[UInt8]] {
            #expect(FrameTranscript(of: bytes).error != nil, "\(bytes)")
        }
        #expect(FrameTranscript(of: [0x81, 0x85], role: .client).error?.fault == .unexpectedMask)
    }

    @Test("needs compression to be agreed on before RSV1 may be set")
    func reservedWithoutCompression() {
        let frame = Frames.frame(.text, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], isCompressed: true)
        #expect(FrameTranscript(of: frame).error?.fault == .reservedBits)
        #expect(FrameTranscript(of: frame, compresses: true).events == [.assembled(.text, Array("Hello".utf8))])
    }

    @Test("notices a wrong byte before its frame is complete")
    func failFast() {
        let start = Frames.frame(.text, "Κόσμε", isFinal: false)
        let bad = Array("ok ".utf8) + [0xF4, 0x90] + [UInt8](repeating: 0x80, count: 100)
        let next = Frames.frame(.continuation, bad)
        let transcript = FrameTranscript(of: start + next, cutInto: [1])
        #expect(transcript.error?.fault == .invalidText)
        #expect(transcript.consumed == start.count + (next.count - bad.count) + 5)
    }

    @Test(
        "takes the close codes that may be sent",
        arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999])
    func goodCloseCodes(code: UInt16) {
        let payload = [UInt8(code >> 8), UInt8(code & 255)] + Array("再见".utf8)
        let transcript = FrameTranscript(of: Frames.frame(.close, payload) + [0xFF, 0xFF, 0xFF])
        #expect(transcript.events == [.close(WebSocketCloseCode(code), reason: "再见")])
        #expect(transcript.error == nil && WebSocketCloseCode(code) != nil)
    }

    @Test(
        "refuses the close codes that may not",
        arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535])
    func badCloseCodes(code: UInt16) {
        let error = FrameTranscript(of: Frames.frame(.close, [UInt8(code >> 8), UInt8(code & 255)])).error
        #expect(error?.fault == .invalidCloseCode)
    }

    @Test("takes a close without a code, and skips what comes after")
    func emptyClose() {
        let transcript = FrameTranscript(of: Frames.frame(.close, []) + Frames.frame(.text, "late"))
        #expect(transcript.events == [.close(nil, reason: "")] && transcript.error == nil)
    }

    @Test("holds nothing while it waits")
    func idleSize() {
        #expect(MemoryLayout<WebSocketParser>.size <= 128)
    }

    @Test("lives through noise, in any pieces")
    func noise() {
        var random = SeededRandom(seed: 6455)
        for _ in 0..<3000 {
            var bytes = FrameSamples.all.randomElement(using: &random)?.bytes ?? []
            for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<min(bytes.count, 64), using: &random)] = .random(in: 0...255, using: &random)
            }
            let sizes = (0..<3).map { _ in Int.random(in: 1...40, using: &random) }
            let whole = FrameTranscript(of: bytes, compresses: true)
            #expect(FrameTranscript(of: bytes, cutInto: sizes, compresses: true) == whole)
        }
    }
}

@Suite("The limits of a WebSocket parser")
struct WebSocketLimitTests {
    private static func limits(message: Int = 100, frame: Int = 100, fragments: Int = 100) -> WebSocketLimits {
        var limits = WebSocketLimits()
        limits.maximumMessageBytes = message
        limits.maximumFrameBytes = frame
        limits.maximumFragments = fragments
        return limits
    }

    @Test("maximumFrameBytes refuses a longer frame when its header comes")
    func maximumFrameBytes() {
        let fits = Frames.frame(.binary, [UInt8](repeating: 1, count: 50))
        let isTooLong = Frames.frame(.binary, [UInt8](repeating: 1, count: 51))
        #expect(FrameTranscript(of: fits, limits: Self.limits(frame: 50)).error == nil)
        let transcript = FrameTranscript(of: isTooLong, cutInto: [1], limits: Self.limits(frame: 50))
        #expect(transcript.error?.fault == .frameTooBig && transcript.error?.closeCode == .messageTooBig)
        #expect(transcript.consumed == 6)
    }

    @Test("maximumMessageBytes refuses a longer message when the header of its last straw comes")
    func maximumMessageBytes() {
        let part = [UInt8](repeating: 1, count: 50)
        let start = Frames.frame(.binary, part, isFinal: false)
        let fits = start + Frames.frame(.continuation, part)
        let isTooLong = start + Frames.frame(.continuation, part + [1])
        #expect(FrameTranscript(of: fits, limits: Self.limits()).error == nil)
        let transcript = FrameTranscript(of: isTooLong, limits: Self.limits())
        #expect(transcript.error?.fault == .messageTooBig && transcript.events.isEmpty)
    }

    @Test("maximumMessageBytes holds for the longest length that can be written")
    func hugeLength() {
        let header = Frames.hex("82 FF 7F FF FF FF FF FF FF FF 00 00 00 00")
        #expect(FrameTranscript(of: header).error?.closeCode == .messageTooBig)
    }

    @Test("maximumMessageBytes stops a compression bomb")
    func bomb() {
        var payload: [UInt8] = []
        WebSocketDeflater().deflate([UInt8](repeating: 0, count: 8 << 20).span, into: &payload)
        #expect(payload.count < 10_000)
        let frame = Frames.frame(.binary, payload, isCompressed: true)
        for sizes in [[], [1000]] {
            let transcript = FrameTranscript(of: frame, cutInto: sizes, compresses: true)
            #expect(transcript.error?.fault == .messageTooBig && transcript.error?.closeCode == .messageTooBig)
        }
        var roomy = WebSocketLimits()
        roomy.maximumMessageBytes = 8 << 20
        #expect(FrameTranscript(of: frame, limits: roomy, compresses: true).error == nil)
    }

    @Test("maximumFragments stops a flood of tiny fragments")
    func maximumFragments() {
        let start = Frames.frame(.text, "", isFinal: false)
        let more = Frames.frame(.continuation, "", isFinal: false)
        let fits = start + (0..<98).flatMap { _ in more } + Frames.frame(.continuation, "")
        #expect(FrameTranscript(of: fits, limits: Self.limits()).events == [.assembled(.text, [])])
        let flood = start + (0..<100).flatMap { _ in more }
        let transcript = FrameTranscript(of: flood, limits: Self.limits())
        #expect(transcript.error?.fault == .tooManyFragments && transcript.error?.closeCode == .policyViolation)
    }

    @Test("maximumFragments begins anew with each message")
    func fragmentsPerMessage() {
        let message = Frames.frame(.text, "a", isFinal: false) + Frames.frame(.continuation, "b")
        let bytes = (0..<10).flatMap { _ in message }
        #expect(FrameTranscript(of: bytes, limits: Self.limits(fragments: 2)).events.count == 10)
    }
}
