package import JSON

/// How a node is shown.
package enum TreeForm: Hashable, Sendable {
    /// As programs read it: children that count from zero are an array, and no priority shows.
    case plain
    /// As clients of the protocols keep it.
    case export
}

extension JSONWriter {
    package mutating func tree(_ node: TreeNode, _ form: TreeForm = .plain) {
        switch node.content {
        case .nothing: self.null()
        case .leaf(let scalar): self.leaf(scalar, form == .export ? node.priority : nil)
        case .children(let children):
            if form == .plain, let highest = Self.highestIndex(children) {
                self.treeArray(children, through: highest)
            } else {
                self.object { json in
                    for (key, child) in children {
                        json.key(key.text)
                        json.tree(child, form)
                    }
                    if form == .export, let priority = node.priority { json.scalar(".priority", priority) }
                }
            }
        }
    }

    private mutating func leaf(_ scalar: TreeScalar, _ priority: TreeScalar?) {
        guard let priority else { return self.scalar(scalar) }
        self.object { json in
            json.scalar(".value", scalar)
            json.scalar(".priority", priority)
        }
    }

    private mutating func scalar(_ name: String, _ scalar: TreeScalar) {
        self.key(name)
        self.scalar(scalar)
    }

    package mutating func scalar(_ scalar: TreeScalar) {
        switch scalar {
        case .bool(let value): self.bool(value)
        case .text(let text): self.string(text)
        case .number(let number): self.raw(Array(number.javaScript.utf8))
        }
    }

    /// The children at their places, where more than half of the places are taken.
    private static func highestIndex(_ children: SortedMap<TreeKey, TreeNode>) -> Int? {
        guard let last = children.downward(from: nil).first(where: { _ in true })?.key.arrayIndex,
            last < 2 * children.count, children.allSatisfy({ $0.key.arrayIndex != nil })
        else { return nil }
        return last
    }

    private mutating func treeArray(_ children: SortedMap<TreeKey, TreeNode>, through highest: Int) {
        self.array { json in
            for index in 0...highest { json.tree(children[TreeKey(index)] ?? .nothing) }
        }
    }

    /// Children without what is in them.
    package mutating func shallow(_ node: TreeNode) {
        guard case .children(let children) = node.content else { return self.tree(node) }
        self.object { json in for (key, _) in children { json.field(key.text, true) } }
    }
}

extension Double {
    /// The shortest text that reads as this number, whole numbers without a point.
    package var javaScript: String {
        if let whole = Int64(exactly: self), whole.magnitude <= 1 << 53 { return "\(whole)" }
        let text = "\(self)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
