internal import PostgresLink

/// What is going to be said to the database once the commit before it is through.
struct HeldStatement {
    let sql: String
    let values: [PostgresValue]
    let heard: (Result<PostgresRows, PostgresError>) -> Void
}
