/// What was sent and not yet answered, in its order, and whose answer comes next.
///
/// After an error everything up to the next sync is skipped by the server; the first error of such a segment is what its
/// sync is told.
struct PipelineMachine<Reply, SyncReply> {
    private enum Step {
        case parse(text: String, name: String)
        case execute(text: String, name: String, Reply)
        case sync(SyncReply)
    }

    enum Event {
        case rows(PostgresRows)
        case failed(PostgresError)
        case aborted
        case synced
    }

    enum Order {
        case answer(Reply, Result<PostgresRows, PostgresError>)
        case synced(SyncReply, PostgresError?)
    }

    private var steps: [Step] = []
    private var head = 0
    private var names = StatementNames()
    /// Which sync what is sent now stands in front of.
    private var segment: UInt64 = 0
    /// The first error since the last sync.
    private var failure: PostgresError?
    /// Why the statement that comes next could not be parsed.
    private var parseFailure: PostgresError?

    /// Whether the server owes something.
    var isOwed: Bool { self.head < self.steps.count }

    /// Whether something was sent that no sync stands behind yet.
    var isOpen: Bool {
        guard let last = self.steps.last, self.isOwed, case .sync = last else { return self.isOwed }
        return false
    }

    /// Notes a statement, and says how it has to be sent.
    mutating func send(_ text: String, _ reply: Reply) -> StatementNames.Use {
        let use = self.names.use(text, in: self.segment)
        switch use {
        case .unparsed(let name):
            self.steps.append(.parse(text: text, name: name))
            self.steps.append(.execute(text: text, name: name, reply))
        case .parsed(let name): self.steps.append(.execute(text: text, name: name, reply))
        }
        return use
    }

    mutating func sync(_ reply: SyncReply) {
        self.steps.append(.sync(reply))
        self.segment += 1
    }

    /// Nil where nobody waits for it.
    mutating func received(_ event: Event) throws(OutOfStep) -> Order? {
        guard self.head < self.steps.count else { throw OutOfStep() }
        if case .sync = self.steps[self.head], case .failed(let error) = event {
            // A deferred constraint speaks at the commit, which is the sync itself; `synced` follows.
            self.failure = self.failure ?? error
            return nil
        }
        return try self.answered(self.next(), event)
    }

    private mutating func answered(_ step: Step, _ event: Event) throws(OutOfStep) -> Order? {
        switch (step, event) {
        case (.parse(let text, let name), .rows):
            self.names.parsed(text, as: name)
            return nil
        case (.parse(let text, let name), .failed(let error)):
            self.names.forget(text, as: name)
            self.parseFailure = error
            self.failure = self.failure ?? error
            return nil
        case (.parse(let text, let name), .aborted):
            self.names.forget(text, as: name)
            return nil
        case (.execute(_, _, let reply), .rows(let rows)): return .answer(reply, .success(rows))
        case (.execute(let text, let name, let reply), .failed(let error)):
            self.failure = self.failure ?? error
            if Self.isStale(error) { self.names.forget(text, as: name) }
            return .answer(reply, .failure(error))
        case (.execute(_, _, let reply), .aborted):
            return .answer(reply, .failure(self.parseFailure.take() ?? .aborted))
        case (.sync(let reply), .synced): return .synced(reply, self.failure.take())
        case (.parse, .synced), (.execute, .synced), (.sync, .rows), (.sync, .aborted), (.sync, .failed):
            throw OutOfStep()
        }
    }

    /// The connection is gone: everybody who waits, in order.
    mutating func ended(_ error: PostgresError) -> [Order] {
        let rest = self.steps[self.head...]
        self.steps = []
        self.head = 0
        return rest.compactMap { step in
            switch step {
            case .parse: nil
            case .execute(_, _, let reply): .answer(reply, .failure(error))
            case .sync(let reply): .synced(reply, error)
            }
        }
    }

    /// An answer came that nothing was sent for.
    struct OutOfStep: Error, Hashable {}

    private mutating func next() -> Step {
        let step = self.steps[self.head]
        self.head += 1
        if self.head == self.steps.count {
            self.steps.removeAll(keepingCapacity: self.steps.capacity <= 4096)
            self.head = 0
        } else if self.head >= 1024, self.head * 2 >= self.steps.count {
            self.steps.removeFirst(self.head)
            self.head = 0
        }
        return step
    }

    /// The plan is of no use any more, since a table has changed, or is not there.
    private static func isStale(_ error: PostgresError) -> Bool { error.state == "0A000" || error.state == "26000" }
}
