/// A value without children.
package enum TreeScalar: Hashable, Sendable {
    case bool(Bool)
    case number(Double)
    case text(String)

    package static func == (one: TreeScalar, other: TreeScalar) -> Bool {
        switch (one, other) {
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.text(let left), .text(let right)): UTF16Order.areSame(left, right)
        default: false
        }
    }

    var isPriority: Bool { if case .bool = self { false } else { true } }
}

/// What is at one place of the tree: nothing, a value, or children by their names. Without arrays; what is empty is not there.
package struct TreeNode: Sendable {
    package enum Content: Sendable {
        case nothing
        case leaf(TreeScalar)
        case children(SortedMap<TreeKey, TreeNode>)
    }

    package private(set) var content: Content
    /// A number or a text. What is not there has none.
    package private(set) var priority: TreeScalar?
    /// How many of the children have a priority: as long as none has one, they are in the order of their names.
    private(set) var prioritized = 0

    package static let nothing = TreeNode(.nothing)

    private init(_ content: Content) {
        self.content = content
        self.priority = nil
    }

    package init(_ scalar: TreeScalar, priority: TreeScalar? = nil) {
        self.content = .leaf(scalar)
        self.priority = priority
    }

    /// - Parameter children: in any order; of two with one name the later counts, and what is nothing is left out.
    package init(_ children: [(key: TreeKey, value: TreeNode)], priority: TreeScalar? = nil) {
        var last: [(key: TreeKey, value: TreeNode)] = []
        let ordered = children.enumerated().sorted { one, other in
            one.element.key == other.element.key
                ? one.offset < other.offset : one.element.key < other.element.key
        }
        for (_, child) in ordered {
            if last.last?.key == child.key { last.removeLast() }
            last.append(child)
        }
        last.removeAll { $0.value.isNothing }
        self.init(ordered: last, priority: priority)
    }

    /// - Parameter ordered: no key twice, and nothing that is nothing.
    init(ordered: [(key: TreeKey, value: TreeNode)], priority: TreeScalar?) {
        self.content = ordered.isEmpty ? .nothing : .children(SortedMap(sorted: ordered))
        self.prioritized = ordered.count { $0.value.priority != nil }
        self.priority = ordered.isEmpty ? nil : priority
    }

    package var isNothing: Bool { if case .nothing = self.content { true } else { false } }

    package var leaf: TreeScalar? { if case .leaf(let scalar) = self.content { scalar } else { nil } }

    package var children: SortedMap<TreeKey, TreeNode> {
        if case .children(let children) = self.content { children } else { SortedMap() }
    }

    package func child(_ key: TreeKey) -> TreeNode {
        if case .children(let children) = self.content { children[key] ?? .nothing } else { .nothing }
    }

    package func at(_ path: TreePath) -> TreeNode { self.at(path.keys[...]) }

    private func at(_ keys: ArraySlice<TreeKey>) -> TreeNode {
        var node = self
        for key in keys {
            if node.isNothing { return node }
            node = node.child(key)
        }
        return node
    }

    package func withPriority(_ priority: TreeScalar?) -> TreeNode {
        var node = self
        node.priority = self.isNothing ? nil : priority
        return node
    }
}

// MARK: - Changes

extension TreeNode {
    /// Parents come and go by themselves.
    package func setting(_ path: TreePath, to node: TreeNode) -> TreeNode { self.setting(path.keys[...], to: node) }

    private func setting(_ keys: ArraySlice<TreeKey>, to node: TreeNode) -> TreeNode {
        guard let key = keys.first else { return node }
        return self.setting(child: key, to: self.child(key).setting(keys.dropFirst(), to: node))
    }

    package func setting(child key: TreeKey, to node: TreeNode) -> TreeNode {
        var children = SortedMap<TreeKey, TreeNode>()
        if case .children(let own) = self.content { children = own } else if node.isNothing { return self }
        let before = children[key]
        var changed = self
        children[key] = node.isNothing ? nil : node
        changed.prioritized += (node.priority != nil ? 1 : 0) - (before?.priority != nil ? 1 : 0)
        changed.content = children.isEmpty ? .nothing : .children(children)
        if children.isEmpty { changed.priority = nil }
        return changed
    }

    package func setting(_ target: TreeTarget, to node: TreeNode) -> TreeNode {
        guard target.isPriority else { return self.setting(target.path, to: node) }
        return self.setting(target.path, to: self.at(target.path).withPriority(node.leaf))
    }
}

extension TreeNode: Equatable {
    package static func == (one: TreeNode, other: TreeNode) -> Bool {
        guard one.priority == other.priority else { return false }
        switch (one.content, other.content) {
        case (.nothing, .nothing): return true
        case (.leaf(let left), .leaf(let right)): return left == right
        case (.children(let left), .children(let right)):
            if left.isIdentical(to: right) { return true }
            return left.count == right.count && zip(left, right).allSatisfy { $0.key == $1.key && $0.value == $1.value }
        default: return false
        }
    }
}

extension TreeNode {
    /// Whether it is quickly told that both are the same; false may mean that they are as well.
    func isIdentical(to other: TreeNode) -> Bool {
        guard self.priority == other.priority else { return false }
        return switch (self.content, other.content) {
        case (.nothing, .nothing): true
        case (.leaf(let left), .leaf(let right)): left == right
        case (.children(let left), .children(let right)): left.isIdentical(to: right)
        default: false
        }
    }
}
