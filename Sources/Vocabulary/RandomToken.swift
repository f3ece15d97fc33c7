/// 120 random bits, written as 20 URL-safe characters: it cannot be guessed, and comparing two costs two integers.
package struct RandomToken: Hashable, Comparable, Sendable {
    /// Ten characters of six bits each, first character on top.
    private let high: UInt64
    private let low: UInt64

    package static let length = 20
    private static let half = 10

    package init(using random: inout some RandomNumberGenerator) {
        self.high = random.next() >> 4
        self.low = random.next() >> 4
    }

    /// One that begins with the first six characters of another one, so that it can be told whose it is.
    package init(taggedBy owner: RandomToken, using random: inout some RandomNumberGenerator) {
        let drawn = RandomToken(using: &random)
        self.high = owner.tag << Self.untaggedBits | drawn.high & (1 << Self.untaggedBits - 1)
        self.low = drawn.low
    }

    private static let untaggedBits: UInt64 = 24
    private var tag: UInt64 { self.high >> Self.untaggedBits }

    package func isTagged(by owner: RandomToken) -> Bool { self.tag == owner.tag }

    package init?(_ text: String) {
        self.init(text.utf8.span)
    }

    package init?(_ text: Span<UInt8>) {
        guard text.count == Self.length, let high = Self.value(of: text.extracting(first: Self.half)),
            let low = Self.value(of: text.extracting(last: Self.half))
        else { return nil }
        self.high = high
        self.low = low
    }

    /// Some order, the same everywhere.
    package static func < (left: RandomToken, right: RandomToken) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }

    package var text: String {
        unsafe String(unsafeUninitializedCapacity: Self.length) { buffer in
            for place in 0..<Self.length { unsafe buffer.initializeElement(at: place, to: self.letter(at: place)) }
            return Self.length
        }
    }

    /// The characters as they go onto a wire.
    package var bytes: [UInt8] { (0..<Self.length).map { self.letter(at: $0) } }

    private func letter(at place: Int) -> UInt8 {
        let half = place < Self.half ? self.high : self.low
        let shift = (Self.half &- 1 &- place % Self.half) &* 6
        return URLAlphabet.letters[Int(half >> UInt64(shift) & 63)]
    }

    /// Compares in the same time wherever two tokens differ, for tokens that are secrets.
    package func isEqualInConstantTime(to other: RandomToken) -> Bool {
        (self.high ^ other.high) | (self.low ^ other.low) == 0
    }

    private static func value(of letters: Span<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for index in letters.indices {
            guard let digit = URLAlphabet.value(of: letters[index]) else { return nil }
            value = value << 6 | UInt64(digit)
        }
        return value
    }
}

/// The 64 characters that need no escaping in a URL (RFC 4648 §5).
enum URLAlphabet {
    static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func value(of letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
