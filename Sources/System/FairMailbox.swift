/// Hands values to threads that wait for them, one of each sender in turn: many values of one do not hold up the others.
package final class FairMailbox<Sender: Hashable & Sendable, Element: Sendable>: @unchecked Sendable {
    // Unchecked because the compiler cannot see that the mutex guards every touch of what is below.
    private var lanes: [Sender: [Element]] = [:]
    /// Whose turn is next, each sender once.
    private var turns: [Sender] = []
    private var count = 0
    private var isClosed = false
    private let limit: Int
    private let limitOfSender: Int
    private let condition = Condition()

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
        self.lanes[sender, default: []].append(element)
        if waiting == 0 { self.turns.append(sender) }
        self.count += 1
        self.condition.signal()
    }

    /// The next value. Waits when there is none; nil when none will ever come.
    package func take() -> Element? {
        self.condition.lock()
        defer { self.condition.unlock() }
        while self.turns.isEmpty, !self.isClosed { self.condition.wait() }
        guard !self.turns.isEmpty else { return nil }
        let sender = self.turns.removeFirst()
        guard var lane = self.lanes.removeValue(forKey: sender), !lane.isEmpty else { return nil }
        let element = lane.removeFirst()
        self.count -= 1
        if !lane.isEmpty {
            self.lanes[sender] = lane
            self.turns.append(sender)
        }
        return element
    }

    /// Nothing more is taken in; what waits is still handed out.
    package func close() {
        self.condition.lock()
        self.isClosed = true
        self.condition.broadcast()
        self.condition.unlock()
    }
}
