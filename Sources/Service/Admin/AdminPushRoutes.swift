internal import HTTPServer
internal import JSON
internal import Keeping
internal import Reactor
internal import Vocabulary
internal import Web

/// Devices that are woken, and what became of pushes: `/v1/push`.
extension AdminRoutes {
    func addPush(to router: inout Router) {
        self.onPush(.get, "/v1/push", of: &router) { exchange, key in
            exchange.respond(.json(.ok, JSONWriter.object { $0.field("publicKey", key) }))
        }
        self.onPush(.get, "/v1/push/devices", of: &router) { exchange, _ in self.listPushDevices(exchange) }
        self.onPush(.post, "/v1/push/test", of: &router) { exchange, _ in self.testPushes(exchange) }
        self.onPush(.get, "/v1/push/trace", of: &router) { exchange, _ in self.tracePushes(exchange) }
    }

    private func onPush(
        _ method: HTTPMethod, _ path: String, of router: inout Router,
        _ handler: @escaping (HTTPExchange, String) -> Void
    ) {
        self.on(method, path, of: &router) { exchange, _ in
            guard let key = self.signalling.pushKey else {
                return exchange.respond(.error(.notFound, "no device is woken: the server runs with --push off"))
            }
            handler(exchange, key)
        }
    }

    private static func user(_ request: HTTPRequestHead) -> UserID? {
        QueryItems(request.query ?? "")?["user"].flatMap { UserID($0) }
    }

    private static let noUser = HTTPResponse.error(.badRequest, "'user' must be a user id")

    private func listPushDevices(_ exchange: HTTPExchange) {
        guard let user = Self.user(exchange.request) else { return exchange.respond(Self.noUser) }
        self.signalling.store.send(
            ListPushDevices(of: user),
            exchange.reactor.returning { result in
                Self.answer(exchange, result) { json, devices in
                    json.object { $0.array("devices", of: devices) { $0.pushDevice($1) } }
                }
            })
    }

    private func testPushes(_ exchange: HTTPExchange) {
        guard let user = Self.user(exchange.request) else { return exchange.respond(Self.noUser) }
        let signalling = self.signalling
        self.carryOut(exchange, "push.test", on: user.text) {
            guard let test = await signalling.testPushes(user) else { return .failed }
            return .done(JSONWriter.object { $0.members(of: test) })
        }
    }

    private func tracePushes(_ exchange: HTTPExchange) {
        guard let query = QueryItems(exchange.request.query ?? ""),
            query["user"] == nil || Self.user(exchange.request) != nil,
            let request = ListPushEvents(query, of: Self.user(exchange.request))
        else { return exchange.respond(.error(.badRequest, "'user' must be a user id, \(ListPushEvents.rule)")) }
        self.signalling.store.send(
            request,
            exchange.reactor.returning { result in
                Self.answer(exchange, result) { json, events in
                    json.object { $0.array("events", of: events) { $0.pushEvent($1, ofUser: true) } }
                }
            })
    }
}
