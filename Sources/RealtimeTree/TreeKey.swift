/// The name of a child, in the order that the database keeps: those that read as integers of 32 bits first, by value, and
/// then the others by their UTF-16 units.
package struct TreeKey: Hashable, Sendable {
    private enum Rank: UInt8 { case lowest, number, text, highest }

    package let text: String
    private let rank: Rank
    private let number: Int32

    package static let maximumBytes = 768

    /// Stand below and above every name, at the ends of ranges only.
    package static let lowest = TreeKey(end: "[MIN_NAME]", .lowest)
    package static let highest = TreeKey(end: "[MAX_NAME]", .highest)

    private init(end text: String, _ rank: Rank) {
        self.text = text
        self.rank = rank
        self.number = 0
    }

    /// Nil for what is no name.
    package init?(_ text: String) {
        guard (1...Self.maximumBytes).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else {
            return nil
        }
        self.init(known: text)
    }

    /// Of one that was proven before.
    private init(known text: String) {
        self.text = text
        if let number = Self.number(text) {
            (self.rank, self.number) = (.number, number)
        } else {
            (self.rank, self.number) = (.text, 0)
        }
    }

    package init(_ index: Int) { self.init(known: "\(index)") }

    /// The end of a range as clients write it; nil for what is no name.
    package static func bound(_ text: String) -> TreeKey? {
        switch text {
        case self.lowest.text: self.lowest
        case self.highest.text: self.highest
        default: TreeKey(text)
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<32, 127: false
        case UInt8(ascii: "."), UInt8(ascii: "$"), UInt8(ascii: "#"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: "/"):
            false
        default: true
        }
    }

    /// `-?0*\d{1,10}` within 32 bits.
    private static func number(_ text: String) -> Int32? {
        var digits = Substring(text).utf8
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        let value = digits.drop { $0 == 48 }
        guard value.count <= 10 else { return nil }
        let sum = value.reduce(into: Int64(0)) { $0 = $0 * 10 + Int64($1 - 48) }
        return Int32(exactly: isNegative ? -sum : sum)
    }

    /// The place in an array that the name stands for, if it is written as one.
    package var arrayIndex: Int? {
        guard self.rank == .number, self.number >= 0, self.text == "\(self.number)" else { return nil }
        return Int(self.number)
    }
}

extension TreeKey: Comparable {
    package static func < (one: TreeKey, other: TreeKey) -> Bool {
        if one.rank != other.rank { return one.rank.rawValue < other.rank.rawValue }
        guard one.rank == .number else { return UTF16Order.isLess(one.text, other.text) }
        if one.number != other.number { return one.number < other.number }
        return one.text.utf8.count < other.text.utf8.count
    }

    package static func == (one: TreeKey, other: TreeKey) -> Bool {
        one.rank == other.rank && UTF16Order.areSame(one.text, other.text)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in self.text.utf8 { hasher.combine(byte) }
    }
}

/// Texts as JavaScript compares them: unit by unit, so that what looks alike need not be the same.
package enum UTF16Order {
    package static func areSame(_ one: String, _ other: String) -> Bool {
        let (left, right) = (one.utf8.span, other.utf8.span)
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    package static func isLess(_ one: String, _ other: String) -> Bool {
        let (left, right) = (one.utf8.span, other.utf8.span)
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return self.place(left[index]) < self.place(right[index])
        }
        return left.count < right.count
    }

    /// UTF-8 has the order of UTF-16 except that U+E000 to U+FFFF, which begin with EE and EF, come behind the pairs.
    private static func place(_ byte: UInt8) -> UInt8 { byte == 0xEE || byte == 0xEF ? byte &+ 0x10 : byte }
}
