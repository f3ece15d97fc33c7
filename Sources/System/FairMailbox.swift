/// A `FairQueue` between threads: hands values to those that wait for them.
package final class FairMailbox<Sender: Hashable & Sendable, Element: Sendable>: @unchecked Sendable {
    // Unchecked because the compiler cannot see that the mutex guards every touch of what is below.
    private var queue = FairQueue<Sender, Element>()
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
        try self.append(element, from: sender)
        // Behind the mutex, for which the thread that wakes up would only wait again.
        self.condition.signal()
    }

    private func append(_ element: Element, from sender: Sender) throws(Refusal) {
        self.condition.lock()
        defer { self.condition.unlock() }
        guard !self.isClosed else { throw .closed }
        guard self.queue.count < self.limit, self.queue.count(of: sender) < self.limitOfSender else { throw .full }
        self.queue.append(element, from: sender)
    }

    /// The next value. Waits when there is none; nil when none will ever come.
    package func take() -> Element? {
        self.condition.lock()
        defer { self.condition.unlock() }
        while self.queue.isEmpty, !self.isClosed { self.condition.wait() }
        return self.queue.take(upTo: 1).first
    }

    /// Nothing more is taken in; what waits is still handed out.
    package func close() {
        self.condition.lock()
        self.isClosed = true
        self.condition.broadcast()
        self.condition.unlock()
    }
}
