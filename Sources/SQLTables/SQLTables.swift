package import Keeping

/// The rows of a store in a database that speaks SQL: which statements bring and change them, said once for all engines.
/// How they are carried out, and how words are searched for, is the engine's.
package final class SQLTables: Tables {
    let connection: any SQLConnection
    let words: any SearchTable
    package let settings: StoreSettings
    package let cache: ConversationCache?

    package init(
        _ connection: any SQLConnection, words: any SearchTable, _ settings: StoreSettings, cache: ConversationCache?
    ) {
        self.connection = connection
        self.words = words
        self.settings = settings
        self.cache = cache
    }

    package func transactionSnapshot() throws(StoreError) -> TransactionSnapshot {
        guard let query = self.connection.snapshotQuery else { return .alone }
        return try self.connection.first(query) { row in
            TransactionSnapshot(oldestOpen: UInt64(clamping: row.integer(0)), next: UInt64(clamping: row.integer(1)))
        } ?? .alone
    }
}
