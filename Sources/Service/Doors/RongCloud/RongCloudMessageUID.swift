internal import Conversing
internal import Hashing

/// What programs call a message: `BRGM-DEN2-01E4-BN66`, four times four of 32 letters and digits. The 80 bits are the place
/// of the message, and 16 that tell a name of ours from one that was made up.
package struct RongCloudMessageUID: Hashable {
    let key: EntryKey

    private static let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    init(_ key: EntryKey) { self.key = key }

    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 4, parts.allSatisfy({ $0.utf8.count == 4 }) else { return nil }
        var (high, low): (UInt16, UInt64) = (0, 0)
        for byte in parts.joined().utf8 {
            guard let digit = Self.letters.firstIndex(of: byte) else { return nil }
            high = high << 5 | UInt16(truncatingIfNeeded: low >> 59)
            low = low << 5 | UInt64(digit)
        }
        guard let packed = Int64(exactly: low), high == Self.check(low) else { return nil }
        self.key = EntryKey(packed: packed)
    }

    package var text: String {
        let low = UInt64(bitPattern: self.key.packed)
        var (high, rest) = (Self.check(low), low)
        var letters: [UInt8] = []
        for _ in 0..<16 {
            letters.append(Self.letters[Int(rest & 31)])
            rest = rest >> 5 | UInt64(high & 31) << 59
            high >>= 5
        }
        let text = String(decoding: letters.reversed(), as: UTF8.self)
        return stride(from: 0, to: 16, by: 4).map { start in
            String(text.dropFirst(start).prefix(4))
        }.joined(separator: "-")
    }

    private static func check(_ number: UInt64) -> UInt16 {
        let hash = Digest.sha256.hash("message \(number)")
        return UInt16(hash[0]) << 8 | UInt16(hash[1])
    }
}
