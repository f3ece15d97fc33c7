internal import HTTPServer
internal import Hashing
internal import JSON
internal import Keeping
internal import Reactor
internal import System
internal import Vocabulary
internal import Web

/// What became of an operator's action.
enum AdminOutcome: Sendable {
    /// The answer is a JSON object.
    case done([UInt8] = Array("{}".utf8))
    case refused(HTTPStatus, String)
    /// The store did not take it.
    case failed

    init(done isDone: Bool) { self = isDone ? .done() : .failed }

    fileprivate var audited: AuditRecord.Outcome {
        switch self {
        case .done: .done
        case .refused: .refused
        case .failed: .failed
        }
    }

    var response: HTTPResponse {
        switch self {
        case .done(let json): .json(.ok, json)
        case .refused(let status, let words): .error(status, words)
        case .failed: AdminRoutes.databaseError
        }
    }
}

// MARK: - Writing it down

extension AdminRoutes {
    static let databaseError = HTTPResponse.error(.serviceUnavailable, "database error; try again")

    /// Does something and writes it down: that it begins before it does, and how it went. What cannot be written down is
    /// not done.
    func carryOut(
        _ exchange: HTTPExchange, _ action: String, on target: String? = nil, _ detail: String? = nil,
        _ work: @escaping @Sendable () async -> AdminOutcome
    ) {
        let actor = AuditRecord.Actor(
            name: "operator", address: exchange.peer.description, token: self.gate.tokenName)
        let begin = BeginAudit(by: actor, action, on: target, detail, at: SystemClock.now())
        let store = self.signalling.store
        exchange.reactor.perform(
            {
                guard case .success(let number) = await store.answer(to: begin) else { return .failed }
                let outcome = await work()
                _ = await store.answer(to: EndAudit(number, outcome.audited))
                return outcome
            },
            completion: { (outcome: AdminOutcome) in exchange.respond(outcome.response) })
    }

    /// The store's answer, as JSON.
    static func answer<Value>(
        _ exchange: HTTPExchange, _ result: Result<Value, StoreError>, _ write: (inout JSONWriter, Value) -> Void
    ) {
        guard case .success(let value) = result else { return exchange.respond(Self.databaseError) }
        exchange.respond(.json(.ok, JSONWriter.bytes { write(&$0, value) }))
    }
}

extension Store {
    /// Keeps the thread: only while the service starts.
    func waitForAnswer<Request: StoreRequest>(to request: Request) throws(StoreError) -> Request.Answer {
        let answered = Gate()
        let answer = Locked<Result<Request.Answer, StoreError>?>(nil)
        self.send(request) { result in
            answer.withLock { $0 = result }
            answered.open()
        }
        answered.wait()
        guard let result = answer.withLock(\.self) else {
            throw StoreError(.other(code: 0), database: "the store", detail: "no answer")
        }
        return try result.get()
    }

    /// Waits without keeping a thread.
    func answer<Request: StoreRequest>(to request: Request) async -> Result<Request.Answer, StoreError> {
        await withCheckedContinuation { continuation in
            self.send(request) { continuation.resume(returning: $0) }
        }
    }
}
