internal import Keeping
internal import PostgresLink

/// Brings the tables of a database to the form this program knows: one program at a time, and all steps or none.
final class Schema {
    private let connection: PostgresConnection
    private let database: String
    /// Of the session, as long as it lasts.
    private let settings: String
    private let done: (Result<Void, StoreError>) -> Void

    /// Ours alone, so that a database may hold more than Parley.
    static let name = "parley"
    /// Whoever holds it changes the tables.
    private static let lock = "SELECT pg_advisory_xact_lock(7275741)"
    private static let begin = "BEGIN; SET LOCAL statement_timeout TO 0; SET LOCAL lock_timeout TO 0; \(lock);"

    private init(
        _ connection: PostgresConnection, _ durability: StoreDurability, _ database: String,
        _ done: @escaping (Result<Void, StoreError>) -> Void
    ) {
        self.connection = connection
        self.database = database
        self.settings = Self.settings(durability)
        self.done = done
    }

    static func prepare(
        on connection: PostgresConnection, _ durability: StoreDurability, of database: String,
        _ done: @escaping (Result<Void, StoreError>) -> Void
    ) {
        Schema(connection, durability, database, done).lookUp()
    }

    /// A commit is safe when it is answered, unless less was asked for; what the server is set to beyond that stays.
    private static func settings(_ durability: StoreDurability) -> String {
        "SET client_min_messages TO warning; SET search_path TO \(self.name);"
            + (durability == .normal ? " SET synchronous_commit TO off;" : "")
    }

    private func lookUp() {
        let script =
            "SET client_min_messages TO warning; \(Self.begin) \(PostgresMigrations.versions) COMMIT; \(self.settings)"
        self.run(script) { error in
            if let error { return self.fail(error) }
            self.readVersions()
        }
    }

    private func readVersions() {
        var versions: (shared: Int, own: Int)?
        var failure: PostgresError?
        self.connection.send("SELECT shared, own FROM versions", []) { result in
            switch result {
            case .success(let rows): versions = (Int(rows.integer(0, 0) ?? 0), Int(rows.integer(0, 1) ?? 0))
            case .failure(let error): failure = error
            }
        }
        self.connection.sync { broken in
            if let error = failure ?? broken { return self.fail(error) }
            if let versions { self.bring(from: versions.shared, versions.own) }
        }
    }

    private func bring(from shared: Int, _ own: Int) {
        let known = (shared: PostgresMigrations.all.count, own: PostgresMigrations.own.count)
        guard shared <= known.shared, own <= known.own else {
            let detail = "its form is \(shared).\(own), this program's is \(known.shared).\(known.own)"
            return self.done(.failure(StoreError(.tooNew(version: shared), database: self.database, detail: detail)))
        }
        guard shared < known.shared || own < known.own else { return self.done(.success(())) }
        let steps = PostgresMigrations.all.dropFirst(shared) + PostgresMigrations.own.dropFirst(own)
        let count = "UPDATE versions SET shared = \(known.shared), own = \(known.own)"
        let check = "SELECT 1 / count(*) FROM versions WHERE shared = \(shared) AND own = \(own)"
        let script =
            "SET client_min_messages TO warning; \(Self.begin) \(check); \(steps.joined(separator: ";\n")); \(count); COMMIT;"
        self.run(script) { error in
            guard let error else { return self.done(.success(())) }
            // Somebody else was quicker; then there is nothing left to do.
            if error.isDivisionByZero { return self.again() }
            self.fail(error)
        }
    }

    private func again() {
        self.run("ROLLBACK; \(self.settings)") { error in
            if let error { return self.fail(error) }
            self.readVersions()
        }
    }

    private func run(_ script: String, _ done: @escaping (PostgresError?) -> Void) {
        self.connection.run(PostgresScript(script)) { result in
            if case .failure(let error) = result { done(error) } else { done(nil) }
        }
    }

    private func fail(_ error: PostgresError) {
        self.done(.failure(StoreError(error, database: self.database)))
    }
}
