/// What a rule says, parsed once.
indirect enum RuleExpression: Sendable {
    enum Operation: String, Sendable {
        case or = "||"
        case and = "&&"
        case equal = "=="
        case unequal = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case plus = "+"
        case minus = "-"
        case times = "*"
        case over = "/"
        case rest = "%"

        /// Those of a later row bind more closely.
        static let rows: [[Operation]] = [
            [.or], [.and], [.equal, .unequal], [.less, .lessOrEqual, .greater, .greaterOrEqual], [.plus, .minus],
            [.times, .over, .rest],
        ]
    }

    case value(RuleValue)
    case variable(String)
    case not(RuleExpression)
    case negative(RuleExpression)
    case binary(Operation, RuleExpression, RuleExpression)
    case choice(RuleExpression, RuleExpression, RuleExpression)
    case member(RuleExpression, String)
    case call(RuleExpression, RuleFunction, [RuleExpression])
    case list([RuleExpression])
}

/// What can be asked of data and texts.
enum RuleFunction: String, Sendable {
    case child, parent, val, exists, hasChild, hasChildren, isString, isNumber, isBoolean, getPriority
    case contains, beginsWith, endsWith, replace, toLowerCase, toUpperCase, matches

    var arguments: ClosedRange<Int> {
        switch self {
        case .parent, .val, .exists, .isString, .isNumber, .isBoolean, .getPriority, .toLowerCase, .toUpperCase: 0...0
        case .hasChildren: 0...1
        case .child, .hasChild, .contains, .beginsWith, .endsWith, .matches: 1...1
        case .replace: 2...2
        }
    }
}

/// What an expression comes to.
enum RuleValue: Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    /// A place in the tree, before or after the write.
    case data(RuleData)
    /// Members of somebody's sign-in.
    case claims(TreeNode)
    case list([RuleValue])
    case pattern(RulePattern)

    init(_ node: TreeNode) {
        switch node.content {
        case .nothing: self = .null
        case .leaf(.bool(let value)): self = .bool(value)
        case .leaf(.number(let number)): self = .number(number)
        case .leaf(.text(let text)): self = .text(text)
        case .children: self = .claims(node)
        }
    }

    init(_ scalar: TreeScalar?) { self = scalar.map { RuleValue(TreeNode($0)) } ?? .null }
}

struct RuleData: Sendable {
    let tree: TreeNode
    let path: TreePath

    var node: TreeNode { self.tree.at(self.path) }
}
