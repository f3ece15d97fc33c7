internal import Keeping
internal import SQLTables

/// A request on its way: carried out first, answered when its group is safe.
struct StoreJob: Sendable {
    /// Tells whoever asked how it went; when the group failed, what was done well is lost as well.
    typealias Completion = (StoreError?) -> Void

    let writes: Bool
    /// Answered before it is safe.
    let isWriteBehind: Bool
    /// The second value is a failure that takes the whole group along.
    let perform: @Sendable (SQLiteTables) -> (Completion, StoreError?)
    /// Answers without having been carried out.
    let refuse: @Sendable (StoreError) -> Void

    init<Value: Sendable>(
        _ access: StoreAccess, _ answer: @escaping Database.Answer<Value>,
        _ work: @escaping @Sendable (SQLiteTables) throws(StoreError) -> Value
    ) {
        self.writes = access.writes
        self.isWriteBehind = access == .writesBehind
        self.refuse = { error in answer(.failure(error)) }
        self.perform = { tables in
            let result = Self.result(of: work, access, on: tables)
            let completion: Completion = { failure in
                // Its own failure says more than that of the group, which it may have caused.
                guard let failure, case .success = result else { return answer(result) }
                answer(.failure(failure))
            }
            guard case .failure(let error) = result, access.writes, !access.rollsBackAlone else {
                return (completion, nil)
            }
            return (completion, error)
        }
    }

    private static func result<Value>(
        of work: (SQLiteTables) throws(StoreError) -> Value, _ access: StoreAccess, on tables: SQLiteTables
    ) -> Result<Value, StoreError> {
        do throws(StoreError) {
            guard access.rollsBackAlone else { return .success(try work(tables)) }
            try tables.connection.run("SAVEPOINT request")
            let answer = try work(tables)
            try tables.connection.run("RELEASE request")
            return .success(answer)
        } catch {
            return .failure(self.rollBack(error, access, on: tables))
        }
    }

    private static func rollBack(_ error: StoreError, _ access: StoreAccess, on tables: SQLiteTables) -> StoreError {
        tables.rows.cache?.forget()
        guard access.rollsBackAlone, tables.connection.isInTransaction else { return error }
        do throws(StoreError) {
            try tables.connection.run("ROLLBACK TO request")
            try tables.connection.run("RELEASE request")
            return error
        } catch let second {
            return second
        }
    }
}
