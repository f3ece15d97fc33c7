/// The words of an expression.
enum RuleToken: Hashable {
    case number(Double)
    case text(String)
    case name(String)
    /// Between slashes, and the letters behind the second.
    case pattern(String, flags: String)
    /// Operators and brackets.
    case sign(String)

    private static let signs = [
        "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "+", "-", "*", "/", "%", "?", ":", "(", ")",
        "[",
        "]", ".", ",",
    ]
    private static let maximum = 2000

    static func tokens(of text: String) throws(RuleFault) -> [RuleToken] {
        var reader = Reader(rest: Substring(text))
        var tokens: [RuleToken] = []
        while let token = try reader.next(after: tokens.last) {
            tokens.append(token)
            guard tokens.count <= Self.maximum else { throw RuleFault("the expression is too long") }
        }
        return tokens
    }

    /// A slash behind one of these divides; elsewhere it begins a pattern.
    private var endsOperand: Bool {
        switch self {
        case .number, .text, .name, .pattern: true
        case .sign(let sign): sign == ")" || sign == "]"
        }
    }

    private struct Reader {
        var rest: Substring

        mutating func next(after last: RuleToken?) throws(RuleFault) -> RuleToken? {
            self.rest = self.rest.drop { $0.isWhitespace }
            guard let first = self.rest.first else { return nil }
            if first == "'" || first == "\"" { return .text(try self.quoted(by: first)) }
            if first == "/", last?.endsOperand != true { return try self.pattern() }
            if first.isNumber { return try self.number() }
            if first.isLetter || first == "_" || first == "$" { return .name(self.word()) }
            guard let sign = RuleToken.signs.first(where: { self.rest.hasPrefix($0) }) else {
                throw RuleFault("'\(first)' cannot be read")
            }
            self.rest = self.rest.dropFirst(sign.count)
            return .sign(sign == "===" ? "==" : sign == "!==" ? "!=" : sign)
        }

        private mutating func word() -> String {
            let word = self.rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
            self.rest = self.rest.dropFirst(word.count)
            return String(word)
        }

        private mutating func number() throws(RuleFault) -> RuleToken {
            let digits = self.rest.prefix { $0.isNumber || $0 == "." }
            guard let number = Double(String(digits)) else { throw RuleFault("'\(digits)' is no number") }
            self.rest = self.rest.dropFirst(digits.count)
            return .number(number)
        }

        private mutating func quoted(by quote: Character) throws(RuleFault) -> String {
            var text = ""
            self.rest = self.rest.dropFirst()
            while let letter = self.rest.popFirst() {
                if letter == quote { return text }
                guard letter == "\\" else {
                    text.append(letter)
                    continue
                }
                switch self.rest.popFirst() {
                case "n": text.append("\n")
                case "t": text.append("\t")
                case let other?: text.append(other)
                case nil: throw RuleFault("a text has no end")
                }
            }
            throw RuleFault("a text has no end")
        }

        private mutating func pattern() throws(RuleFault) -> RuleToken {
            var text = ""
            self.rest = self.rest.dropFirst()
            while let letter = self.rest.popFirst() {
                if letter == "/" {
                    let flags = self.rest.prefix { $0.isLetter }
                    self.rest = self.rest.dropFirst(flags.count)
                    return .pattern(text, flags: String(flags))
                }
                text.append(letter)
                if letter == "\\", let next = self.rest.popFirst() { text.append(next) }
            }
            throw RuleFault("a pattern has no end")
        }
    }
}
