/// A number with its unit, such as `1.5s`.
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
    private static let maximumSeconds = 3_155_760_000.0

    package init?(argument: String) {
        guard let quantity = Quantity(argument) else { return nil }
        let unit = quantity.number == 0 && quantity.unit.isEmpty ? 1 : Self.units[quantity.unit]
        guard let unit, quantity.number * unit <= Self.maximumSeconds else { return nil }
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
