/// Values under keys, in the order of the keys. A copy shares everything with its origin until one of them changes, and a
/// change makes as many new branches as the tree is high: so the state before a write is there beside the one after it.
///
/// A tree balanced by weight (Adams 1993): no side has more than three times as many as the other.
package struct SortedMap<Key: Comparable & Sendable, Value: Sendable>: Sendable {
    fileprivate final class Branch: Sendable {
        let key: Key
        let value: Value
        let left: Branch?
        let right: Branch?
        let count: Int

        init(_ key: Key, _ value: Value, _ left: Branch?, _ right: Branch?) {
            self.key = key
            self.value = value
            self.left = left
            self.right = right
            self.count = Self.count(left) + Self.count(right) + 1
        }

        static func count(_ branch: Branch?) -> Int { branch?.count ?? 0 }
    }

    private var root: Branch?

    package init() {}

    private init(_ root: Branch?) { self.root = root }

    /// - Parameter sorted: in order, no key twice.
    package init(sorted: [(key: Key, value: Value)]) {
        self.root = Self.build(sorted[...])
    }

    private static func build(_ items: ArraySlice<(key: Key, value: Value)>) -> Branch? {
        guard !items.isEmpty else { return nil }
        let middle = items.startIndex + items.count / 2
        let item = items[middle]
        return Branch(
            item.key, item.value, self.build(items[..<middle]), self.build(items[(middle + 1)...]))
    }

    package var count: Int { Branch.count(self.root) }
    package var isEmpty: Bool { self.root == nil }

    /// Whether both are the very same, which is quickly told.
    package func isIdentical(to other: SortedMap) -> Bool { self.root === other.root }

    package subscript(key: Key) -> Value? {
        get {
            var branch = self.root
            while let found = branch {
                if key < found.key {
                    branch = found.left
                } else if found.key < key {
                    branch = found.right
                } else {
                    return found.value
                }
            }
            return nil
        }
        set {
            if let newValue {
                self.root = Self.inserting(key, newValue, self.root)
            } else {
                self.root = Self.removing(key, self.root)
            }
        }
    }
}

// MARK: - Balance

extension SortedMap {
    private static func inserting(_ key: Key, _ value: Value, _ branch: Branch?) -> Branch {
        guard let branch else { return Branch(key, value, nil, nil) }
        if key < branch.key {
            return self.balanced(branch.key, branch.value, self.inserting(key, value, branch.left), branch.right)
        }
        if branch.key < key {
            return self.balanced(branch.key, branch.value, branch.left, self.inserting(key, value, branch.right))
        }
        return Branch(key, value, branch.left, branch.right)
    }

    private static func removing(_ key: Key, _ branch: Branch?) -> Branch? {
        guard let branch else { return nil }
        if key < branch.key {
            return self.balanced(branch.key, branch.value, self.removing(key, branch.left), branch.right)
        }
        if branch.key < key {
            return self.balanced(branch.key, branch.value, branch.left, self.removing(key, branch.right))
        }
        guard let left = branch.left else { return branch.right }
        guard let right = branch.right else { return left }
        let next = self.first(right)
        return self.balanced(next.key, next.value, left, self.removing(next.key, right))
    }

    private static func first(_ branch: Branch) -> Branch {
        var branch = branch
        while let left = branch.left { branch = left }
        return branch
    }

    private static func balanced(_ key: Key, _ value: Value, _ left: Branch?, _ right: Branch?) -> Branch {
        let (leftCount, rightCount) = (Branch.count(left), Branch.count(right))
        guard leftCount + rightCount > 1 else { return Branch(key, value, left, right) }
        if let right, rightCount > 3 * leftCount { return self.rotatedLeft(key, value, left, right) }
        if let left, leftCount > 3 * rightCount { return self.rotatedRight(key, value, left, right) }
        return Branch(key, value, left, right)
    }

    private static func rotatedLeft(_ key: Key, _ value: Value, _ left: Branch?, _ right: Branch) -> Branch {
        guard let inner = right.left, inner.count >= 2 * Branch.count(right.right) else {
            return Branch(right.key, right.value, Branch(key, value, left, right.left), right.right)
        }
        return Branch(
            inner.key, inner.value, Branch(key, value, left, inner.left),
            Branch(right.key, right.value, inner.right, right.right))
    }

    private static func rotatedRight(_ key: Key, _ value: Value, _ left: Branch, _ right: Branch?) -> Branch {
        guard let inner = left.right, inner.count >= 2 * Branch.count(left.left) else {
            return Branch(left.key, left.value, left.left, Branch(key, value, left.right, right))
        }
        return Branch(
            inner.key, inner.value, Branch(left.key, left.value, left.left, inner.left),
            Branch(key, value, inner.right, right))
    }
}

// MARK: - In order

extension SortedMap: Sequence {
    /// Goes through one side after the other, from any key on, up or down.
    package struct Iterator: IteratorProtocol {
        private var waiting: [Branch] = []
        private let isUpward: Bool

        fileprivate init(_ root: Branch?, from key: Key?, isUpward: Bool) {
            self.isUpward = isUpward
            self.descend(root, from: key)
        }

        private mutating func descend(_ start: Branch?, from key: Key?) {
            var branch = start
            while let found = branch {
                let isOutside = key.map { self.isUpward ? found.key < $0 : $0 < found.key } ?? false
                if !isOutside { self.waiting.append(found) }
                branch = isOutside == self.isUpward ? found.right : found.left
            }
        }

        package mutating func next() -> (key: Key, value: Value)? {
            guard let branch = self.waiting.popLast() else { return nil }
            self.descend(self.isUpward ? branch.right : branch.left, from: nil)
            return (branch.key, branch.value)
        }
    }

    package func makeIterator() -> Iterator { Iterator(self.root, from: nil, isUpward: true) }

    /// Upwards, beginning with this key if it is there.
    package func from(_ key: Key?) -> IteratorSequence<Iterator> {
        IteratorSequence(Iterator(self.root, from: key, isUpward: true))
    }

    /// Downwards, beginning with this key if it is there.
    package func downward(from key: Key?) -> IteratorSequence<Iterator> {
        IteratorSequence(Iterator(self.root, from: key, isUpward: false))
    }

    package var underestimatedCount: Int { self.count }
}
