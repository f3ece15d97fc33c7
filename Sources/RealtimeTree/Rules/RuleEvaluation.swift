/// Carries out one expression. What makes no sense, such as a child of a number, fails the whole rule.
struct RuleEvaluation {
    struct Failure: Error {}

    let variables: [String: RuleValue]
    private var steps = 0

    private static let maximumSteps = 10_000
    private static let maximumText = 1 << 20

    init(_ variables: [String: RuleValue]) { self.variables = variables }

    static func isTrue(_ expression: RuleExpression, _ variables: [String: RuleValue]) -> Bool {
        var evaluation = RuleEvaluation(variables)
        guard case .bool(true)? = try? evaluation.value(of: expression) else { return false }
        return true
    }

    private mutating func value(of expression: RuleExpression) throws(Failure) -> RuleValue {
        self.steps += 1
        guard self.steps <= Self.maximumSteps else { throw Failure() }
        switch expression {
        case .value(let value): return value
        case .variable(let name): return self.variables[name] ?? .null
        case .not(let inner): return .bool(try !self.bool(inner))
        case .negative(let inner): return .number(try -self.number(inner))
        case .binary(let operation, let left, let right): return try self.binary(operation, left, right)
        case .choice(let condition, let yes, let no): return try self.value(of: try self.bool(condition) ? yes : no)
        case .member(let inner, let name): return try self.member(name, of: try self.value(of: inner))
        case .call(let inner, let function, let arguments):
            var values: [RuleValue] = []
            let subject = try self.value(of: inner)
            for argument in arguments { values.append(try self.value(of: argument)) }
            return try self.call(function, of: subject, values)
        case .list(let items):
            var values: [RuleValue] = []
            for item in items { values.append(try self.value(of: item)) }
            return .list(values)
        }
    }

    private mutating func bool(_ expression: RuleExpression) throws(Failure) -> Bool {
        guard case .bool(let value) = try self.value(of: expression) else { throw Failure() }
        return value
    }

    private mutating func number(_ expression: RuleExpression) throws(Failure) -> Double {
        guard case .number(let value) = try self.value(of: expression) else { throw Failure() }
        return value
    }

    private func member(_ name: String, of value: RuleValue) throws(Failure) -> RuleValue {
        switch value {
        case .claims(let node): return TreeKey(name).map { RuleValue(node.child($0)) } ?? .null
        case .text(let text) where name == "length": return .number(Double(text.utf16.count))
        default: throw Failure()
        }
    }
}

// MARK: - Operators

extension RuleEvaluation {
    private mutating func binary(
        _ operation: RuleExpression.Operation, _ left: RuleExpression, _ right: RuleExpression
    ) throws(Failure) -> RuleValue {
        switch operation {
        case .or: return .bool(try self.bool(left) ? true : self.bool(right))
        case .and: return .bool(try self.bool(left) ? self.bool(right) : false)
        default: break
        }
        let (one, other) = (try self.value(of: left), try self.value(of: right))
        switch operation {
        case .equal: return .bool(Self.areEqual(one, other))
        case .unequal: return .bool(!Self.areEqual(one, other))
        case .plus: return try Self.sum(one, other)
        case .less: return .bool(try Self.isLess(one, other))
        case .greater: return .bool(try Self.isLess(other, one))
        case .lessOrEqual: return .bool(try !Self.isLess(other, one))
        case .greaterOrEqual: return .bool(try !Self.isLess(one, other))
        case .minus, .times, .over, .rest: return .number(try Self.arithmetic(operation, one, other))
        case .or, .and: throw Failure()
        }
    }

    private static func areEqual(_ one: RuleValue, _ other: RuleValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.text(let left), .text(let right)): UTF16Order.areSame(left, right)
        default: false
        }
    }

    private static func isLess(_ one: RuleValue, _ other: RuleValue) throws(Failure) -> Bool {
        switch (one, other) {
        case (.number(let left), .number(let right)): return left < right
        case (.text(let left), .text(let right)): return UTF16Order.isLess(left, right)
        default: throw Failure()
        }
    }

    private static func sum(_ one: RuleValue, _ other: RuleValue) throws(Failure) -> RuleValue {
        if case .number(let left) = one, case .number(let right) = other { return .number(left + right) }
        guard let left = self.text(one), let right = self.text(other),
            left.utf8.count + right.utf8.count <= Self.maximumText
        else { throw Failure() }
        return .text(left + right)
    }

    private static func text(_ value: RuleValue) -> String? {
        switch value {
        case .text(let text): text
        case .number(let number): number.javaScript
        case .bool(let value): "\(value)"
        default: nil
        }
    }

    private static func arithmetic(
        _ operation: RuleExpression.Operation, _ one: RuleValue, _ other: RuleValue
    ) throws(Failure) -> Double {
        guard case .number(let left) = one, case .number(let right) = other else { throw Failure() }
        return switch operation {
        case .minus: left - right
        case .times: left * right
        case .over: left / right
        default: left.truncatingRemainder(dividingBy: right)
        }
    }
}

// MARK: - Functions

extension RuleEvaluation {
    private func call(
        _ function: RuleFunction, of subject: RuleValue, _ arguments: [RuleValue]
    ) throws(Failure) -> RuleValue {
        switch subject {
        case .data(let data): return try self.call(function, of: data, arguments)
        case .text(let text): return try self.call(function, of: text, arguments)
        default: throw Failure()
        }
    }

    private func call(
        _ function: RuleFunction, of data: RuleData, _ arguments: [RuleValue]
    ) throws(Failure) -> RuleValue {
        switch function {
        case .child: return .data(RuleData(tree: data.tree, path: data.path.appending(try Self.path(arguments))))
        case .parent:
            guard !data.path.isRoot else { throw Failure() }
            return .data(RuleData(tree: data.tree, path: data.path.parent))
        case .val: return RuleValue(data.node)
        case .exists: return .bool(!data.node.isNothing)
        case .hasChild: return .bool(!data.node.at(try Self.path(arguments)).isNothing)
        case .hasChildren: return .bool(try Self.hasChildren(data.node, arguments.first))
        case .isString: if case .text? = data.node.leaf { return .bool(true) } else { return .bool(false) }
        case .isNumber: if case .number? = data.node.leaf { return .bool(true) } else { return .bool(false) }
        case .isBoolean: if case .bool? = data.node.leaf { return .bool(true) } else { return .bool(false) }
        case .getPriority: return RuleValue(data.node.priority)
        default: throw Failure()
        }
    }

    private static func path(_ arguments: [RuleValue]) throws(Failure) -> TreePath {
        guard case .text(let text)? = arguments.first, let path = TreePath(text) else { throw Failure() }
        return path
    }

    private static func hasChildren(_ node: TreeNode, _ names: RuleValue?) throws(Failure) -> Bool {
        guard let names else { return !node.children.isEmpty }
        guard case .list(let items) = names else { throw Failure() }
        for item in items where node.at(try self.path([item])).isNothing { return false }
        return true
    }

    private func call(
        _ function: RuleFunction, of text: String, _ arguments: [RuleValue]
    ) throws(Failure) -> RuleValue {
        switch function {
        case .toLowerCase: return .text(text.lowercased())
        case .toUpperCase: return .text(text.uppercased())
        case .matches:
            guard case .pattern(let pattern)? = arguments.first else { throw Failure() }
            return .bool(pattern.matches(text))
        default: break
        }
        guard case .text(let other)? = arguments.first else { throw Failure() }
        switch function {
        case .contains: return .bool(other.isEmpty || text.contains(other))
        case .beginsWith: return .bool(text.hasPrefix(other))
        case .endsWith: return .bool(text.hasSuffix(other))
        case .replace:
            guard case .text(let new) = arguments[1], !other.isEmpty else { throw Failure() }
            let replaced = text.split(separator: other, omittingEmptySubsequences: false).joined(separator: new)
            guard replaced.utf8.count <= Self.maximumText else { throw Failure() }
            return .text(replaced)
        default: throw Failure()
        }
    }
}
