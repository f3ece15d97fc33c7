internal import HTTPServer
internal import JSON
internal import Reactor
internal import Store
internal import Switchboard
internal import Vocabulary
internal import Web

/// What another program has not taken yet, and how to have it delivered again: `/v1/webhooks` on the admin listener.
extension AdminRoutes {
    private static let longestList = 200

    func addWebhooks(to router: inout Router) {
        self.on(.get, "/v1/webhooks", &router) { exchange, _ in
            self.signalling.outbox.outbox(
                limit: Self.longestList,
                exchange.reactor.returning { result in
                    Self.answer(exchange, result) { $0.outbox($1) }
                })
        }
        self.on(.post, "/v1/webhooks/replay", &router) { exchange, _ in
            guard let request = Self.request(exchange.request) else {
                return exchange.respond(.error(.badRequest, "'conversation' or 'after' is not what it should be"))
            }
            self.signalling.outbox.replay(
                request,
                exchange.reactor.returning { result in
                    self.signalling.wakeWebhooks()
                    Self.answer(exchange, result) { json, count in
                        json.object { json in
                            json.key("deliveries")
                            json.integer(count)
                        }
                    }
                })
        }
    }

    private static func request(_ request: HTTPRequestHead) -> ReplayRequest? {
        guard let query = QueryItems(request.query ?? "") else { return nil }
        guard let text = query["conversation"] else { return .givenUp }
        guard let id = ConversationID(text), let after = UInt64(query["after"] ?? "0") else { return nil }
        return .conversation(id, after: after)
    }

    private static func answer<Value>(
        _ exchange: HTTPExchange, _ result: Result<Value, StoreError>, _ write: (inout JSONWriter, Value) -> Void
    ) {
        guard case .success(let value) = result else {
            return exchange.respond(.error(.serviceUnavailable, "the store did not do it; try again"))
        }
        var json = JSONWriter()
        write(&json, value)
        exchange.respond(.json(.ok, json.bytes))
    }
}

extension JSONWriter {
    fileprivate mutating func outbox(_ view: OutboxView) {
        self.object { json in
            json.key("waiting")
            json.integer(view.waiting)
            json.key("givenUp")
            json.integer(view.givenUp)
            json.key("troubled")
            json.array { json in for row in view.rows { json.row(row) } }
        }
    }

    private mutating func row(_ row: OutboxView.Row) {
        self.fields(("conversation", row.conversation.text), ("trouble", row.trouble ?? "")) { json in
            for (name, value) in [
                ("delivery", Int64(row.number)), ("number", Int64(row.entry)), ("attempts", Int64(row.attempts)),
            ] {
                json.key(name)
                json.integer(value)
            }
            json.key("state")
            json.string(row.isGivenUp ? "given up" : "waits")
        }
    }
}
