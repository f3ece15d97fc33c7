import Bytes
import TestSupport
import Testing

@Suite("A byte reader")
struct ByteReaderTests {
    @Test("reads big-endian integers of every width")
    func integers() throws {
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        var reader = ByteReader(bytes.span)
        let one: UInt8 = try reader.read()
        let two: UInt16 = try reader.read()
        let four: UInt32 = try reader.read()
        let eight: UInt64 = try reader.read()
        #expect(one == 1 && two == 0x0203 && four == 0x0405_0607 && eight == 0x0809_0A0B_0C0D_0E0F)
        let isAtEnd = reader.isAtEnd
        #expect(isAtEnd)
    }

    @Test("stays where it was when the input is too short")
    func truncated() throws {
        let bytes: [UInt8] = [1, 2, 3]
        var reader = ByteReader(bytes.span)
        do {
            let _: UInt32 = try reader.read()
            Issue.record("four bytes were read out of three")
        } catch {
            #expect(error == ByteError(.truncated, at: 3))
        }
        let offset = reader.offset
        let rest = try reader.array(3)
        #expect(offset == 0 && rest == bytes)
    }

    @Test("refuses a negative count")
    func negative() {
        let bytes: [UInt8] = [1]
        var reader = ByteReader(bytes.span)
        do {
            _ = try reader.skip(-1)
            Issue.record("went backwards")
        } catch {
            #expect(error.reason == .truncated)
        }
    }

    @Test("gets back what a writer wrote")
    func roundTrip() throws {
        var random = SeededRandom(seed: 7)
        for _ in 0..<100 {
            let number = random.next()
            var writer = ByteWriter()
            writer.write(number)
            writer.write(UInt16(truncatingIfNeeded: number))
            writer.overwrite(at: 8, with: UInt16(7))
            var reader = ByteReader(writer.bytes.span)
            let first: UInt64 = try reader.read()
            let second: UInt16 = try reader.read()
            #expect(first == number && second == 7)
        }
    }

    @Test("hex comes back, in either case, and refuses what is no digit")
    func hex() throws {
        #expect(try Hex.decode("00fFa5") == [0, 255, 165])
        #expect(Hex.encode([0, 255, 165]) == "00ffa5")
        #expect(throws: ByteError(.unexpected(UInt8(ascii: "g")), at: 1)) { try Hex.decode("0g") }
        #expect(throws: ByteError(.truncated, at: 3)) { try Hex.decode("000") }
    }
}
