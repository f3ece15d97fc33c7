package import Vocabulary

/// Who has to be woken when: a heap of moments with at most one per key.
///
/// A deadline that was moved or lifted stays in the heap as a leaf until it surfaces or until there are too many.
package struct Deadlines<Key: Hashable & Comparable & Sendable>: Sendable {
    private struct Leaf {
        let moment: Instant
        let key: Key
        /// Tells a key's deadline from the ones it had before.
        let stamp: UInt64
    }

    private struct Current {
        let moment: Instant
        let stamp: UInt64
    }

    private var heap: [Leaf] = []
    private var current: [Key: Current] = [:]
    private var nextStamp: UInt64 = 0

    package init() {}

    /// The earliest one.
    package var next: Instant? { self.heap.first?.moment }

    package func moment(for key: Key) -> Instant? { self.current[key]?.moment }

    /// Gives `key` its deadline, moves it, or lifts it.
    package mutating func set(_ moment: Instant?, for key: Key) {
        guard self.current[key]?.moment != moment else { return }
        if let moment {
            self.current[key] = Current(moment: moment, stamp: self.nextStamp)
            self.push(Leaf(moment: moment, key: key, stamp: self.nextStamp))
            self.nextStamp += 1
        } else {
            self.current[key] = nil
        }
        self.shed()
    }

    /// Takes the earliest one out if it has passed.
    package mutating func popDue(at now: Instant) -> Key? {
        guard let first = self.heap.first, first.moment <= now else { return nil }
        self.current[first.key] = nil
        self.shed()
        return first.key
    }

    /// Afterwards the top of the heap is true, and at most half of it is not.
    private mutating func shed() {
        while let first = self.heap.first, !self.isTrue(first) { self.removeFirst() }
        guard self.heap.count > 2 * self.current.count + 16 else { return }
        self.heap = self.heap.filter(self.isTrue).sorted(by: Self.precedes)
    }

    private func isTrue(_ leaf: Leaf) -> Bool { self.current[leaf.key]?.stamp == leaf.stamp }

    /// Equal moments come up in the order of their keys: on every node in the same, whenever it learned of them.
    private static func precedes(_ left: Leaf, _ right: Leaf) -> Bool {
        left.moment == right.moment ? left.key < right.key : left.moment < right.moment
    }

    private mutating func push(_ leaf: Leaf) {
        self.heap.append(leaf)
        var child = self.heap.count - 1
        while child > 0, Self.precedes(self.heap[child], self.heap[(child - 1) / 2]) {
            self.heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func removeFirst() {
        self.heap.swapAt(0, self.heap.count - 1)
        self.heap.removeLast()
        var parent = 0
        while let child = self.earlierChild(of: parent), Self.precedes(self.heap[child], self.heap[parent]) {
            self.heap.swapAt(child, parent)
            parent = child
        }
    }

    private func earlierChild(of parent: Int) -> Int? {
        let left = 2 * parent + 1
        guard left < self.heap.count else { return nil }
        let right = left + 1
        return right < self.heap.count && Self.precedes(self.heap[right], self.heap[left]) ? right : left
    }
}
