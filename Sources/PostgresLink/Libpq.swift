internal import CPostgres

/// The functions of libpq, loaded when a PostgreSQL is first wanted.
final class Libpq: Sendable {
    let functions: parley_libpq

    /// Nil where it is not installed.
    static let shared = Libpq()

    private init?() {
        var functions = parley_libpq()
        guard unsafe parley_libpq_open(&functions) == 1 else { return nil }
        self.functions = functions
    }
}

extension PostgresError {
    static let noLibrary = PostgresError(
        .noLibrary, "libpq.so.5 is not installed here (Debian's package libpq5)")
}
