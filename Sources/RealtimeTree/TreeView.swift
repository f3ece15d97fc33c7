/// What one query shows of one place, kept up as the place changes.
struct TreeView: Sendable {
    let query: TreeQuery
    /// All children in the order of the query; nil where their names are that order.
    private var entries: SortedMap<TreeOrder.Entry, Bool>?
    /// What is shown where there is a limit.
    private var window: [TreeKey] = []
    /// Connections, and what each calls this view.
    var listeners: [Int: Int?] = [:]

    init(_ query: TreeQuery, of node: TreeNode) {
        self.query = query
        self.reset(node)
    }

    private mutating func reset(_ node: TreeNode) {
        self.entries = self.query.isByKey(in: node) ? nil : self.query.entries(of: node)
        self.window = self.query.limit == nil ? [] : self.shown(in: node)
    }

    private func shown(in node: TreeNode) -> [TreeKey] {
        self.entries.map { self.query.window(of: $0) } ?? self.query.keys(node.children)
    }

    /// What those who listen have to hear, one after the other: values at places below this one.
    ///
    /// - Parameters:
    ///   - before: the place as it was before the write.
    ///   - rest: from the place to what was written.
    mutating func update(
        from before: TreeNode, to after: TreeNode, at rest: TreePath
    ) -> [(path: TreePath, node: TreeNode)] {
        // The priority of the place goes with the window, which may be empty in between: then all of it is told anew.
        guard let key = rest.keys.first, before.leaf == nil, after.leaf == nil,
            self.query.isByKey(in: after) == (self.entries == nil), before.priority == nil, after.priority == nil
        else { return self.replace(before, after) }
        let (old, new) = (before.child(key), after.child(key))
        self.moveEntry(key, old, new)
        guard self.query.limit != nil else { return self.updateRange(key, old, new, after, rest) }
        return self.updateWindow(key, after, rest)
    }

    private mutating func replace(_ before: TreeNode, _ after: TreeNode) -> [(path: TreePath, node: TreeNode)] {
        self.reset(after)
        let shown = self.query.filter(after)
        return shown == self.query.filter(before) ? [] : [(.root, shown)]
    }

    private mutating func moveEntry(_ key: TreeKey, _ old: TreeNode, _ new: TreeNode) {
        guard self.entries != nil else { return }
        if !old.isNothing { self.entries?[self.query.entry(key, old)] = nil }
        if !new.isNothing { self.entries?[self.query.entry(key, new)] = true }
    }

    private func updateRange(
        _ key: TreeKey, _ old: TreeNode, _ new: TreeNode, _ after: TreeNode, _ rest: TreePath
    ) -> [(path: TreePath, node: TreeNode)] {
        let wasShown = !old.isNothing && self.query.contains(self.query.entry(key, old))
        let isShown = !new.isNothing && self.query.contains(self.query.entry(key, new))
        return switch (wasShown, isShown) {
        case (false, false): []
        case (true, false): [(TreePath([key]), .nothing)]
        case (false, true): [(TreePath([key]), new)]
        case (true, true): [(rest, after.at(rest))]
        }
    }

    private mutating func updateWindow(
        _ key: TreeKey, _ after: TreeNode, _ rest: TreePath
    ) -> [(path: TreePath, node: TreeNode)] {
        let (old, new) = (self.window, self.shown(in: after))
        self.window = new
        let (wasShown, isShown) = (Set(old), Set(new))
        var news: [(path: TreePath, node: TreeNode)] = []
        for shown in new where !wasShown.contains(shown) { news.append((TreePath([shown]), after.child(shown))) }
        if wasShown.contains(key), isShown.contains(key) { news.append((rest, after.at(rest))) }
        for gone in old where !isShown.contains(gone) { news.append((TreePath([gone]), .nothing)) }
        return news
    }
}
