/// A request on its way: carried out first, answered when its group is safe.
struct StoreErrand: Sendable {
    /// Tells whoever asked how it went; when the group failed, what was done well is lost as well.
    typealias Settlement = (StoreError?) -> Void

    let writes: Bool
    /// The second value is a failure that takes the whole group along.
    let perform: @Sendable (borrowing Connection) -> (Settlement, StoreError?)
    /// Answers without having been carried out.
    let refuse: @Sendable (StoreError) -> Void

    init<Request: StoreRequest>(_ request: Request, _ answer: @escaping Database.Answer<Request.Answer>) {
        self.writes = Request.writes
        self.refuse = { error in answer(.failure(error)) }
        self.perform = { connection in
            let result = Self.result(of: request, on: connection)
            let settlement: Settlement = { failure in
                // Its own failure says more than that of the group, which it may have caused.
                guard let failure, case .success = result else { return answer(result) }
                answer(.failure(failure))
            }
            guard case .failure(let error) = result, Request.writes, !Request.failsAlone else {
                return (settlement, nil)
            }
            return (settlement, error)
        }
    }

    private static func result<Request: StoreRequest>(
        of request: Request, on connection: borrowing Connection
    ) -> Result<Request.Answer, StoreError> {
        do throws(StoreError) {
            guard Request.writes, Request.failsAlone else { return .success(try request.perform(on: connection)) }
            try connection.run("SAVEPOINT request")
            let answer = try request.perform(on: connection)
            try connection.run("RELEASE request")
            return .success(answer)
        } catch {
            return .failure(self.takeBack(error, writes: Request.writes && Request.failsAlone, on: connection))
        }
    }

    private static func takeBack(_ error: StoreError, writes: Bool, on connection: borrowing Connection) -> StoreError {
        connection.memory.forget()
        guard writes, connection.isInTransaction else { return error }
        do throws(StoreError) {
            try connection.run("ROLLBACK TO request")
            try connection.run("RELEASE request")
            return error
        } catch let second {
            return second
        }
    }
}
