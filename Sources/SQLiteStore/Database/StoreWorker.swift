internal import Journal
internal import Keeping
internal import SQLTables
internal import System

/// Lives on a thread of the store's until its queue is closed.
protocol StoreThreadWorker: Sendable {
    func run()
}

/// Carries out what waits, group by group.
final class StoreWorker: StoreThreadWorker, @unchecked Sendable {
    // Unchecked because the tables go to the store's thread with the worker and are touched by no other.
    private let tables: SQLiteTables
    private let queue: StoreQueue
    private let counts: Locked<StoreCounts>
    private let metrics: StoreMetrics?

    /// So that the first of a long queue need not wait for the last.
    private let largestGroup: Int

    init(
        _ tables: SQLiteTables, _ queue: StoreQueue, _ counts: Locked<StoreCounts>, _ metrics: StoreMetrics?,
        largestGroup: Int
    ) {
        self.metrics = metrics
        self.tables = tables
        self.queue = queue
        self.counts = counts
        self.largestGroup = largestGroup
    }

    func run() {
        var turns = self.queue.makeTurns()
        while let group = turns.take(upTo: self.largestGroup) { self.perform(group) }
    }

    private func perform(_ group: [StoreJob]) {
        let writes = group.contains(where: \.writes)
        let start = ContinuousClock.now
        var completions: [StoreJob.Completion] = []
        var failure: StoreError?
        do throws(StoreError) {
            if writes { try self.tables.connection.run("BEGIN IMMEDIATE") }
            for job in group {
                let (completion, failure) = job.perform(self.tables)
                completions.append(completion)
                if let failure { throw failure }
                try self.checkTransaction(writes)
            }
            if writes { try self.tables.connection.run("COMMIT") }
        } catch {
            failure = self.giveUp(error)
        }
        if writes { self.measure(from: start, failure) }
        self.count(group.count, writes && failure == nil)
        self.complete(group, completions, failure)
        self.indexWhatWaits()
    }

    /// In a group of its own, behind those who wait already. What it cannot do now is done by whoever searches.
    private func indexWhatWaits() {
        guard self.tables.rows.cache?.takeIndexing() == true else { return }
        let job = StoreJob(IndexMessages.access, { (_: Result<Bool, StoreError>) in }) { tables throws(StoreError) in
            try IndexMessages(.cached).perform(on: tables.rows)
        }
        try? self.queue.post(job, from: nil)
    }

    /// When SQLite gave up the group by itself, what follows must not be written alone.
    private func checkTransaction(_ writes: Bool) throws(StoreError) {
        guard writes, !self.tables.connection.isInTransaction else { return }
        throw StoreError(.inputOutput, database: self.tables.connection.file, detail: "the transaction was given up")
    }

    private func giveUp(_ error: StoreError) -> StoreError {
        self.tables.rows.cache?.forget()
        guard self.tables.connection.isInTransaction else { return error }
        do throws(StoreError) {
            try self.tables.connection.run("ROLLBACK")
            return error
        } catch let second {
            return second
        }
    }

    /// Those that were not carried out any more hear of the failure as well.
    private func complete(
        _ group: [StoreJob], _ completions: [StoreJob.Completion], _ failure: StoreError?
    ) {
        for completion in completions { completion(failure) }
        guard let failure else { return }
        for job in group.dropFirst(completions.count) { job.refuse(failure) }
    }

    private func measure(from start: ContinuousClock.Instant, _ failure: StoreError?) {
        self.metrics?.commits.observe(start.duration(to: .now))
        if failure != nil { self.metrics?.failures.increment() }
    }

    private func count(_ requests: Int, _ hasCommitted: Bool) {
        self.counts.withLock { counts in
            counts.requests += requests
            counts.commits += hasCommitted ? 1 : 0
        }
    }
}
