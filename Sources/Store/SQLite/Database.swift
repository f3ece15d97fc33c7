internal import Locking

/// The store's own thread, and the queue in front of it.
///
/// Everything that queued up while the last group was written goes to the disk together: many requests, one sync.
/// A request is answered when its group is safe. Answers come on the store's thread; whoever asks from a loop hops
/// back to it.
package final class Database: Sendable {
    package typealias Answer<Value> = @Sendable (Result<Value, StoreError>) -> Void

    package let file: String
    private let queue: Mailbox<StoreErrand>
    private let ended = Gate()
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
        let connection = try Connection(path: path, durability: durability)
        try connection.migrate(migrations)
        let worker = StoreWorker(connection, self.queue, self.counts, largestGroup: largestGroup)
        guard OwnThread.start({ worker.run() }, atEnd: self.ended.open) else {
            throw StoreError(.other(code: 0), file: path, detail: "no thread could be started")
        }
    }

    deinit {
        self.queue.close()
    }

    package func send<Request: StoreRequest>(_ request: Request, _ answer: @escaping Answer<Request.Answer>) {
        do throws(Mailbox<StoreErrand>.Refusal) {
            try self.queue.post(StoreErrand(request, answer))
        } catch {
            let reason: StoreError.Reason = error == .full ? .overloaded : .closed
            answer(.failure(StoreError(reason, file: self.file, detail: "")))
        }
    }

    /// Waits until all that was asked before is done and the file is closed. Never call it from a loop.
    package func close() {
        self.queue.close()
        self.ended.wait()
    }

    package var statistics: StoreCounts { self.counts.withLock { $0 } }
}

/// What the store has done so far.
package struct StoreCounts: Hashable, Sendable {
    package var requests = 0
    /// How often something went to the disk.
    package var commits = 0
}
