internal import Keeping
internal import SQLTables
internal import System

/// Answers what only reads what was committed, beside the one that writes.
final class ReadingWorker: StoreThreadWorker, @unchecked Sendable {
    // Unchecked because the tables go to its thread with the worker and are touched by no other.
    private let tables: SQLiteTables
    private let queue: StoreQueue
    private let counts: Locked<StoreCounts>

    init(_ tables: SQLiteTables, _ queue: StoreQueue, _ counts: Locked<StoreCounts>) {
        self.tables = tables
        self.queue = queue
        self.counts = counts
    }

    func run() {
        var turns = self.queue.makeTurns()
        while let job = turns.take(upTo: 1)?.first {
            self.perform(job)
            self.counts.withLock { $0.requests += 1 }
        }
    }

    /// All of a request's questions are about the same moment.
    private func perform(_ job: StoreJob) {
        do throws(StoreError) {
            try self.tables.connection.run("BEGIN")
        } catch {
            return job.refuse(error)
        }
        let (complete, _) = job.perform(self.tables)
        complete(self.end())
    }

    private func end() -> StoreError? {
        do throws(StoreError) {
            if self.tables.connection.isInTransaction { try self.tables.connection.run("COMMIT") }
            return nil
        } catch {
            return error
        }
    }
}
