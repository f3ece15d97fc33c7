/// What a viewer of the tree has open: of each place its first children, each in one line, and which of them
/// have changed since they were shown. So what is shown is bounded, however much lies below.
package struct TreeOutline: Sendable {
    /// A child in one line.
    package struct Row: Hashable, Sendable {
        package let key: TreeKey
        package let summary: Summary
    }

    /// What is at a place, without what lies below.
    package enum Summary: Hashable, Sendable {
        case nothing
        case value(TreeScalar)
        /// The beginning of a text that is too long for a line, and how many bytes it has.
        case text(beginning: String, bytes: Int)
        case children(Int)
    }

    /// What has to be shown anew of one place.
    package struct Change: Sendable {
        package let path: TreePath
        package let summary: Summary
        /// Whether these are all rows, and not only those that changed.
        package let isWhole: Bool
        /// In their order, each with its place among those that are shown from now on.
        package let rows: [(index: Int, row: Row)]
        package let gone: [TreeKey]
    }

    fileprivate struct Place: Sendable {
        let limit: Int
        var summary = Summary.nothing
        var rows: [Row] = []
        var isShown = false
        /// Whether everything may be different.
        var isReplaced = false
        var changed: Set<TreeKey> = []

        var isDue: Bool { !self.isShown || self.isReplaced || !self.changed.isEmpty }

        /// What is not shown need not be remembered one by one.
        mutating func changed(at key: TreeKey) {
            guard self.isShown, !self.isReplaced else { return }
            self.changed.insert(key)
            if self.changed.count > TreeOutline.maximumRows { self.isReplaced = true }
        }
    }

    package enum Refusal: Error, Hashable, Sendable { case tooManyPlaces, tooManyRows }

    /// Places that one viewer has open.
    package static let maximumPlaces = 64
    /// Children of one place that a viewer sees.
    package static let maximumRows = 1000
    /// Children that may be seen of all places that a viewer has open.
    package static let maximumRowsInAll = 5000
    /// Of a text in its line.
    static let textBytes = 300

    private var places: [TreePath: Place] = [:]

    package init() {}

    /// Shows a place, or more of it.
    package mutating func open(_ path: TreePath, limit: Int) throws(Refusal) {
        let limit = min(max(limit, 1), Self.maximumRows)
        let others = self.places.lazy.filter { $0.key != path }
        guard others.count < Self.maximumPlaces else { throw .tooManyPlaces }
        guard others.reduce(limit, { $0 + $1.value.limit }) <= Self.maximumRowsInAll else { throw .tooManyRows }
        self.places[path] = Place(limit: limit)
    }

    /// Shows a place and all below it no longer.
    package mutating func close(_ path: TreePath) { self.places = self.places.filter { !path.contains($0.key) } }

    package var isDue: Bool { self.places.values.contains { $0.isDue } }

    package mutating func heard(_ news: TreeNews) {
        switch news.change {
        case .set: self.changed(at: news.path)
        case .merge(let places): for (path, _) in places { self.changed(at: news.path.appending(path)) }
        }
    }

    /// Where they stand: a write costs no copy of what is remembered.
    private mutating func changed(at path: TreePath) {
        var index = self.places.startIndex
        while index < self.places.endIndex {
            let open = self.places.keys[index]
            if path.contains(open) {
                self.places.values[index].isReplaced = true
            } else if open.contains(path) {
                self.places.values[index].changed(at: path.keys[open.count])
            }
            self.places.formIndex(after: &index)
        }
    }

    /// What is due, from above to below; from then on it counts as shown.
    package mutating func takeChanges(in tree: TreeNode) -> [Change] {
        let due = self.places.filter { $0.value.isDue }.keys.sorted { $0.count < $1.count }
        return due.compactMap { path in self.take(path, tree.at(path)) }
    }

    private mutating func take(_ path: TreePath, _ node: TreeNode) -> Change? {
        guard var place = self.places[path] else { return nil }
        let (summary, rows) = (Summary(node), node.children.prefix(place.limit).map { Row($0.key, $0.value) })
        let change = Change(path: path, summary: summary, from: place, to: rows)
        let isNew = !place.isShown || place.summary != summary || !change.rows.isEmpty || !change.gone.isEmpty
        place.changed = []
        (place.summary, place.rows, place.isShown, place.isReplaced) = (summary, rows, true, false)
        self.places[path] = place
        return isNew ? change : nil
    }
}

extension TreeOutline.Change {
    fileprivate init(
        path: TreePath, summary: TreeOutline.Summary, from place: TreeOutline.Place, to rows: [TreeOutline.Row]
    ) {
        (self.path, self.summary, self.isWhole) = (path, summary, !place.isShown)
        let before = Dictionary(place.rows.map { ($0.key, $0.summary) }, uniquingKeysWith: { first, _ in first })
        let after = Set(rows.map(\.key))
        self.gone = place.rows.lazy.map(\.key).filter { !after.contains($0) }
        self.rows = rows.enumerated().filter { _, row in
            before[row.key] != row.summary || place.changed.contains(row.key)
        }.map { (index: $0.offset, row: $0.element) }
    }
}

extension TreeOutline.Row {
    fileprivate init(_ key: TreeKey, _ node: TreeNode) { self.init(key: key, summary: .init(node)) }
}

extension TreeOutline.Summary {
    init(_ node: TreeNode) {
        switch node.content {
        case .nothing: self = .nothing
        case .children(let children): self = .children(children.count)
        case .leaf(.text(let text)) where text.utf8.count > TreeOutline.textBytes:
            self = .text(beginning: Self.beginning(of: text), bytes: text.utf8.count)
        case .leaf(let scalar): self = .value(scalar)
        }
    }

    /// No character is cut.
    private static func beginning(of text: String) -> String {
        var beginning = ""
        for scalar in text.unicodeScalars {
            guard beginning.utf8.count + scalar.utf8.count <= TreeOutline.textBytes else { break }
            beginning.unicodeScalars.append(scalar)
        }
        return beginning
    }
}
