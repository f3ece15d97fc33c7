package import Keeping
internal import SQLTables

/// The store of a single machine: one SQLite file in the data directory, which nobody else writes.
package final class SQLiteStore: Store {
    let database: Database

    /// - Parameter path: `:memory:` for one that is gone with the process.
    package init(
        path: String, _ settings: StoreSettings = StoreSettings(), durability: StoreDurability = .full,
        largestGroup: Int = 512, metrics: StoreMetrics? = nil
    ) throws(StoreError) {
        self.database = try Database(
            path: path, migrations: Migration.all, settings, durability: durability, largestGroup: largestGroup,
            metrics: metrics)
    }

    // What there is most of, without the cost of being generic.
    @_specialize(where Request == ChangeRequest)
    @_specialize(where Request == MarkRequest)
    package func send<Request: StoreRequest>(
        _ request: Request, _ answer: @escaping @Sendable (Result<Request.Answer, StoreError>) -> Void
    ) {
        self.database.send(Request.access, from: request.asker, answer) { tables throws(StoreError) in
            try request.perform(on: tables.rows)
        }
    }

    package func close() { self.database.close() }

    package var statistics: StoreCounts { self.database.statistics }
}
