/// By what children are put into an order.
package enum TreeOrder: Hashable, Sendable {
    case key
    case value
    case priority
    /// By what is there below each of them.
    case child(TreePath)

    /// null < false < true < numbers < text < objects. Priorities have the same order.
    package enum Value: Hashable, Sendable, Comparable {
        case nothing
        case bool(Bool)
        case number(Double)
        case text(String)
        case object

        package init(_ scalar: TreeScalar?) {
            switch scalar {
            case nil: self = .nothing
            case .bool(let value): self = .bool(value)
            case .number(let number): self = .number(number)
            case .text(let text): self = .text(text)
            }
        }

        package init(_ node: TreeNode) {
            if case .children = node.content { self = .object } else { self = Value(node.leaf) }
        }

        private var rank: Int {
            switch self {
            case .nothing: 0
            case .bool(let value): value ? 2 : 1
            case .number: 3
            case .text: 4
            case .object: 5
            }
        }

        package static func < (one: Value, other: Value) -> Bool {
            switch (one, other) {
            case (.number(let left), .number(let right)): left < right
            case (.text(let left), .text(let right)): UTF16Order.isLess(left, right)
            default: one.rank < other.rank
            }
        }

        package static func == (one: Value, other: Value) -> Bool { !(one < other) && !(other < one) }
    }

    /// The place of one child in the order; among equals the names decide.
    package struct Entry: Hashable, Sendable, Comparable {
        package let value: Value
        package let key: TreeKey

        package init(_ value: Value, _ key: TreeKey) {
            self.value = value
            self.key = key
        }

        init(_ order: TreeOrder, _ key: TreeKey, _ node: TreeNode) {
            switch order {
            case .key: self.value = .nothing
            case .value: self.value = Value(node)
            case .priority: self.value = Value(node.priority)
            case .child(let path): self.value = Value(node.at(path))
            }
            self.key = key
        }

        package static func < (one: Entry, other: Entry) -> Bool {
            if one.value < other.value { return true }
            return !(other.value < one.value) && one.key < other.key
        }
    }
}
