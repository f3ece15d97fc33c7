internal import HTTPServer
internal import Identity
internal import JSON
internal import Reactor
internal import Switchboard
internal import Vocabulary
internal import Web

/// Order chats over HTTP: apps ask `/orderchat/…` with their token, the shop's server tells `/v1/orders/…` with its secret.
/// Every answer is 200 with `ret_code` and `result`, as the apps know it.
struct OrderRoutes: Sendable {
    let accounts: Accounts
    let home: EventLoop

    private static let longestBody = 128 << 10

    private typealias Work = (OrderDesk, LooseObject, @escaping OrderDesk.Reply) throws(SwitchboardError) -> Void

    func add(to router: inout Router, desk: @escaping (Reactor) -> APIRoutes.Desk) {
        self.addForApps("session", to: &router, desk) { desk, request, user, reply throws(SwitchboardError) in
            try desk.session(request, user, reply)
        }
        self.addForApps("messages", to: &router, desk) { desk, request, user, reply throws(SwitchboardError) in
            try desk.say(request, user, reply)
        }
        self.addForApps("poll", to: &router, desk) { desk, request, user, reply throws(SwitchboardError) in
            try desk.poll(request, user, reply)
        }
        self.addForApps("read", to: &router, desk) { desk, request, user, reply throws(SwitchboardError) in
            try desk.read(request, user, reply)
        }
        self.addForShop(.put, "/v1/orders/:order", to: &router, desk) {
            desk, order, request, reply throws(SwitchboardError) in
            try desk.open(order, request, reply)
        }
        self.addForShop(.post, "/v1/orders/:order/events", to: &router, desk) {
            desk, order, request, reply throws(SwitchboardError) in try desk.tell(order, request, reply)
        }
    }

    private func addForApps(
        _ name: String, to router: inout Router, _ desk: @escaping (Reactor) -> APIRoutes.Desk,
        _ work: @escaping (OrderDesk, LooseObject, UserID, @escaping OrderDesk.Reply) throws(SwitchboardError) -> Void
    ) {
        router.on(.post, "/orderchat/\(name)") { exchange, _ in
            self.collect(exchange, desk) { desk, request, reply throws(SwitchboardError) in
                let user = try self.accounts.identity(of: exchange).user
                let (_, wait) = desk.allowance.take(user, at: desk.now())
                if let wait { throw SwitchboardError(.rateLimited, "too many requests at once", retryAfter: wait) }
                try work(OrderDesk(desk.chat), request, user, reply)
            }
        }
    }

    private func addForShop(
        _ method: HTTPMethod, _ path: String, to router: inout Router,
        _ desk: @escaping (Reactor) -> APIRoutes.Desk,
        _ work: @escaping (OrderDesk, String, LooseObject, @escaping OrderDesk.Reply) throws(SwitchboardError) -> Void
    ) {
        router.on(method, path) { exchange, parameters in
            let order = parameters["order"] ?? ""
            self.collect(exchange, desk) { desk, request, reply throws(SwitchboardError) in
                do throws(IdentityRefusal) {
                    try self.accounts.check(
                        application: request.text("application") ?? "", secret: request.text("secret") ?? "",
                        from: exchange.client)
                } catch {
                    throw SwitchboardError(error)
                }
                try work(OrderDesk(desk.chat), order, request, reply)
            }
        }
    }

    private func collect(
        _ exchange: HTTPExchange, _ desk: @escaping (Reactor) -> APIRoutes.Desk,
        _ work: @escaping (APIRoutes.Desk, LooseObject, @escaping OrderDesk.Reply) throws(SwitchboardError) -> Void
    ) {
        guard exchange.reactor.loop === self.home else { return exchange.move(to: self.home) }
        exchange.collectBody(limit: Self.longestBody) { body in
            do throws(SwitchboardError) {
                guard let request = LooseObject(body) else {
                    throw SwitchboardError(.badRequest, "the body is one JSON object")
                }
                try work(desk(exchange.reactor), request) { Self.answer(exchange, $0) }
            } catch {
                Self.answer(exchange, .failure(error))
            }
        }
    }

    private static func answer(_ exchange: HTTPExchange, _ result: Result<[LooseObject], SwitchboardError>) {
        var json = JSONWriter()
        json.object { json in
            json.key("ret_code")
            switch result {
            case .success(let items):
                json.integer(HTTPStatus.ok.code)
                json.key("result")
                json.array { json in for item in items { json.raw(item.json) } }
            case .failure(let error):
                json.integer(APIProblem.status(of: error.code).code)
                json.key("message")
                json.string(error.message)
            }
        }
        var response = HTTPResponse.json(.ok, json.bytes)
        response.head.fields.set(.cacheControl, to: "no-store")
        exchange.respond(response)
    }
}
