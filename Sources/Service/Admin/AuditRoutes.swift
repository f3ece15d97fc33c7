internal import HTTPServer
internal import JSON
internal import Keeping
internal import Reactor
internal import Vocabulary
internal import Web

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
