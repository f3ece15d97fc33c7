internal import Journal
package import Keeping
package import PostgresLink
internal import Reactor
internal import System
internal import Vocabulary

/// A store in a PostgreSQL database, which other programs and other servers of ours may write as well.
///
/// It has a loop of its own, on which every request is carried out: those that write on one connection, group by group;
/// those that only read on others beside it. No thread waits for the database but the one that opens or closes it.
package final class PostgresStore: Store {
    private let loop: EventLoop
    private let desk: LoopBound<StoreDesk>
    private let address: PostgresAddress
    private let isClosed = Locked(false)

    /// Comes back when the tables have the form this program knows. Never call it from a loop.
    ///
    /// - Parameters:
    ///   - largestGroup: how many requests are committed together.
    ///   - heard: told how it stands with the database, on the store's loop.
    package init(
        _ address: PostgresAddress, _ settings: StoreSettings = StoreSettings(),
        durability: StoreDurability = .full, largestGroup: Int = 512, metrics: StoreMetrics? = nil,
        heard: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws(StoreError) {
        self.address = address
        do throws(ReactorError) {
            self.loop = try EventLoop()
        } catch {
            throw StoreError(.other(code: 0), database: "\(address)", detail: "\(error)")
        }
        self.desk = LoopBound()
        let opened = Locked<StoreError?>(nil)
        let gate = Gate()
        self.loop.execute { [desk] reactor in
            desk.value = StoreDesk(
                address, settings, durability, metrics, largestGroup: largestGroup, on: reactor, heard: heard
            ) { error in
                opened.withLock { $0 = error }
                gate.open()
            }
        }
        gate.wait()
        if let error = opened.withLock({ $0 }) {
            self.close()
            throw error
        }
    }

    package func send<Request: StoreRequest>(
        _ request: Request, _ answer: @escaping @Sendable (Result<Request.Answer, StoreError>) -> Void
    ) {
        guard !self.isClosed.withLock({ $0 }) else {
            return answer(.failure(StoreError(.closed, database: "\(self.address)", detail: "")))
        }
        let task = StoreTask(request, answer)
        let desk = self.desk
        self.loop.execute { _ in desk.value?.post(task) }
    }

    package func close() {
        let wasClosed = self.isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        guard !wasClosed else { return }
        let gate = Gate()
        let desk = self.desk
        self.loop.execute { reactor in
            guard let open = desk.value else { return gate.open() }
            open.close {
                desk.value = nil
                reactor.shutDown()
                gate.open()
            }
        }
        gate.wait()
        self.loop.join()
    }
}
