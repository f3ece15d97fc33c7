internal import HTTPServer
internal import Hashing
internal import JSON
internal import Keeping
internal import Reactor
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
    /// Waits without keeping a thread.
    func answer<Request: StoreRequest>(to request: Request) async -> Result<Request.Answer, StoreError> {
        await withCheckedContinuation { continuation in
            self.send(request) { continuation.resume(returning: $0) }
        }
    }
}

// MARK: - Reading it

/// What was done, and by whom: `/v1/audit`.
extension AdminRoutes {
    private static let usualLimit = 100

    func addAudit(to router: inout Router) {
        self.on(.get, "/v1/audit", of: &router) { exchange, _ in
            guard let request = Self.listing(exchange.request) else {
                return exchange.respond(
                    .error(.badRequest, "'after' must be a whole number, and 'limit' one from 1 to 1000"))
            }
            self.signalling.store.send(
                request,
                exchange.reactor.returning { result in
                    Self.answer(exchange, result) { json, records in
                        json.object { $0.array("records", of: records) { $0.record($1) } }
                    }
                })
        }
    }

    private static func listing(_ request: HTTPRequestHead) -> ListAudit? {
        guard let query = QueryItems(request.query ?? ""), let limit = Int(query["limit"] ?? "\(self.usualLimit)"),
            (1...ListAudit.maximumLimit).contains(limit)
        else { return nil }
        guard let text = query["after"] else { return ListAudit(after: nil, limit: limit) }
        guard let after = Int64(text), after >= 0 else { return nil }
        return ListAudit(after: after, limit: limit)
    }
}

extension JSONWriter {
    fileprivate mutating func record(_ record: AuditRecord) {
        self.object { json in
            json.field("number", record.number)
            json.field("time", record.time.milliseconds)
            json.members([
                ("actor", record.actor.name), ("address", record.actor.address), ("token", record.actor.token),
                ("action", record.action), ("target", record.target), ("detail", record.detail),
                ("outcome", record.outcome.rawValue),
            ])
        }
    }
}
