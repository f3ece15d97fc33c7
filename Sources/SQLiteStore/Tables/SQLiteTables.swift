internal import Keeping

/// The rows of a store in one SQLite file: SQL and its dialect, and nothing else. Used by one thread.
final class SQLiteTables: Tables {
    let connection: Connection
    let settings: StoreSettings
    let cache: ConversationCache?

    init(_ connection: consuming Connection, _ settings: StoreSettings, cache: ConversationCache?) {
        self.connection = connection
        self.settings = settings
        self.cache = cache
    }
}
