internal import System

/// The store's own threads, and the queues in front of them: one that writes, and one that only looks, so that who reads
/// the past waits for no disk.
///
/// Everything that queued up while the last group was written goes to the disk together: many requests, one sync.
/// A request is answered when its group is safe. Answers come on the store's thread; whoever asks from a loop hops
/// back to it.
package final class Database: Sendable {
    package typealias Answer<Value> = @Sendable (Result<Value, StoreError>) -> Void

    package let file: String
    private let queue: Mailbox<StoreErrand>
    private let ended = Gate()
    /// Nil for a database in memory, which nobody else can open.
    private let readers: Mailbox<StoreErrand>?
    private let readersEnded = Gate()
    private let counts = Locked(StoreCounts())

    /// - Parameters:
    ///   - limit: how many requests may wait; the next one is answered `overloaded` at once.
    ///   - largestGroup: how many go to the disk together.
    package init(
        path: String, migrations: [Migration], durability: StoreDurability = .full, limit: Int = 10_000,
        largestGroup: Int = 512
    ) throws(StoreError) {
        self.file = path
        self.queue = Mailbox(limit: limit)
        self.readers = path == Connection.memory ? nil : Mailbox(limit: limit)
        let connection = try Connection(path: path, durability: durability)
        try connection.migrate(migrations)
        try self.start(StoreWorker(connection, self.queue, self.counts, largestGroup: largestGroup), self.ended)
        guard let readers = self.readers else { return }
        let looking = try Connection(path: path, durability: durability, isForReading: true)
        try self.start(ReadingWorker(looking, readers, self.counts), self.readersEnded)
    }

    private func start(_ worker: some StoreThreadWorker, _ ended: Gate) throws(StoreError) {
        guard Thread.start({ worker.run() }, atEnd: ended.open) else {
            throw StoreError(.other(code: 0), file: self.file, detail: "no thread could be started")
        }
    }

    deinit {
        self.queue.close()
        self.readers?.close()
    }

    package func send<Request: StoreRequest>(_ request: Request, _ answer: @escaping Answer<Request.Answer>) {
        do throws(Mailbox<StoreErrand>.Refusal) {
            let readers = Request.looksAside ? self.readers : nil
            try (readers ?? self.queue).post(StoreErrand(request, answer))
        } catch {
            let reason: StoreError.Reason = error == .full ? .overloaded : .closed
            answer(.failure(StoreError(reason, file: self.file, detail: "")))
        }
    }

    /// Waits until all that was asked before is done and the file is closed. Never call it from a loop.
    package func close() {
        self.queue.close()
        self.ended.wait()
        guard let readers = self.readers else { return }
        readers.close()
        self.readersEnded.wait()
    }

    package var statistics: StoreCounts { self.counts.withLock { $0 } }
}

/// What the store has done so far.
package struct StoreCounts: Hashable, Sendable {
    package var requests = 0
    /// How often something went to the disk.
    package var commits = 0
}
