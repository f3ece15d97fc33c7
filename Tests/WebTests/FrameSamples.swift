import Testing
import Web

/// Frames that are fine, and frames that are not.
enum FrameSamples {
    struct Sample: CustomTestStringConvertible, Sendable {
        let name: String
        let bytes: [UInt8]
        var fault: WebSocketFault?
        var code: UInt16 = 1000

        var testDescription: String { self.name }
    }

    static let all = good + refused

    static let good: [Sample] = [
        Sample(name: "a text", bytes: Frames.frame(.text, "Hello, 世界 🌍")),
        Sample(name: "an empty text", bytes: Frames.frame(.text, "")),
        Sample(name: "a longer text", bytes: Frames.frame(.text, String(repeating: "añ", count: 100))),
        Sample(
            name: "a text cut inside a character",
            bytes: Frames.frame(.text, [0x61, 0xE4], isFinal: false)
                + Frames.frame(.continuation, [0xB8], isFinal: false)
                + Frames.frame(.continuation, [0x96])),
        Sample(
            name: "fragments with a ping between",
            bytes: Frames.frame(.binary, "ab", isFinal: false) + Frames.frame(.ping, "p")
                + Frames.frame(.continuation, "c")
                + Frames.frame(.text, "d")),
        Sample(name: "the longest ping", bytes: Frames.frame(.ping, [UInt8](repeating: 1, count: 125))),
        Sample(name: "an empty ping", bytes: Frames.frame(.ping, [])),
        Sample(name: "a close with a reason", bytes: Frames.frame(.close, [0x03, 0xE8, 0x6F, 0x6B]) + [0xFF]),
        Sample(
            name: "a compressed text",
            bytes: Frames.frame(.text, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], isCompressed: true)),
        Sample(
            name: "a compressed text in two frames",
            bytes: Frames.frame(.text, [0xF2, 0x48, 0xCD], isFinal: false, isCompressed: true)
                + Frames.frame(.continuation, [0xC9, 0xC9, 0x07, 0x00])),
    ]

    static let refused: [Sample] = headers + order + contents

    private static let headers: [Sample] =
        [
            Sample(name: "RSV2", bytes: [0xA1, 0x80, 0, 0, 0, 0], fault: .reservedBits, code: 1002),
            Sample(name: "RSV3", bytes: [0x91, 0x80, 0, 0, 0, 0], fault: .reservedBits, code: 1002),
            Sample(name: "a compressed ping", bytes: [0xC9, 0x80, 0, 0, 0, 0], fault: .reservedBits, code: 1002),
            Sample(name: "no mask", bytes: [0x81, 0x01, 0x61], fault: .missingMask, code: 1002),
            Sample(name: "a long ping", bytes: [0x89, 0xFE, 0, 126, 0, 0, 0, 0], fault: .controlTooLong, code: 1002),
            Sample(name: "a fragmented ping", bytes: [0x09, 0x80, 0, 0, 0, 0], fault: .controlFragmented, code: 1002),
            Sample(name: "a fragmented close", bytes: [0x08, 0x80, 0, 0, 0, 0], fault: .controlFragmented, code: 1002),
            Sample(
                name: "125 in 16 bits", bytes: [0x82, 0xFE, 0, 125, 0, 0, 0, 0], fault: .lengthNotMinimal, code: 1002),
            Sample(
                name: "65535 in 64 bits", bytes: [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0],
                fault: .lengthNotMinimal, code: 1002),
            Sample(
                name: "a length with its highest bit", bytes: [0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
                fault: .lengthOutOfRange, code: 1002),
        ]
        + ([0x3, 0x4, 0x5, 0x6, 0x7, 0xB, 0xC, 0xD, 0xE, 0xF] as [UInt8]).map {
            Sample(
                name: "opcode \($0)", bytes: [0x80 | $0, 0x80, 0, 0, 0, 0], fault: .reservedOpcode, code: 1002)
        }

    private static let order: [Sample] = [
        Sample(
            name: "a continuation of nothing", bytes: Frames.frame(.continuation, "a"),
            fault: .unexpectedContinuation, code: 1002),
        Sample(
            name: "a continuation after the last", bytes: Frames.frame(.text, "a") + Frames.frame(.continuation, "b"),
            fault: .unexpectedContinuation, code: 1002),
        Sample(
            name: "a message inside another",
            bytes: Frames.frame(.text, "a", isFinal: false) + Frames.frame(.text, "b"),
            fault: .missingContinuation, code: 1002),
    ]

    private static let contents: [Sample] = [
        Sample(name: "a close of one byte", bytes: Frames.frame(.close, [3]), fault: .malformedClose, code: 1002),
        Sample(
            name: "a close code of 1005", bytes: Frames.frame(.close, [3, 0xED]), fault: .invalidCloseCode, code: 1002),
        Sample(
            name: "a close with a reason that is no UTF-8", bytes: Frames.frame(.close, [3, 0xE8, 0xFF]),
            fault: .invalidText, code: 1007),
        Sample(
            name: "a text that is no UTF-8", bytes: Frames.frame(.text, [0x61, 0xC0]), fault: .invalidText, code: 1007),
        Sample(
            name: "a text that ends inside a character", bytes: Frames.frame(.text, [0xE4, 0xB8]),
            fault: .invalidText, code: 1007),
        Sample(
            name: "a fragmented text that ends inside a character",
            bytes: Frames.frame(.text, [0xE4], isFinal: false) + Frames.frame(.continuation, [0xB8]),
            fault: .invalidText, code: 1007),
    ]
}
