import Bytes
import Testing
import Vocabulary

@testable import BinaryCoding

@Suite("Values in binary")
struct BinaryCodedTests {
    @Test("are read as they were written", arguments: [0, 1, 127, 128, 300, UInt64.max / 2, UInt64.max])
    func numbers(number: UInt64) throws {
        #expect(try UInt64(decoding: number.encoded.span) == number)
        let signed = Int64(bitPattern: number)
        #expect(try Int64(decoding: signed.encoded.span) == signed)
    }

    @Test("Collections are read as they were written")
    func collections() throws {
        let value: [String: [Int?]] = ["": [], "Grüße": [nil, -1, .max], "三": [.min]]
        #expect(try [String: [Int?]](decoding: value.encoded.span) == value)
        #expect(try Set<String>(decoding: Set(["a", "b"]).encoded.span) == ["a", "b"])
    }

    @Test("cut at any byte are refused")
    func cut() throws {
        let bytes = ["word": [1, 300, -70_000]].encoded
        for end in bytes.indices {
            let part = Array(bytes[..<end])
            #expect(throws: ByteError.self) { try Self.decode(part) }
        }
        #expect(throws: ByteError.self) { try Self.decode(bytes + [0]) }
    }

    private static func decode(_ bytes: [UInt8]) throws -> [String: [Int]] { try .init(decoding: bytes.span) }

    @Test(
        "that mean nothing are refused",
        arguments: [
            [UInt8](repeating: 0xFF, count: 11), [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2],
        ])
    func wideNumber(bytes: [UInt8]) {
        #expect(throws: ByteError.self) { try UInt64(decoding: bytes.span) }
    }

    @Test("A count larger than what follows costs nothing")
    func wrongCount() {
        let bytes = Int.max.encoded
        #expect(throws: ByteError.self) { try [UInt8](decoding: bytes.span) }
        #expect(throws: ByteError.self) { try String(decoding: bytes.span) }
        #expect(throws: ByteError.self) { try [String: String](decoding: bytes.span) }
    }

    @Test("Names that break their rules are refused")
    func names() throws {
        let user = try #require(UserID("anna"))
        #expect(try UserID(decoding: user.encoded.span) == user)
        let wrong = "an na".encoded
        #expect(throws: ByteError.self) { try UserID(decoding: wrong.span) }
    }
}
