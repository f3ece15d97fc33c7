internal import Keeping
internal import SQLTables
internal import Vocabulary

/// A request on its way through an engine that has to fetch rows: carried out as often as it needs to be, answered once.
struct StoreTask: Sendable {
    enum Attempt {
        /// Done; calling it tells whoever asked.
        case performed(() -> Void)
        case failed(StoreError)
    }

    let access: StoreAccess
    let asker: UserID?
    let perform: @Sendable (SQLTables) -> Attempt
    let refuse: @Sendable (StoreError) -> Void

    init<Request: StoreRequest>(
        _ request: Request, _ answer: @escaping @Sendable (Result<Request.Answer, StoreError>) -> Void
    ) {
        self.access = Request.access
        self.asker = request.asker
        self.refuse = { error in answer(.failure(error)) }
        self.perform = { tables in
            do throws(StoreError) {
                let value = try request.perform(on: tables)
                return .performed { answer(.success(value)) }
            } catch {
                return .failed(error)
            }
        }
    }
}
