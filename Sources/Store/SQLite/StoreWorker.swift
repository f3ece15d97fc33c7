internal import System

/// Lives on a thread of the store's until its queue is closed.
protocol StoreThreadWorker: Sendable {
    func run()
}

/// Carries out what waits, group by group.
final class StoreWorker: StoreThreadWorker, @unchecked Sendable {
    // Unchecked because the connection goes to the store's thread with the worker and is touched by no other.
    private let connection: Connection
    private let queue: Mailbox<StoreErrand>
    private let counts: Locked<StoreCounts>

    /// So that the first of a long queue need not wait for the last.
    private let largestGroup: Int

    init(
        _ connection: consuming Connection, _ queue: Mailbox<StoreErrand>, _ counts: Locked<StoreCounts>,
        largestGroup: Int
    ) {
        self.connection = connection
        self.queue = queue
        self.counts = counts
        self.largestGroup = largestGroup
    }

    func run() {
        while let waiting = self.queue.takeAll() {
            var rest = waiting[...]
            while !rest.isEmpty {
                self.carryOut(rest.prefix(self.largestGroup))
                rest = rest.dropFirst(self.largestGroup)
            }
        }
    }

    private func carryOut(_ group: ArraySlice<StoreErrand>) {
        let writes = group.contains(where: \.writes)
        var settlements: [StoreErrand.Settlement] = []
        var failure: StoreError?
        do throws(StoreError) {
            if writes { try self.connection.run("BEGIN IMMEDIATE") }
            for errand in group {
                let (settlement, failure) = errand.perform(self.connection)
                settlements.append(settlement)
                if let failure { throw failure }
                try self.checkTransaction(writes)
            }
            if writes { try self.connection.run("COMMIT") }
        } catch {
            failure = self.giveUp(error)
        }
        self.count(group.count, writes && failure == nil)
        self.settle(group, settlements, failure)
    }

    /// When SQLite gave up the group by itself, what follows must not be written alone.
    private func checkTransaction(_ writes: Bool) throws(StoreError) {
        guard writes, !self.connection.isInTransaction else { return }
        throw StoreError(.inputOutput, file: self.connection.file, detail: "the transaction was given up")
    }

    private func giveUp(_ error: StoreError) -> StoreError {
        self.connection.memory.forget()
        guard self.connection.isInTransaction else { return error }
        do throws(StoreError) {
            try self.connection.run("ROLLBACK")
            return error
        } catch let second {
            return second
        }
    }

    /// Those that were not carried out any more hear of the failure as well.
    private func settle(
        _ group: ArraySlice<StoreErrand>, _ settlements: [StoreErrand.Settlement], _ failure: StoreError?
    ) {
        for settlement in settlements { settlement(failure) }
        guard let failure else { return }
        for errand in group.dropFirst(settlements.count) { errand.refuse(failure) }
    }

    private func count(_ requests: Int, _ hasCommitted: Bool) {
        self.counts.withLock { counts in
            counts.requests += requests
            counts.commits += hasCommitted ? 1 : 0
        }
    }
}
