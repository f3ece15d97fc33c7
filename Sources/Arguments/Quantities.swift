/// A number with its unit, such as `1.5s` or `24k`.
private struct Quantity {
    let number: Double
    let unit: Substring

    init?(_ text: String) {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard digits.first?.isNumber == true, digits.last?.isNumber == true else { return nil }
        guard let number = Double(digits) else { return nil }
        self.number = number
        self.unit = text[digits.endIndex...]
    }
}

extension Duration: ExpressibleByArgument {
    private static let units: [Substring: Double] = [
        "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86_400,
    ]
    /// A hundred years; beyond, sums of durations would no longer be safe.
    private static let longest = 3_155_760_000.0

    package init?(argument: String) {
        guard let quantity = Quantity(argument) else { return nil }
        let unit = quantity.number == 0 && quantity.unit.isEmpty ? 1 : Self.units[quantity.unit]
        guard let unit, quantity.number * unit <= Self.longest else { return nil }
        self = .nanoseconds(Int64((quantity.number * unit * 1e9).rounded()))
    }

    package static var valueName: String? { "TIME" }
    package static var expectation: String { "a time such as 100ms, 30s, 5m or 2h" }

    /// In the largest unit that leaves a whole number.
    package var argumentDescription: String {
        let (seconds, attoseconds) = self.components
        let microseconds = attoseconds / 1_000_000_000_000
        if microseconds % 1000 != 0 { return "\(seconds * 1_000_000 + microseconds)us" }
        if microseconds != 0 { return "\(seconds * 1000 + microseconds / 1000)ms" }
        let units: [(String, Int64)] = [("d", 86_400), ("h", 3600), ("m", 60)]
        let unit = units.first { seconds != 0 && seconds % $0.1 == 0 } ?? ("s", 1)
        return "\(seconds / unit.1)\(unit.0)"
    }
}

/// How many bytes: `512`, `24k`, `16M`, `1G`; each step is 1024.
package struct ByteCount: Hashable, Sendable, ExpressibleByArgument, ExpressibleByIntegerLiteral {
    package let bytes: Int

    package init(_ bytes: Int) {
        self.bytes = bytes
    }

    package init(integerLiteral bytes: Int) { self.init(bytes) }

    package init?(argument: String) {
        guard let quantity = Quantity(argument), let unit = Self.units[quantity.unit.lowercased()] else { return nil }
        let bytes = quantity.number * unit
        guard bytes <= 0x1p53, bytes == bytes.rounded() else { return nil }
        self.bytes = Int(bytes)
    }

    private static let units: [String: Double] = [
        "": 1, "b": 1, "k": 0x1p10, "kib": 0x1p10, "m": 0x1p20, "mib": 0x1p20, "g": 0x1p30, "gib": 0x1p30,
        "t": 0x1p40, "tib": 0x1p40,
    ]

    package static var valueName: String? { "BYTES" }
    package static var expectation: String { "a count of bytes such as 512, 24k or 16M" }

    package var argumentDescription: String {
        let units = [("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("k", 1 << 10)]
        let unit = units.first { self.bytes != 0 && self.bytes % $0.1 == 0 } ?? ("", 1)
        return "\(self.bytes / unit.1)\(unit.0)"
    }
}
