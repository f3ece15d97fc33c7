import Keeping
import MemoryStore
import PostgresLink
import PostgresStore
import SQLiteStore
import TestSupport
import Vocabulary

/// Everything that says of itself that it is a store. A new engine is a case here.
enum Engine: String, CaseIterable {
    case sqliteFile, sqliteMemory
    /// Without anything that is remembered beside the rows.
    case memory
    /// Each request is performed again and again until every row it reads was fetched.
    case distantMemory
    case postgres
}

/// A store of one engine, empty at first, that is gone with the test.
final class TestStore: Store {
    private let store: any Store
    // Let go of last, when nobody writes into it any more.
    nonisolated(unsafe) private let folder: TemporaryFolder?

    init(_ engine: Engine, _ settings: StoreSettings = StoreSettings()) throws {
        switch engine {
        case .sqliteFile:
            let folder = try TemporaryFolder()
            for name in ["store.db-wal", "store.db-shm"] { _ = folder.place(name) }
            self.store = try SQLiteStore(path: folder.place("store.db"), settings)
            self.folder = folder
        case .sqliteMemory:
            self.store = try SQLiteStore(path: ":memory:", settings)
            self.folder = nil
        case .postgres:
            self.store = try PostgresStore(PostgresAddress(PostgresServer.shared().freshDatabase()), settings)
            self.folder = nil
        case .memory, .distantMemory:
            self.store = MemoryStore(settings, isDistant: engine == .distantMemory)
            self.folder = nil
        }
    }

    deinit { self.store.close() }

    func send<Request: StoreRequest>(
        _ request: Request, _ answer: @escaping @Sendable (Result<Request.Answer, StoreError>) -> Void
    ) {
        self.store.send(request, answer)
    }

    func close() { self.store.close() }
}

extension UserID {
    static let alice = UserID("alice") ?? { preconditionFailure("no user id") }()
    static let bob = UserID("bob") ?? { preconditionFailure("no user id") }()
}
