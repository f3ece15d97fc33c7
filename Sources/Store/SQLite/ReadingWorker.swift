internal import System

/// Answers what only looks at what was committed, beside the one that writes.
final class ReadingWorker: StoreThreadWorker, @unchecked Sendable {
    // Unchecked because the connection goes to its thread with the worker and is touched by no other.
    private let connection: Connection
    private let queue: Mailbox<StoreErrand>
    private let counts: Locked<StoreCounts>

    init(_ connection: consuming Connection, _ queue: Mailbox<StoreErrand>, _ counts: Locked<StoreCounts>) {
        self.connection = connection
        self.queue = queue
        self.counts = counts
    }

    func run() {
        while let waiting = self.queue.takeAll() {
            for errand in waiting { self.carryOut(errand) }
            self.counts.withLock { $0.requests += waiting.count }
        }
    }

    /// All of a request's questions are about the same moment.
    private func carryOut(_ errand: StoreErrand) {
        do throws(StoreError) {
            try self.connection.run("BEGIN")
        } catch {
            return errand.refuse(error)
        }
        let (settle, _) = errand.perform(self.connection)
        // What it remembers of the tables may be another by the next time.
        self.connection.memory.forget()
        settle(self.end())
    }

    private func end() -> StoreError? {
        do throws(StoreError) {
            if self.connection.isInTransaction { try self.connection.run("COMMIT") }
            return nil
        } catch {
            return error
        }
    }
}
