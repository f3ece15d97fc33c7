/// Hands values to one thread that waits for them, in their order, and never more than it may hold.
package final class Mailbox<Element: Sendable>: @unchecked Sendable {
    // Unchecked because the compiler cannot see that the mutex guards every touch of `waiting` and `isClosed`.
    private var waiting: [Element] = []
    private var isClosed = false
    private let limit: Int
    private let condition = Condition()

    package enum Refusal: Error, Hashable, Sendable { case full, closed }

    package init(limit: Int) { self.limit = limit }

    package func post(_ element: Element) throws(Refusal) {
        // Behind the mutex, for which the thread that wakes up would only wait again.
        if try self.append(element) { self.condition.signal() }
    }

    /// True when nothing waited before.
    private func append(_ element: Element) throws(Refusal) -> Bool {
        self.condition.lock()
        defer { self.condition.unlock() }
        guard !self.isClosed else { throw .closed }
        guard self.waiting.count < self.limit else { throw .full }
        self.waiting.append(element)
        return self.waiting.count == 1
    }

    /// Everything that came since the last time. Waits when that is nothing; nil when nothing will ever come.
    ///
    /// - Parameter timeout: after which nothing is returned; nil waits as long as it takes.
    package func takeAll(timeout: Duration? = nil) -> [Element]? {
        let deadline = timeout.map { ContinuousClock.now + $0 }
        self.condition.lock()
        defer { self.condition.unlock() }
        while self.waiting.isEmpty, !self.isClosed {
            guard let left = deadline.map({ ContinuousClock.now.duration(to: $0) }) else {
                self.condition.wait()
                continue
            }
            guard left > .zero else { return [] }
            self.condition.wait(timeout: left)
        }
        guard !self.waiting.isEmpty else { return nil }
        defer { self.waiting = [] }
        return self.waiting
    }

    /// Everything that came since the last time, which may be nothing. Never waits.
    package func takeWaiting() -> [Element] {
        self.condition.lock()
        defer { self.condition.unlock() }
        defer { self.waiting = [] }
        return self.waiting
    }

    /// Nothing more is taken in; what waits is still handed out.
    package func close() {
        self.condition.lock()
        self.isClosed = true
        self.condition.broadcast()
        self.condition.unlock()
    }
}
