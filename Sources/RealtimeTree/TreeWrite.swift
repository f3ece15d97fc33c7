internal import Bytes

/// Something that is to be written, with everything the server fills in.
package struct TreeWrite: Sendable {
    /// Where all of it is. Of several places, none contains another.
    package let base: TreePath
    package let places: [(target: TreeTarget, node: TreeNode)]
    /// Whether several places are written at once.
    package let isMerge: Bool

    package init(_ target: TreeTarget, _ node: TreeNode) {
        self.base = target.path
        self.places = [(target, node)]
        self.isMerge = false
    }

    package init(merging places: [(target: TreeTarget, node: TreeNode)], at base: TreePath) {
        self.base = base
        self.places = places
        self.isMerge = true
    }

    package func applied(to tree: TreeNode) -> TreeNode {
        self.places.reduce(tree) { $0.setting($1.target, to: $1.node) }
    }

    /// Fails for what is larger than the tree takes.
    package func check() throws(TreeError) {
        for (target, node) in self.places {
            guard target.path.count <= TreeLimits.depth else { throw .tooDeep }
            try Self.check(node, target.path.byteCount, target.path.count)
        }
    }

    private static func check(_ node: TreeNode, _ bytes: Int, _ depth: Int) throws(TreeError) {
        guard bytes <= TreeLimits.pathBytes else { throw .tooBig("a path of more than \(TreeLimits.pathBytes) bytes") }
        guard case .children(let children) = node.content else { return }
        guard depth < TreeLimits.depth else { throw .tooDeep }
        for (key, child) in children { try self.check(child, bytes + key.text.utf8.count + 1, depth + 1) }
    }
}

// MARK: - As rows

/// One value of the tree as a store keeps it: `a/b` for a value, `a/.priority` for a priority.
package struct TreeRow: Hashable, Sendable {
    package let path: String
    package let value: [UInt8]

    package init(path: String, value: [UInt8]) {
        self.path = path
        self.value = value
    }
}

/// What a write does to the rows: first everything at and below some places goes, then values come.
package struct TreeRowChanges: Sendable {
    /// Everything at and below goes.
    package private(set) var cleared: [TreePath] = []
    /// These rows alone go.
    package private(set) var removed: [String] = []
    package private(set) var put: [TreeRow] = []

    package init(from before: TreeNode, to after: TreeNode, by write: TreeWrite) {
        for (target, _) in write.places { self.compare(before, after, target.path.keys[...], .root) }
    }

    /// Goes down to where something was written. What both have on the way, their priorities aside, is the same.
    private mutating func compare(
        _ before: TreeNode, _ after: TreeNode, _ rest: ArraySlice<TreeKey>, _ path: TreePath
    ) {
        if before.isIdentical(to: after) { return }
        guard let key = rest.first, case .children = before.content, case .children = after.content else {
            return self.replace(before, after, path)
        }
        self.compare(priority: before.priority, after.priority, path)
        self.compare(before.child(key), after.child(key), rest.dropFirst(), path.appending(key))
    }

    private mutating func compare(priority before: TreeScalar?, _ after: TreeScalar?, _ path: TreePath) {
        guard before != after else { return }
        let place = TreeRow.priority(path)
        if let after { self.put.append(TreeRow(path: place, value: after.bytes)) } else { self.removed.append(place) }
    }

    private mutating func replace(_ before: TreeNode, _ after: TreeNode, _ path: TreePath) {
        if case .leaf(let scalar) = after.content, before.leaf != nil {
            self.compare(priority: before.priority, after.priority, path)
            return self.put.append(TreeRow(path: path.text, value: scalar.bytes))
        }
        if !before.isNothing { self.cleared.append(path) }
        TreeRow.append(after, at: path.text, to: &self.put)
    }

    /// Bytes that come or go, as keys and values have them.
    package var addedBytes: Int { self.put.reduce(0) { $0 + $1.path.utf8.count + $1.value.count } }
}

extension TreeRow {
    package static func append(_ node: TreeNode, at path: String, to rows: inout [TreeRow]) {
        switch node.content {
        case .nothing: return
        case .leaf(let scalar): rows.append(TreeRow(path: path, value: scalar.bytes))
        case .children(let children):
            for (key, child) in children {
                self.append(child, at: path.isEmpty ? key.text : "\(path)/\(key.text)", to: &rows)
            }
        }
        if let priority = node.priority {
            rows.append(TreeRow(path: path.isEmpty ? ".priority" : "\(path)/.priority", value: priority.bytes))
        }
    }

    fileprivate static func priority(_ path: TreePath) -> String {
        path.isRoot ? ".priority" : "\(path.text)/.priority"
    }

    /// Puts a row back into the tree; false for one that makes no sense.
    package func restore(into tree: inout TreeNode) -> Bool {
        guard let target = TreeTarget(self.path), let scalar = TreeScalar(bytes: self.value) else { return false }
        tree = tree.setting(target, to: TreeNode(scalar))
        return true
    }
}

extension TreeScalar {
    /// `t`, `f`, `n` and the digits of its bits, or `s` and the text.
    package var bytes: [UInt8] {
        switch self {
        case .bool(let value): [UInt8(ascii: value ? "t" : "f")]
        case .number(let number): Array("n\(number.hex)".utf8)
        case .text(let text): [UInt8(ascii: "s")] + text.utf8
        }
    }

    package init?(bytes: [UInt8]) {
        let rest = String(utf8: bytes.span.extracting(droppingFirst: 1))
        switch (bytes.first, rest) {
        case (UInt8(ascii: "t"), ""?): self = .bool(true)
        case (UInt8(ascii: "f"), ""?): self = .bool(false)
        case (UInt8(ascii: "n"), let digits?):
            guard let bits = UInt64(digits, radix: 16) else { return nil }
            self = .number(Double(bitPattern: bits))
        case (UInt8(ascii: "s"), let text?): self = .text(text)
        default: return nil
        }
    }
}

extension TreeNode {
    /// What its rows take, where it stands at a path.
    package func byteCount(at path: TreePath) -> Int { self.byteCount(max(path.byteCount - 1, 0)) }

    private func byteCount(_ path: Int) -> Int {
        var sum = self.priority.map { (path == 0 ? 9 : path + 10) + $0.byteCount } ?? 0
        switch self.content {
        case .nothing: break
        case .leaf(let scalar): sum += path + scalar.byteCount
        case .children(let children):
            for (key, child) in children { sum += child.byteCount(path + key.text.utf8.count + (path > 0 ? 1 : 0)) }
        }
        return sum
    }
}

extension TreeScalar {
    fileprivate var byteCount: Int {
        switch self {
        case .bool: 1
        case .number: 17
        case .text(let text): 1 + text.utf8.count
        }
    }
}
