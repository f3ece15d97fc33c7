/// Which transactions of all that write these tables are over, in the engine's own count of them.
package struct WriterHorizon: Hashable, Sendable {
    /// All before this one have ended: what they wrote is there, or never will be.
    package let oldest: UInt64
    /// None from here on had begun.
    package let next: UInt64

    /// Where nobody writes beside us.
    package static let alone = WriterHorizon(oldest: 0, next: 0)

    package init(oldest: UInt64, next: UInt64) {
        self.oldest = oldest
        self.next = next
    }
}

/// What was committed, and which writers were still at it when that was read.
package struct WithHorizon<Request: StoreRequest>: StoreRequest {
    package struct Answer: Sendable {
        package let horizon: WriterHorizon
        package let found: Request.Answer
    }

    package let request: Request

    package static var access: StoreAccess { .readsCommitted }

    package init(_ request: Request) { self.request = request }

    package func perform(on tables: some Tables) throws(StoreError) -> Answer {
        // In this order: what a writer that is over has written is found.
        let horizon = try tables.writerHorizon()
        return Answer(horizon: horizon, found: try self.request.perform(on: tables))
    }
}
