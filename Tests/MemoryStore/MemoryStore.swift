package import Keeping
import System

/// A store over dictionaries: what every engine has to be, as simply as it can be thought of. For tests.
package final class MemoryStore: Store {
    private let queue: Mailbox<Job>
    private let ended = Gate()

    fileprivate typealias Job = @Sendable (Worker) -> Void

    /// What outlives the store that works with it, as a file does.
    package final class Disk: Sendable {
        fileprivate let rows = Locked(MemoryRows())

        package init() {}
    }

    /// - Parameter isDistant: whether rows have to be fetched first, so that each request is performed again and again
    ///   until all it reads is there, as by an engine that asks a server for them.
    package init(on disk: Disk = Disk(), _ settings: StoreSettings = StoreSettings(), isDistant: Bool = false) {
        let queue = Mailbox<Job>(limit: 10_000)
        self.queue = queue
        _ = Thread.start(
            {
                let worker = Worker(MemoryTables(disk.rows.withLock { $0 }, settings), isDistant: isDistant)
                while let jobs = queue.takeAll() { for job in jobs { job(worker) } }
                let rows = worker.tables.rows
                disk.rows.withLock { $0 = rows }
            }, atEnd: self.ended.open)
    }

    deinit { self.queue.close() }

    package func send<Request: StoreRequest>(
        _ request: Request, _ answer: @escaping @Sendable (Result<Request.Answer, StoreError>) -> Void
    ) {
        do throws(Mailbox<Job>.Refusal) {
            try self.queue.post { worker in answer(worker.perform(request)) }
        } catch {
            answer(.failure(StoreError(error == .full ? .overloaded : .closed, database: "memory", detail: "")))
        }
    }

    package func close() {
        self.queue.close()
        self.ended.wait()
    }
}

/// Performs requests one by one, on the store's thread.
private final class Worker {
    let tables: MemoryTables
    private let isDistant: Bool

    init(_ tables: MemoryTables, isDistant: Bool) {
        self.tables = tables
        self.isDistant = isDistant
    }

    func perform<Request: StoreRequest>(_ request: Request) -> Result<Request.Answer, StoreError> {
        let before = self.tables.rows
        var fetched = self.isDistant ? 0 : Int.max
        while true {
            self.tables.begin(fetched: fetched)
            do throws(StoreError) {
                return .success(try request.perform(on: self.tables))
            } catch {
                // What it wrote so far has not happened.
                self.tables.rows = before
                guard error == MemoryTables.notFetched else { return .failure(error) }
                fetched = max(1, fetched * 2)
            }
        }
    }
}
