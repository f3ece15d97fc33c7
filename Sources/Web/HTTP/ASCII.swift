/// What HTTP's grammars say about single bytes (RFC 9110 §5.6.2, RFC 5234 appendix B).
enum ASCII {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let colon = UInt8(ascii: ":")
    static let comma = UInt8(ascii: ",")
    static let semicolon = UInt8(ascii: ";")
    static let equals = UInt8(ascii: "=")
    static let quote = UInt8(ascii: "\"")
    static let slash = UInt8(ascii: "/")
    static let delete: UInt8 = 0x7F
}

extension UInt8 {
    /// A byte of a token: a method, a field name, a parameter's name.
    var isToken: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"): true
        case UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        case UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"): true
        default: false
        }
    }

    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self.lowercased) }

    /// The white space that may stand around values.
    var isBlank: Bool { self == ASCII.space || self == ASCII.tab }

    /// A control character, which no line of a head may carry. The tab counts, although values may hold it.
    var isControl: Bool { self < ASCII.space || self == ASCII.delete }

    var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}

extension Span<UInt8> {
    /// Where a byte stands next, if it still does.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    /// The range without the white space at its ends.
    func trimmingBlanks(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, self[lower].isBlank { lower += 1 }
        while lower < upper, self[upper - 1].isBlank { upper -= 1 }
        return lower..<upper
    }

    func allSatisfy(in range: Range<Int>, _ isFine: (UInt8) -> Bool) -> Bool {
        for index in range where !isFine(self[index]) { return false }
        return true
    }

    func matches(_ text: StaticString, in range: Range<Int>, ignoringCase: Bool = false) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { expected in
            for index in 0..<expected.count {
                let byte = self[range.lowerBound + index]
                let wanted = unsafe expected[index]
                guard byte == wanted || (ignoringCase && byte.lowercased == wanted.lowercased) else { return false }
            }
            return true
        }
    }

    /// Whether two texts are the same when ASCII letters lose their case.
    func matchesIgnoringCase(_ other: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard range.count == other.count else { return false }
        for index in 0..<other.count
        where self[range.lowerBound + index].lowercased != other[index].lowercased {
            return false
        }
        return true
    }

    /// The text of a range, with what is no UTF-8 replaced.
    func text(in range: Range<Int>) -> String {
        unsafe self.extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
