/// A request that reads, and which transactions were over when it was carried out.
package struct ReadWithSnapshot<Request: StoreRequest>: StoreRequest {
    package struct Answer: Sendable {
        package let snapshot: TransactionSnapshot
        package let found: Request.Answer
    }

    package let request: Request

    package static var access: StoreAccess { .readsCommitted }

    package init(_ request: Request) {
        precondition(!Request.access.writes, "who writes cannot be carried out beside the writers")
        self.request = request
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Answer {
        // In this order: what a transaction that is over has written is found.
        let snapshot = try tables.transactionSnapshot()
        return Answer(snapshot: snapshot, found: try self.request.perform(on: tables))
    }
}
