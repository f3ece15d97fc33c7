internal import CSQLite
internal import Keeping
internal import SQLTables

/// One open database, used by one thread. It closes itself when its owner lets go.
///
/// Every commit is on the disk when it returns (unless `StoreDurability` says otherwise), readers never wait for writers (WAL), and only
/// the user the program runs as may look into the file.
@safe final class Connection {
    private let handle: OpaquePointer
    private let cache: StatementCache
    let file: String

    /// A place that is gone when the connection is; for tests.
    static let memory = ":memory:"

    init(
        path: String, durability: StoreDurability = .full, isForReading: Bool = false
    ) throws(StoreError) {
        if path != Self.memory { try PrivateFile.make(path) }
        unsafe self.handle = try unsafe Self.open(path, durability, isForReading ? "PRAGMA query_only = ON;" : "")
        self.cache = StatementCache()
        self.file = path
    }

    private static func open(_ path: String, _ durability: StoreDurability, _ more: String) throws(StoreError)
        -> OpaquePointer
    {
        self.prepareLibrary
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var code = unsafe sqlite3_open_v2(path, &handle, flags, nil)
        if code == SQLITE_OK { code = unsafe sqlite3_busy_timeout(handle, 5000) }
        let settings = "\(self.settings) PRAGMA synchronous = \(durability.rawValue); \(more)"
        if code == SQLITE_OK { code = unsafe sqlite3_exec(handle, settings, nil, nil, nil) }
        guard code == SQLITE_OK, let opened = unsafe handle else {
            defer { unsafe sqlite3_close_v2(handle) }  // SQLite hands out a handle even on failure.
            throw unsafe StoreError(code, of: handle, file: path)
        }
        return unsafe opened
    }

    deinit {
        self.cache.removeAll()
        unsafe sqlite3_close_v2(self.handle)
    }

    /// Once for the process, before its first database; later it is refused and changes nothing.
    private static let prepareLibrary: Void = { _ = parley_sqlite_do_not_count_memory() }()

    private static let settings = """
        PRAGMA journal_mode = WAL;
        PRAGMA foreign_keys = ON;
        PRAGMA trusted_schema = OFF;
        PRAGMA temp_store = MEMORY;
        \(FTS5Table.makeVocabulary)
        """
}

// MARK: - Asking

extension Connection: SQLConnection {
    private func prepare(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Statement {
        let prepared = try self.prepared(sql)
        return try unsafe Statement(prepared, values, on: self.handle, file: self.file)
    }

    func query(
        _ sql: String, _ values: [SQLValue], _ show: (any SQLRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let statement = try self.prepare(sql, values)
        while try statement.step(), try show(statement.prepared) {}
    }

    func run(_ sql: String, _ values: [SQLValue]) throws(StoreError) {
        let statement = try self.prepare(sql, values)
        while try statement.step() {}
    }

    func changesOne(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Bool {
        try self.run(sql, values)
        return unsafe sqlite3_changes(self.handle) == 1
    }

    /// Several statements in one text, without values.
    func execute(_ script: String) throws(StoreError) {
        let code = unsafe sqlite3_exec(self.handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw unsafe StoreError(code, of: self.handle, file: self.file) }
    }

    /// Reads the whole file, if that takes no longer than a second or two, and throws when it is damaged. Of larger ones
    /// `parley check` finds that out.
    func demandSound() throws(StoreError) {
        let pages = try self.number("PRAGMA page_count") ?? 0
        guard pages * (try self.number("PRAGMA page_size") ?? 0) <= Self.maximumChecked else { return }
        let damage = try self.first("PRAGMA quick_check(1)") { $0.text(0) ?? "" }
        if let damage, damage != "ok" {
            let line = damage.split(whereSeparator: \.isNewline).last.map { String($0) } ?? damage
            throw StoreError(.damaged, database: self.file, detail: line)
        }
    }

    private static let maximumChecked: Int64 = 512 << 20

    /// False again when SQLite gave up a transaction by itself, as it does when the disk is full.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(self.handle) == 0 }

    /// Whether the transaction that is open has changed something.
    var hasWritten: Bool { unsafe sqlite3_txn_state(self.handle, nil) == SQLITE_TXN_WRITE }

    private func prepared(_ sql: String) throws(StoreError) -> PreparedStatement {
        if let known = self.cache[sql] { return known }
        let prepared = try unsafe PreparedStatement(sql, on: self.handle, file: self.file)
        self.cache.insert(prepared, as: sql)
        return prepared
    }
}

/// Statements by their text. There are as many as our own code writes down, so none is ever dropped.
///
/// A text is found by its length instead of a hash of all its bytes: it is nearly always the very string that was inserted,
/// and strings with the same storage are equal without being read.
private final class StatementCache {
    private typealias Known = (sql: String, statement: PreparedStatement)

    private var buckets = [[Known]](repeating: [], count: StatementCache.bucketCount)
    private static let bucketCount = 256

    subscript(sql: String) -> PreparedStatement? {
        for known in self.buckets[self.bucket(of: sql)] where known.sql == sql { return known.statement }
        return nil
    }

    func insert(_ statement: PreparedStatement, as sql: String) {
        self.buckets[self.bucket(of: sql)].append((sql, statement))
    }

    func removeAll() { self.buckets = [[Known]](repeating: [], count: Self.bucketCount) }

    private func bucket(of sql: String) -> Int { sql.utf8.count % Self.bucketCount }
}
