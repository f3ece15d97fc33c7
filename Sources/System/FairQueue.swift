/// What waits, handed out one of each sender in turn: many values of one do not hold up the others.
package struct FairQueue<Sender: Hashable & Sendable, Element: Sendable>: Sendable {
    private var lanes: [Sender: Lane] = [:]
    /// Whose turn is next, each sender once.
    private var turns: [Sender] = []
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { self.count == 0 }

    package func count(of sender: Sender) -> Int { self.lanes[sender]?.count ?? 0 }

    package mutating func append(_ element: Element, from sender: Sender) {
        if self.lanes[sender]?.append(element) == nil {
            self.lanes[sender] = Lane(element)
            self.turns.append(sender)
        }
        self.count += 1
    }

    /// The next values, at most so many: one of each sender, then the next of each.
    package mutating func take(upTo limit: Int) -> [Element] {
        var taken: [Element] = []
        taken.reserveCapacity(min(limit, self.count))
        while taken.count < limit, !self.turns.isEmpty { self.takeRound(limit, &taken) }
        self.count -= taken.count
        return taken
    }

    /// One of each sender whose turn it is, as long as there is room.
    private mutating func takeRound(_ limit: Int, _ taken: inout [Element]) {
        let round = Array(self.turns.prefix(limit - taken.count))
        self.turns.removeFirst(round.count)
        for sender in round {
            guard let place = self.lanes.index(forKey: sender) else { continue }
            taken.append(self.lanes.values[place].takeFirst())
            if self.lanes.values[place].count == 0 {
                self.lanes.remove(at: place)
            } else {
                self.lanes.values[place].forgetTaken()
                self.turns.append(sender)
            }
        }
    }

    /// What waits of one sender, in its order.
    private struct Lane {
        private var elements: [Element]
        private var taken = 0

        init(_ element: Element) { self.elements = [element] }

        var count: Int { self.elements.count - self.taken }

        mutating func append(_ element: Element) { self.elements.append(element) }

        mutating func takeFirst() -> Element {
            defer { self.taken += 1 }
            return self.elements[self.taken]
        }

        /// So that a lane that is never empty does not keep what was taken long ago.
        mutating func forgetTaken() {
            guard self.taken > self.elements.count / 2 else { return }
            self.elements.removeFirst(self.taken)
            self.taken = 0
        }
    }
}
