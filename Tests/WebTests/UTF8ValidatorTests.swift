import TestSupport
import Testing
import Web

@Suite("A UTF-8 validator")
struct UTF8ValidatorTests {
    /// How many bytes go through before the first wrong one is noticed, one at a time; nil when all do.
    private static func failure(in bytes: [UInt8]) -> Int? {
        var validator = UTF8Validator()
        for (index, byte) in bytes.enumerated() {
            let one = [byte]
            guard validator.consume(one.span) else { return index }
        }
        return validator.isComplete ? nil : bytes.count
    }

    private static func isValid(_ bytes: [UInt8]) -> Bool { UTF8Validator.isValid(bytes.span) }

    @Test(
        "takes the first and the last of every length",
        arguments: [
            [0x00], [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80],
            [0xEF, 0xBF, 0xBF], Array("世界 and 世a世é世🌍世".utf8), [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF], [],
        ] as [[UInt8]])
    func valid(bytes: [UInt8]) {
        #expect(Self.isValid(bytes) && Self.failure(in: bytes) == nil)
    }

    @Test(
        "notices the first wrong byte",
        arguments: [
            ([0x80], 0), ([0xBF], 0), ([0xC0, 0xAF], 0), ([0xC1, 0xBF], 0), ([0xFE], 0), ([0xFF], 0),
            ([0xF5, 0x80], 0),
            ([0xE0, 0x80, 0xAF], 1), ([0xE0, 0x9F, 0xBF], 1), ([0xF0, 0x80, 0x80, 0xAF], 1),
            ([0xF0, 0x8F, 0xBF, 0xBF], 1),
            ([0xED, 0xA0, 0x80], 1), ([0xED, 0xBF, 0xBF], 1), ([0xF4, 0x90, 0x80, 0x80], 1), ([0xC2, 0x41], 1),
            ([0xE4, 0xBD, 0x41], 2), ([0xF0, 0x9F, 0x8C, 0x41], 3), ([0x61, 0x62, 0xC2], 3), ([0xE4, 0xBD], 2),
            ([0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5, 0xF4, 0x90, 0x80, 0x80, 0x65], 12),
        ] as [([UInt8], Int)])
    func invalid(bytes: [UInt8], index: Int) {
        #expect(!Self.isValid(bytes) && Self.failure(in: bytes) == index)
    }

    @Test("finds a wrong byte at any place of a long run")
    func longRuns() {
        for length in 1..<100 {
            for index in 0..<length {
                var bytes = [UInt8](repeating: 0x61, count: length)
                bytes[index] = 0xFF
                #expect(!Self.isValid(bytes))
                bytes[index] = 0x7F
                #expect(Self.isValid(bytes))
            }
        }
    }

    @Test("agrees with the standard library about random bytes")
    func agreement() {
        var random = SeededRandom(seed: 3629)
        let alphabet: [UInt8] = [
            0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xE0, 0xE4, 0xED, 0xF0, 0xF1, 0xF4,
        ]
        for _ in 0..<10_000 {
            let count = Int.random(in: 1...12, using: &random)
            Self.expectAgreement((0..<count).compactMap { _ in alphabet.randomElement(using: &random) })
        }
    }

    @Test("agrees with the standard library about mixed text, whole and damaged")
    func mixedText() {
        var random = SeededRandom(seed: 10646)
        let characters = ["a", "bcdefghij", "\u{80}", "é", "\u{800}", "世", "界界", "\u{D7FF}", "\u{E000}", "🌍"]
        for _ in 0..<5_000 {
            let count = Int.random(in: 1...12, using: &random)
            var bytes = (0..<count).flatMap { _ in Array((characters.randomElement(using: &random) ?? "").utf8) }
            Self.expectAgreement(bytes)
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            Self.expectAgreement(bytes)
        }
    }

    private static func expectAgreement(_ bytes: [UInt8]) {
        let expected = String(validating: bytes, as: UTF8.self) != nil
        #expect(Self.isValid(bytes) == expected && (Self.failure(in: bytes) == nil) == expected, "\(bytes)")
    }
}
