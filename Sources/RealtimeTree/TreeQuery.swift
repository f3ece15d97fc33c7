/// Which of the children of a place, in which order.
package struct TreeQuery: Hashable, Sendable {
    package struct Bound: Hashable, Sendable {
        package let entry: TreeOrder.Entry
        package let isInclusive: Bool

        package init(_ entry: TreeOrder.Entry, isInclusive: Bool) {
            self.entry = entry
            self.isInclusive = isInclusive
        }
    }

    package var order: TreeOrder
    package var start: Bound?
    package var end: Bound?
    package var limit: Int?
    /// Whether the limit is for the last ones.
    package var isFromEnd = false

    package init(_ order: TreeOrder = .priority) { self.order = order }

    /// Whether everything is asked for.
    package var isWhole: Bool { self.start == nil && self.end == nil && self.limit == nil }

    /// From a value on, with all names or from one of them on.
    package mutating func begin(at value: TreeOrder.Value, _ key: TreeKey?, isInclusive: Bool) {
        let key = key ?? (isInclusive ? .lowest : .highest)
        self.start = Bound(.init(value, key), isInclusive: isInclusive)
    }

    package mutating func finish(at value: TreeOrder.Value, _ key: TreeKey?, isInclusive: Bool) {
        let key = key ?? (isInclusive ? .highest : .lowest)
        self.end = Bound(.init(value, key), isInclusive: isInclusive)
    }

    package func contains(_ entry: TreeOrder.Entry) -> Bool {
        if let start {
            if entry < start.entry || (!start.isInclusive && !(start.entry < entry)) { return false }
        }
        if let end {
            if end.entry < entry || (!end.isInclusive && !(entry < end.entry)) { return false }
        }
        return true
    }

    /// How many children have to be put into an order first.
    package func sortedChildren(in node: TreeNode) -> Int {
        self.isWhole || self.isByKey(in: node) ? 0 : node.children.count
    }

    func entry(_ key: TreeKey, _ node: TreeNode) -> TreeOrder.Entry { TreeOrder.Entry(self.order, key, node) }

    /// Whether the children of a node are in this order anyway.
    func isByKey(in node: TreeNode) -> Bool {
        switch self.order {
        case .key: true
        case .priority: node.prioritized == 0
        case .value, .child: false
        }
    }
}

// MARK: - What it comes to

extension TreeQuery {
    /// What is found, as an object without the others. A value without children has none that could be found.
    package func filter(_ node: TreeNode) -> TreeNode {
        guard !self.isWhole else { return node }
        guard case .children(let children) = node.content else { return .nothing }
        guard !self.isByKey(in: node) else {
            let keys = self.keys(children)
            let ordered = (self.isFromEnd ? keys.reversed() : keys).compactMap { key in children[key].map { (key, $0) }
            }
            return TreeNode(ordered: ordered, priority: node.priority)
        }
        let keys = self.window(of: self.entries(of: node))
        return TreeNode(keys.compactMap { key in children[key].map { (key, $0) } }, priority: node.priority)
    }

    /// All children in the order of the query.
    func entries(of node: TreeNode) -> SortedMap<TreeOrder.Entry, Bool> {
        let entries = node.children.map { self.entry($0.key, $0.value) }.sorted()
        return SortedMap(sorted: entries.map { (key: $0, value: true) })
    }

    func window(of entries: SortedMap<TreeOrder.Entry, Bool>) -> [TreeKey] {
        let start = self.isFromEnd ? self.end?.entry : self.start?.entry
        let range = self.isFromEnd ? entries.downward(from: start) : entries.from(start)
        return self.taken(range.lazy.map(\.key), from: start)
    }

    /// Of children that are in the right order by themselves.
    func keys(_ children: SortedMap<TreeKey, TreeNode>) -> [TreeKey] {
        let start = self.isFromEnd ? self.end?.entry : self.start?.entry
        // They have no value, so a bound with another one lies outside of all or none of them.
        if let start, start.value != .nothing, self.isFromEnd == (start.value < .nothing) { return [] }
        let key = start?.value == .nothing ? start?.key : nil
        let range = self.isFromEnd ? children.downward(from: key) : children.from(key)
        return self.taken(range.lazy.map { TreeOrder.Entry(.nothing, $0.key) }, from: start)
    }

    /// Entries from the first bound to the other one; the first itself may be excluded.
    private func taken(_ range: some Sequence<TreeOrder.Entry>, from start: TreeOrder.Entry?) -> [TreeKey] {
        var found: [TreeKey] = []
        for entry in range {
            guard self.contains(entry) else {
                if found.isEmpty, entry == start { continue }
                break
            }
            found.append(entry.key)
            if found.count == self.limit { break }
        }
        return found
    }
}
