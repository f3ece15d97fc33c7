internal import Journal
internal import Keeping
internal import SQLTables
internal import System

/// Lives on a thread of the store's until its queue is closed.
protocol StoreThreadWorker: Sendable {
    func run()
}

/// Carries out what waits, group by group.
///
/// A group in which all is write-behind is answered at once. Its transaction stays open until the next group commits it with its
/// own, or until the maximum delay is over.
final class StoreWorker: StoreThreadWorker, @unchecked Sendable {
    // Unchecked because the tables go to the store's thread with the worker and are touched by no other.
    private let tables: SQLiteTables
    private let queue: StoreQueue
    private let counts: Locked<StoreCounts>
    private let metrics: StoreMetrics?

    /// So that the first of a long queue need not wait for the last.
    private let largestGroup: Int
    /// True while something was answered that is not committed.
    private let isBehind: Locked<Bool>
    /// By when it is committed; nil where no transaction is open.
    private var deadline: ContinuousClock.Instant?
    private let maximumDelay: Duration

    init(
        _ tables: SQLiteTables, _ queue: StoreQueue, _ counts: Locked<StoreCounts>, _ metrics: StoreMetrics?,
        largestGroup: Int, maximumDelay: Duration, isBehind: Locked<Bool>
    ) {
        self.metrics = metrics
        self.tables = tables
        self.queue = queue
        self.counts = counts
        self.largestGroup = largestGroup
        self.maximumDelay = maximumDelay
        self.isBehind = isBehind
    }

    func run() {
        var turns = self.queue.makeTurns()
        while let group = turns.take(upTo: self.largestGroup, timeout: self.timeLeft) { self.perform(group) }
        self.commitWhatIsOpen()
    }

    private func commitWhatIsOpen() {
        guard self.deadline != nil else { return }
        self.deadline = .now
        self.perform([])
    }

    private var timeLeft: Duration? { self.deadline.map { ContinuousClock.now.duration(to: $0) } }

    private func perform(_ group: [StoreJob]) {
        let start = ContinuousClock.now
        let isOpen = self.deadline != nil || group.contains(where: \.writes)
        var isBehind = false
        var completions: [StoreJob.Completion] = []
        var failure: StoreError?
        do throws(StoreError) {
            if isOpen { try self.begin(group) }
            for job in group {
                let (completion, failure) = job.perform(self.tables)
                completions.append(completion)
                if let failure { throw failure }
                try self.checkTransaction(isOpen)
            }
            isBehind = isOpen && self.mayStayOpen(group, start)
            if isOpen, !isBehind { try self.tables.connection.run("COMMIT") }
        } catch {
            failure = self.giveUp(error)
        }
        if isOpen, !isBehind { self.measure(from: start, failure) }
        self.note(isBehind: isBehind, since: start)
        self.count(group.count, isOpen && !isBehind && failure == nil)
        self.complete(group, completions, failure)
        self.indexWhatWaits()
    }

    private func begin(_ group: [StoreJob]) throws(StoreError) {
        guard self.deadline == nil else { return }
        try self.tables.connection.run(group.allSatisfy(\.isWriteBehind) ? "BEGIN" : "BEGIN IMMEDIATE")
    }

    /// A commit of nothing costs nothing.
    private func mayStayOpen(_ group: [StoreJob], _ now: ContinuousClock.Instant) -> Bool {
        group.allSatisfy(\.isWriteBehind) && self.deadline.map { now < $0 } ?? true
            && self.tables.connection.hasWritten
    }

    /// Called before the group is answered: a reader may follow at once.
    private func note(isBehind: Bool, since start: ContinuousClock.Instant) {
        guard isBehind != (self.deadline != nil) else { return }
        self.deadline = isBehind ? start + self.maximumDelay : nil
        self.isBehind.withLock { $0 = isBehind }
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
    private func checkTransaction(_ isOpen: Bool) throws(StoreError) {
        guard isOpen, !self.tables.connection.isInTransaction else { return }
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
