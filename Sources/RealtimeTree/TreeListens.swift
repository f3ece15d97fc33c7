/// Something that changed, and who listens to it.
package struct TreeNews: Sendable {
    package enum Change: Sendable {
        case set(TreeNode)
        /// Several places below, at once.
        case merge([(path: TreePath, node: TreeNode)])
    }

    package let path: TreePath
    package let change: Change
    /// Who listens to all of a place.
    package var whole: [Int] = []
    /// Who listens to a query, at which place, and what each calls it.
    package var views: [(connection: Int, place: TreePath, tag: Int?)] = []

    package init(path: TreePath, change: Change) {
        self.path = path
        self.change = change
    }
}

/// Who listens to which place, and what each write comes to for them. Connections are numbers.
package struct TreeListens: Sendable {
    private struct Place: Sendable {
        var whole: Set<Int> = []
        var views: [TreeQuery: TreeView] = [:]
        var children: [TreeKey: Place] = [:]

        var isEmpty: Bool { self.whole.isEmpty && self.views.isEmpty && self.children.isEmpty }
    }

    private var root = Place()

    package init() {}

    /// - Parameter tree: as those who listen know it from now on.
    package mutating func add(_ connection: Int, _ path: TreePath, _ query: TreeQuery, tag: Int?, of tree: TreeNode) {
        Self.change(&self.root, path.keys[...]) { place in
            guard !query.isWhole else { return _ = place.whole.insert(connection) }
            place.views[query, default: TreeView(query, of: tree.at(path))].listeners[connection] = tag
        }
    }

    package mutating func remove(_ connection: Int, _ path: TreePath, _ query: TreeQuery) {
        Self.change(&self.root, path.keys[...]) { place in
            guard !query.isWhole else { return _ = place.whole.remove(connection) }
            place.views[query]?.listeners.removeValue(forKey: connection)
            if place.views[query]?.listeners.isEmpty == true { place.views[query] = nil }
        }
    }

    private static func change(_ place: inout Place, _ rest: ArraySlice<TreeKey>, _ body: (inout Place) -> Void) {
        guard let key = rest.first else { return body(&place) }
        var child = place.children.removeValue(forKey: key) ?? Place()
        self.change(&child, rest.dropFirst(), body)
        if !child.isEmpty { place.children[key] = child }
    }

    package var isEmpty: Bool { self.root.isEmpty }
}

// MARK: - What a write comes to

extension TreeListens {
    /// In the order in which it has to be told.
    package mutating func news(of write: TreeWrite, from before: TreeNode, to after: TreeNode) -> [TreeNews] {
        var collector = Collector(before: before, after: after)
        let changed = write.places.filter { before.at($0.target.path) != after.at($0.target.path) }
        guard !changed.isEmpty else { return [] }
        if write.isMerge {
            collector.collectMerge(&self.root, write.base, changed.map(\.target.path))
        } else {
            collector.collectSet(&self.root, write.base)
        }
        return collector.news
    }

    private struct Collector {
        let before: TreeNode
        let after: TreeNode
        var news: [TreeNews] = []

        mutating func collectSet(_ root: inout Place, _ path: TreePath) {
            var whole = TreeNews(path: path, change: .set(self.after.at(path)))
            self.descend(&root, from: .root, to: path, &whole.whole)
            if !whole.whole.isEmpty { self.news.insert(whole, at: 0) }
        }

        mutating func collectMerge(_ root: inout Place, _ base: TreePath, _ paths: [TreePath]) {
            let changes = paths.map { (path: $0.dropping(base.count), node: self.after.at($0)) }
            var merge = TreeNews(path: base, change: .merge(changes))
            var first = true
            for path in paths {
                var below = TreeNews(path: path, change: .set(self.after.at(path)))
                self.descend(&root, from: .root, to: path, &merge.whole, &below.whole, base.count, isFirst: first)
                if !below.whole.isEmpty { self.news.append(below) }
                first = false
            }
            if !merge.whole.isEmpty { self.news.insert(merge, at: 0) }
        }

        /// Those who listen on the way down to `path` hear of it as it is; those below hear of their own places.
        private mutating func descend(
            _ place: inout Place, from start: TreePath, to path: TreePath, _ whole: inout [Int]
        ) {
            var unused: [Int] = []
            self.descend(&place, from: start, to: path, &whole, &unused, path.count, isFirst: true)
        }

        /// - Parameter depth: down to here it is `upper` that hears, and only the first time.
        private mutating func descend(
            _ place: inout Place, from start: TreePath, to path: TreePath, _ upper: inout [Int], _ lower: inout [Int],
            _ depth: Int, isFirst: Bool
        ) {
            if start.count > depth {
                Self.join(place.whole, to: &lower)
            } else if isFirst {
                Self.join(place.whole, to: &upper)
            }
            self.update(&place, start, path)
            guard start.count < path.count else {
                for key in place.children.keys.sorted() { self.below(&place.children[key], start.appending(key)) }
                return
            }
            let key = path.keys[start.count]
            guard var child = place.children.removeValue(forKey: key) else { return }
            self.descend(&child, from: start.appending(key), to: path, &upper, &lower, depth, isFirst: isFirst)
            place.children[key] = child
        }

        private static func join(_ more: Set<Int>, to list: inout [Int]) {
            guard !list.isEmpty else { return list = more.sorted() }
            if !more.isEmpty { list = more.union(list).sorted() }
        }

        private mutating func below(_ found: inout Place?, _ path: TreePath) {
            guard var place = found.take() else { return }
            defer { found = place }
            let (old, new) = (self.before.at(path), self.after.at(path))
            guard old != new else { return }
            if !place.whole.isEmpty {
                var news = TreeNews(path: path, change: .set(new))
                news.whole = place.whole.sorted()
                self.news.append(news)
            }
            self.update(&place, path, path)
            for key in place.children.keys.sorted() { self.below(&place.children[key], path.appending(key)) }
        }

        private mutating func update(_ place: inout Place, _ start: TreePath, _ path: TreePath) {
            guard !place.views.isEmpty else { return }
            let (old, new, rest) = (self.before.at(start), self.after.at(start), path.dropping(start.count))
            for query in Array(place.views.keys) {
                guard var view = place.views.removeValue(forKey: query) else { continue }
                let updates = view.update(from: old, to: new, at: rest)
                let listeners = view.listeners.sorted { $0.key < $1.key }.map { ($0.key, start, $0.value) }
                for update in updates {
                    var news = TreeNews(path: start.appending(update.path), change: .set(update.node))
                    news.views = listeners
                    self.news.append(news)
                }
                place.views[query] = view
            }
        }
    }
}
