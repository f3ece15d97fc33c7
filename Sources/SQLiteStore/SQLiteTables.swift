internal import Keeping
internal import SQLTables

/// What a thread of the store works with: its connection, and the rows behind it.
final class SQLiteTables {
    let connection: Connection
    let rows: SQLTables

    init(_ connection: Connection, _ settings: StoreSettings, cache: ConversationCache?) {
        self.connection = connection
        self.rows = SQLTables(connection, words: FTS5Table(connection), settings, cache: cache)
    }
}
