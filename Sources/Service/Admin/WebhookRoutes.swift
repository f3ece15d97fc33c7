internal import HTTPServer
internal import JSON
internal import Keeping
internal import Reactor
internal import Vocabulary
internal import Web

/// What another program has not taken yet, and how to have it delivered again: `/v1/webhooks`.
extension AdminRoutes {
    private static let maximumListed = 200

    func addWebhooks(to router: inout Router) {
        self.on(.get, "/v1/webhooks", of: &router) { exchange, _ in
            self.signalling.store.send(
                ViewOutbox(limit: Self.maximumListed),
                exchange.reactor.returning { result in
                    Self.answer(exchange, result) { $0.outbox($1) }
                })
        }
        self.on(.post, "/v1/webhooks/replay", of: &router) { exchange, _ in
            guard let request = Self.request(exchange.request) else {
                return exchange.respond(
                    .error(.badRequest, "field 'conversation' must be a conversation id, and 'after' a whole number"))
            }
            let signalling = self.signalling
            let conversation = QueryItems(exchange.request.query ?? "")?["conversation"]
            self.carryOut(exchange, "webhooks.replay", on: conversation) {
                guard case .success(let count) = await signalling.store.answer(to: request) else { return .failed }
                signalling.wakeWebhooks()
                return .done(JSONWriter.object { $0.field("deliveries", count) })
            }
        }
    }

    private static func request(_ request: HTTPRequestHead) -> ReplayRequest? {
        guard let query = QueryItems(request.query ?? "") else { return nil }
        guard let text = query["conversation"] else { return .givenUp }
        guard let id = ConversationID(text), let after = UInt64(query["after"] ?? "0") else { return nil }
        return .conversation(id, after: after)
    }
}

extension JSONWriter {
    fileprivate mutating func outbox(_ view: OutboxView) {
        self.object { json in
            json.field("waiting", view.waiting)
            json.field("givenUp", view.givenUp)
            json.array("troubled", of: view.rows) { $0.row($1) }
        }
    }

    private mutating func row(_ row: OutboxView.Row) {
        self.fields(("conversation", row.conversation?.text ?? ""), ("trouble", row.trouble ?? "")) { json in
            json.field("delivery", row.number)
            json.field("number", row.entry)
            json.field("attempts", row.attempts)
            json.field("state", row.isGivenUp ? "given up" : "waits")
        }
    }
}
