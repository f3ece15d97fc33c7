/// Unpredictable numbers, drawn many at a time: for names that are made on hot paths, where asking the system for each costs more than what
/// the name is for.
package struct BufferedRandom: RandomNumberGenerator, Sendable {
    private var random = SecureRandom()
    private var numbers: [UInt64] = []

    private static let numbersDrawn = 64

    package init() {}

    package mutating func next() -> UInt64 {
        if self.numbers.isEmpty { self.draw() }
        return self.numbers.removeLast()
    }

    private mutating func draw() {
        let bytes = self.random.bytes(Self.numbersDrawn * 8)
        for start in stride(from: 0, to: bytes.count, by: 8) {
            self.numbers.append(bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) })
        }
    }
}
