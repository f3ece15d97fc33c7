/// Hands values to threads that wait for them, one of each sender in turn: many values of one do not hold up the others.
package final class FairMailbox<Sender: Hashable & Sendable, Element: Sendable>: @unchecked Sendable {
    // Unchecked because the compiler cannot see that the mutex guards every touch of what is below.
    private var lanes: [Sender: Lane] = [:]
    /// Whose turn is next, each sender once.
    private var turns: [Sender] = []
    private var count = 0
    private var isClosed = false
    private let limit: Int
    private let limitOfSender: Int
    private let condition = Condition()

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

    package enum Refusal: Error, Hashable, Sendable { case full, closed }

    package init(limit: Int, ofSender limitOfSender: Int) {
        self.limit = limit
        self.limitOfSender = limitOfSender
    }

    package func post(_ element: Element, from sender: Sender) throws(Refusal) {
        self.condition.lock()
        defer { self.condition.unlock() }
        guard !self.isClosed else { throw .closed }
        let waiting = self.lanes[sender]?.count ?? 0
        guard self.count < self.limit, waiting < self.limitOfSender else { throw .full }
        if waiting == 0 {
            self.lanes[sender] = Lane(element)
            self.turns.append(sender)
        } else {
            self.lanes[sender]?.append(element)
        }
        self.count += 1
        self.condition.signal()
    }

    /// The next value. Waits when there is none; nil when none will ever come.
    package func take() -> Element? { self.take(upTo: 1)?.first }

    /// The next values, at most so many: one of each sender, then the next of each. Waits when there is none; nil when none
    /// will ever come.
    package func take(upTo limit: Int) -> [Element]? {
        self.condition.lock()
        defer { self.condition.unlock() }
        while self.turns.isEmpty, !self.isClosed { self.condition.wait() }
        guard !self.turns.isEmpty else { return nil }
        var taken: [Element] = []
        taken.reserveCapacity(min(limit, self.count))
        while taken.count < limit, !self.turns.isEmpty { self.takeRound(limit, &taken) }
        self.count -= taken.count
        return taken
    }

    /// One of each sender whose turn it is, as long as there is room.
    private func takeRound(_ limit: Int, _ taken: inout [Element]) {
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

    /// Nothing more is taken in; what waits is still handed out.
    package func close() {
        self.condition.lock()
        self.isClosed = true
        self.condition.broadcast()
        self.condition.unlock()
    }
}
