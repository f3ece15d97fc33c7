internal import Keeping
internal import SQLTables
internal import System
internal import Vocabulary

/// The store's own threads, and the queues in front of them: one that writes, and one that only reads, so that history
/// waits for no disk.
///
/// What queued up while the last group was written goes to the disk together: many requests, one sync. Users take turns.
/// A request is answered when its group is committed; one that is write-behind is answered before. Answers come on the store's
/// thread; a caller on an event loop has to return to its loop.
final class Database: Sendable {
    typealias Answer<Value> = @Sendable (Result<Value, StoreError>) -> Void

    let file: String
    private let queue: StoreQueue
    private let ended = Gate()
    /// Nil for a database in memory, which nobody else can open.
    private let readers: StoreQueue?
    private let readersEnded = Gate()
    private let counts = Locked(StoreCounts())
    /// Whether something was answered that is not committed. Then a reader has it committed first, and sees what was answered.
    private let isBehind = Locked(false)

    /// - Parameters:
    ///   - limit: how many requests may wait; the next one is answered `overloaded` at once.
    ///   - largestGroup: how many go to the disk together.
    ///   - maximumDelay: after which what is write-behind is committed.
    init(
        path: String, migrations: [Migration], _ settings: StoreSettings = StoreSettings(),
        durability: StoreDurability = .full, limit: Int = 10_000, largestGroup: Int = 512,
        maximumDelay: Duration = .milliseconds(50), metrics: StoreMetrics? = nil
    ) throws(StoreError) {
        self.file = path
        self.queue = StoreQueue(limit: limit, of: path, metrics?.waiting)
        self.readers = path == Connection.memory ? nil : StoreQueue(limit: limit, of: path, metrics?.waiting)
        let connection = try Connection(path: path, durability: durability)
        try connection.demandSound()
        try connection.migrate(migrations)
        let tables = SQLiteTables(connection, settings, cache: ConversationCache())
        let worker = StoreWorker(
            tables, self.queue, self.counts, metrics, largestGroup: largestGroup, maximumDelay: maximumDelay,
            isBehind: self.isBehind)
        try self.start(worker, self.ended)
        guard let readers = self.readers else { return }
        let reading = try Connection(path: path, durability: durability, isForReading: true)
        // What it remembered would be another's by the next time.
        let snapshot = SQLiteTables(reading, settings, cache: nil)
        try self.start(ReadingWorker(snapshot, readers, self.counts), self.readersEnded)
    }

    private func start(_ worker: some StoreThreadWorker, _ ended: Gate) throws(StoreError) {
        guard Thread.start({ worker.run() }, atEnd: ended.open) else {
            throw StoreError(.other(code: 0), database: self.file, detail: "no thread could be started")
        }
    }

    deinit {
        self.queue.close()
        self.readers?.close()
    }

    func send<Value: Sendable>(
        _ access: StoreAccess, from asker: UserID? = nil, _ answer: @escaping Answer<Value>,
        _ work: @escaping @Sendable (SQLiteTables) throws(StoreError) -> Value
    ) {
        let job = StoreJob(access, answer, work)
        guard access.usesReader, let readers else { return self.post(job, from: asker, to: self.queue) }
        guard self.isBehind.withLock({ $0 }) else { return self.post(job, from: asker, to: readers) }
        let whenCommitted: Answer<Void> = { _ in self.post(job, from: asker, to: readers) }
        self.post(StoreJob(.reads, whenCommitted, { _ in }), from: asker, to: self.queue)
    }

    private func post(_ job: StoreJob, from asker: UserID?, to queue: StoreQueue) {
        do throws(Mailbox<StoreQueue.Entry>.Refusal) {
            try queue.post(job, from: asker)
        } catch {
            let reason: StoreError.Reason = error == .full ? .overloaded : .closed
            job.refuse(StoreError(reason, database: self.file, detail: ""))
        }
    }

    /// Waits until all that was asked before is done and the file is closed. Never call it from a loop.
    func close() {
        self.queue.close()
        self.ended.wait()
        guard let readers = self.readers else { return }
        readers.close()
        self.readersEnded.wait()
    }

    var statistics: StoreCounts { self.counts.withLock { $0 } }
}

/// What the store has done so far.
package struct StoreCounts: Hashable, Sendable {
    package var requests = 0
    /// How often something went to the disk.
    package var commits = 0
}
