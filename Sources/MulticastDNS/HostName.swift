/// The name of a host as DNS carries it: labels of 1 to 63 letters, digits, dashes and underscores, 253 bytes at most.
/// Capital letters mean the same as small ones and are kept as these.
package struct HostName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init?(_ text: some StringProtocol) {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= 253, labels.allSatisfy({ (1...63).contains($0.count) }) else { return nil }
        guard labels.joined().allSatisfy(\.isNameCharacter) else { return nil }
        self.text = text.lowercased()
    }

    package var description: String { self.text }
    package var isLocal: Bool { self.text.hasSuffix(".local") }

    /// A random, unguessable name as browsers make them: a UUID (RFC 9562 §5.4).
    package static func random(using random: inout some RandomNumberGenerator) -> HostName {
        let (high, low): (UInt64, UInt64) = (random.next(), random.next())
        let digits = Self.digits(high & ~0xF000 | 0x4000) + Self.digits(low & ~(0b11 << 62) | 0b10 << 62)
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        guard let name = HostName(parts.joined(separator: "-") + ".local") else {
            preconditionFailure("\(parts) is no name")
        }
        return name
    }

    private static func digits(_ number: UInt64) -> [Character] {
        let digits = String(number, radix: 16)
        return Array(String(repeating: "0", count: 16 - digits.count) + digits)
    }
}

extension UInt8 {
    fileprivate var isNameCharacter: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
