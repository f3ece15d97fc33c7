import TestSupport

@testable import RealtimeTree

/// Paths, values, queries and writes by chance, of so few names that they meet.
struct RandomTree {
    var random: SeededRandom

    private static let keys = ["a", "b", "c", "d", "1", "2", "10", "-3", "01", "é", "\u{FFFD}x", "😀", "n"]
    private static let texts = ["", "x", "xy", "é", "😀", "\u{FFFF}"]

    init(seed: UInt64) { self.random = SeededRandom(seed: seed) }

    mutating func chance(_ one: Int, in all: Int) -> Bool { Int.random(in: 0..<all, using: &self.random) < one }

    mutating func key() -> String { Self.keys.randomElement(using: &self.random) ?? "a" }

    mutating func path(atMost length: Int = 3) -> [String] {
        (0..<Int.random(in: 0...length, using: &self.random)).map { _ in self.key() }
    }

    mutating func scalar() -> TreeScalar {
        switch Int.random(in: 0..<4, using: &self.random) {
        case 0: .bool(self.chance(1, in: 2))
        case 1: .text(Self.texts.randomElement(using: &self.random) ?? "")
        default: .number(Double(Int.random(in: -4...4, using: &self.random)) / 2)
        }
    }

    mutating func priority() -> TreeScalar? {
        guard self.chance(1, in: 5) else { return nil }
        return self.chance(1, in: 2) ? .number(Double(Int.random(in: 0...2, using: &self.random))) : .text("p")
    }

    mutating func node(_ depth: Int = 3) -> ModelNode {
        if self.chance(1, in: 6) { return .nothing }
        guard depth > 0, self.chance(1, in: 2) else {
            return ModelNode(scalar: self.scalar(), priority: self.priority())
        }
        var node = ModelNode()
        for _ in 0..<Int.random(in: 1...5, using: &self.random) {
            let child = self.node(depth - 1)
            if !child.isNothing { node.children[self.key()] = child }
        }
        node.priority = node.isNothing ? nil : self.priority()
        return node
    }

    mutating func query() -> ModelQuery {
        var query = ModelQuery()
        if self.chance(1, in: 3) { return query }
        switch Int.random(in: 0..<4, using: &self.random) {
        case 0: query.order = .key
        case 1: query.order = .value
        case 2: query.order = .child(TreePath(self.key()) ?? .root)
        default: break
        }
        query.query = TreeQuery(query.order)
        if self.chance(1, in: 2) { self.addStart(&query) }
        if self.chance(1, in: 2) { self.addEnd(&query) }
        if self.chance(1, in: 2) {
            query.limit = Int.random(in: 1...4, using: &self.random)
            query.isFromEnd = self.chance(1, in: 2)
        }
        (query.query.limit, query.query.isFromEnd) = (query.limit, query.isFromEnd)
        return query
    }

    /// A value, which is none where names are the order, and a name.
    private mutating func bound(_ order: TreeOrder) -> (scalar: TreeScalar?, key: String?) {
        if order == .key { return (nil, self.key()) }
        return (self.chance(1, in: 5) ? nil : self.scalar(), self.chance(1, in: 2) ? self.key() : nil)
    }

    private mutating func addStart(_ query: inout ModelQuery) {
        let (scalar, key) = self.bound(query.order)
        let isInclusive = self.chance(1, in: 2)
        query.query.begin(at: .init(scalar), key.flatMap { TreeKey($0) }, isInclusive: isInclusive)
        let name = key ?? (isInclusive ? "[MIN_NAME]" : "[MAX_NAME]")
        let place = (ModelNode.place(of: scalar), ModelNode.place(of: name))
        query.start = ModelQuery.Bound(place: place, isInclusive: isInclusive)
    }

    private mutating func addEnd(_ query: inout ModelQuery) {
        let (scalar, key) = self.bound(query.order)
        let isInclusive = self.chance(1, in: 2)
        query.query.finish(at: .init(scalar), key.flatMap { TreeKey($0) }, isInclusive: isInclusive)
        let name = key ?? (isInclusive ? "[MAX_NAME]" : "[MIN_NAME]")
        let place = (ModelNode.place(of: scalar), ModelNode.place(of: name))
        query.end = ModelQuery.Bound(place: place, isInclusive: isInclusive)
    }
}
