/// By which what one request comes to is found in the records of several programs: the `traceparent` of W3C Trace Context.
package struct TraceContext: Hashable, Sendable {
    /// 32 hexadecimal digits: the same all the way.
    package let trace: String
    /// 16 hexadecimal digits: the step before this one.
    package let parent: String
    /// Whether the steps before are recorded.
    package let isSampled: Bool

    private static let length = 55

    /// Nil for what is none (§3.2.2): later versions may have more behind what we know.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= Self.length, bytes.count == Self.length || bytes[Self.length] == UInt8(ascii: "-") else {
            return nil
        }
        let parts = bytes[..<Self.length].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [2, 32, 16, 2], parts.allSatisfy({ $0.allSatisfy(Self.isDigit) }) else {
            return nil
        }
        let texts = parts.map { String(decoding: $0, as: UTF8.self) }
        guard texts[0] != "ff", texts[0] != "00" || bytes.count == Self.length else { return nil }
        guard texts[1].contains(where: { $0 != "0" }), texts[2].contains(where: { $0 != "0" }) else { return nil }
        self.trace = texts[1]
        self.parent = texts[2]
        self.isSampled = (UInt8(texts[3], radix: 16) ?? 0) & 1 == 1
    }

    private init(trace: String, parent: String, isSampled: Bool) {
        self.trace = trace
        self.parent = parent
        self.isSampled = isSampled
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) || (97...102).contains(byte) }

    /// Something begins here.
    package static func fresh(using random: inout some RandomNumberGenerator) -> TraceContext {
        let trace = Self.hex(UInt64.random(in: 1 ... .max, using: &random)) + Self.hex(random.next())
        return TraceContext(trace: trace, parent: Self.hex(.random(in: 1 ... .max, using: &random)), isSampled: false)
    }

    /// What follows from this step.
    package func next(using random: inout some RandomNumberGenerator) -> TraceContext {
        let step = UInt64.random(in: 1 ... .max, using: &random)
        return TraceContext(trace: self.trace, parent: Self.hex(step), isSampled: self.isSampled)
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    package var text: String { "00-\(self.trace)-\(self.parent)-0\(self.isSampled ? 1 : 0)" }
}
