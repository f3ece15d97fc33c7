/// Makes an expression of words. Those that bind more closely are read first.
struct RuleParser {
    private let tokens: [RuleToken]
    private let variables: Set<String>
    private var index = 0
    private var depth = 0

    private static let maximumDepth = 100

    /// - Parameter variables: the names that mean something.
    static func parse(_ text: String, variables: Set<String>) throws(RuleFault) -> RuleExpression {
        var parser = RuleParser(tokens: try RuleToken.tokens(of: text), variables: variables)
        let expression = try parser.choice()
        guard parser.index == parser.tokens.count else { throw RuleFault("the expression goes on behind its end") }
        return expression
    }

    private init(tokens: [RuleToken], variables: Set<String>) {
        self.tokens = tokens
        self.variables = variables
    }

    private var next: RuleToken? { self.index < self.tokens.count ? self.tokens[self.index] : nil }

    private mutating func skip(_ sign: String) -> Bool {
        guard self.next == .sign(sign) else { return false }
        self.index += 1
        return true
    }

    private mutating func expect(_ sign: String) throws(RuleFault) {
        guard self.skip(sign) else { throw RuleFault("'\(sign)' is missing") }
    }

    private mutating func choice() throws(RuleFault) -> RuleExpression {
        self.depth += 1
        defer { self.depth -= 1 }
        guard self.depth <= Self.maximumDepth else { throw RuleFault("the expression is too deep") }
        let condition = try self.binary(0)
        guard self.skip("?") else { return condition }
        let yes = try self.choice()
        try self.expect(":")
        return .choice(condition, yes, try self.choice())
    }

    private mutating func binary(_ row: Int) throws(RuleFault) -> RuleExpression {
        guard row < RuleExpression.Operation.rows.count else { return try self.unary() }
        var left = try self.binary(row + 1)
        while case .sign(let sign)? = self.next, let operation = RuleExpression.Operation(rawValue: sign),
            RuleExpression.Operation.rows[row].contains(operation)
        {
            self.index += 1
            left = .binary(operation, left, try self.binary(row + 1))
        }
        return left
    }

    private mutating func unary() throws(RuleFault) -> RuleExpression {
        self.depth += 1
        defer { self.depth -= 1 }
        guard self.depth <= Self.maximumDepth else { throw RuleFault("the expression is too deep") }
        if self.skip("!") { return .not(try self.unary()) }
        if self.skip("-") { return .negative(try self.unary()) }
        return try self.postfix()
    }

    private mutating func postfix() throws(RuleFault) -> RuleExpression {
        var expression = try self.operand()
        while true {
            if self.skip(".") {
                expression = try self.member(of: expression)
            } else if self.skip("[") {
                guard case .text(let name)? = self.next else { throw RuleFault("a member's name must be a text") }
                self.index += 1
                try self.expect("]")
                expression = .member(expression, name)
            } else {
                return expression
            }
        }
    }

    private mutating func member(of expression: RuleExpression) throws(RuleFault) -> RuleExpression {
        guard case .name(let name)? = self.next else { throw RuleFault("a name is missing behind '.'") }
        self.index += 1
        guard self.skip("(") else { return .member(expression, name) }
        guard let function = RuleFunction(rawValue: name) else { throw RuleFault("there is no function '\(name)'") }
        let arguments = try self.list(until: ")")
        guard function.arguments.contains(arguments.count) else {
            throw RuleFault("'\(name)' takes \(function.arguments.upperBound) arguments")
        }
        return .call(expression, function, arguments)
    }

    private mutating func list(until end: String) throws(RuleFault) -> [RuleExpression] {
        var found: [RuleExpression] = []
        if self.skip(end) { return found }
        repeat { found.append(try self.choice()) } while self.skip(",")
        try self.expect(end)
        return found
    }

    private mutating func operand() throws(RuleFault) -> RuleExpression {
        guard let token = self.next else { throw RuleFault("the expression has no end") }
        self.index += 1
        switch token {
        case .number(let number): return .value(.number(number))
        case .text(let text): return .value(.text(text))
        case .pattern(let text, let flags): return .value(.pattern(try RulePattern(text, flags: flags)))
        case .name(let name): return try self.name(name)
        case .sign("("):
            let inner = try self.choice()
            try self.expect(")")
            return inner
        case .sign("["): return .list(try self.list(until: "]"))
        case .sign(let sign): throw RuleFault("'\(sign)' stands where a value should")
        }
    }

    private func name(_ name: String) throws(RuleFault) -> RuleExpression {
        switch name {
        case "true": return .value(.bool(true))
        case "false": return .value(.bool(false))
        case "null": return .value(.null)
        default:
            guard self.variables.contains(name) else { throw RuleFault("'\(name)' is not known here") }
            return .variable(name)
        }
    }
}
