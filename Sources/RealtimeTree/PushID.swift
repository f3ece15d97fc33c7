/// Names that sort by the time they were made: eight letters of the time, twelve of chance. Within one millisecond the second
/// part counts up.
package struct PushIDs<Source: RandomNumberGenerator>: ~Copyable {
    private var source: Source
    private var last: Int64 = -1
    private var chance: [UInt8] = []

    private static var letters: [UInt8] {
        Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)
    }

    package init(_ source: Source) { self.source = source }

    /// - Parameter milliseconds: since 1970. A clock that goes back makes no name that sorts before the last one.
    package mutating func next(at milliseconds: Int64) -> TreeKey {
        if milliseconds > self.last || self.chance.isEmpty {
            self.last = max(milliseconds, 0)
            self.chance = (0..<12).map { _ in UInt8.random(in: 0..<64, using: &self.source) }
        } else {
            self.countUp()
        }
        guard let key = Self.key(at: self.last, self.chance) else { preconditionFailure("no key at \(self.last)") }
        return key
    }

    /// - Parameter chance: twelve numbers below 64.
    package static func key(at milliseconds: Int64, _ chance: [UInt8]) -> TreeKey? {
        let letters = Self.letters
        let time = (0..<8).map { letters[Int(milliseconds >> (6 * Int64(7 - $0)) & 63)] }
        return TreeKey(String(decoding: time + chance.map { letters[Int($0 & 63)] }, as: UTF8.self))
    }

    private mutating func countUp() {
        for place in self.chance.indices.reversed() {
            guard self.chance[place] == 63 else { return self.chance[place] += 1 }
            self.chance[place] = 0
        }
    }
}
