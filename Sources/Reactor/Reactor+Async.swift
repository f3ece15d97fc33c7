extension Reactor {
    /// Lets `work` wait for other threads without keeping the loop, and hands its result to `completion` here.
    ///
    /// For what is asked seldom: signing in, storage. What every frame does stays synchronous.
    package func perform<Value: Sendable>(
        _ work: @escaping @Sendable () async -> Value, completion: @escaping (Value) -> Void
    ) {
        let loop = self.loop
        let ticket = ReturnTicket(completion)
        Task(executorPreference: loop) {
            let value = await work()
            loop.execute { _ in ticket.redeem(value) }
        }
    }
}

extension Reactor {
    /// A function for another thread to call, once: what it is given comes to `completion` here, in the order of such
    /// calls.
    package func returning<Value: Sendable>(_ completion: @escaping (Value) -> Void) -> @Sendable (Value) -> Void {
        let loop = self.loop
        let ticket = ReturnTicket(completion)
        return { value in loop.execute { _ in ticket.redeem(value) } }
    }
}

/// A closure that belongs to a loop, carried by a task that only passes it on.
private final class ReturnTicket<Value>: @unchecked Sendable {
    // Unchecked because `completion` is touched on its loop only: where the ticket is made and where it is redeemed.
    private var completion: ((Value) -> Void)?

    init(_ completion: @escaping (Value) -> Void) { self.completion = completion }

    /// Lets go of the closure on the loop, whoever holds the ticket last.
    func redeem(_ value: Value) {
        let completion = self.completion
        self.completion = nil
        completion?(value)
    }
}
