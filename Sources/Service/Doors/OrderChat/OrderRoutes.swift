internal import HTTPServer
internal import Identity
internal import JSON
internal import Operations
internal import Reactor
internal import Switchboard
internal import Vocabulary
internal import Web

/// Order chats over HTTP: apps ask `/orderchat/…` with their token, the shop's server tells `/v1/orders/…` with its secret.
/// Every answer is 200 with `ret_code` and `result`, as the apps know it.
struct OrderRoutes: Sendable {
    let site: DoorSite

    private static let maximumBodyBytes = 128 << 10

    func add(to router: inout Router) {
        self.addForApps("session", to: &router) { orders, request, user, reply throws(RequestError) in
            try orders.session(request, user, reply)
        }
        self.addForApps("messages", to: &router) { orders, request, user, reply throws(RequestError) in
            try orders.say(request, user, reply)
        }
        self.addForApps("poll", to: &router) { orders, request, user, reply throws(RequestError) in
            try orders.poll(request, user, reply)
        }
        self.addForApps("read", to: &router) { orders, request, user, reply throws(RequestError) in
            try orders.read(request, user, reply)
        }
        self.addForShop(.put, "/v1/orders/:order", to: &router) {
            orders, order, request, reply throws(RequestError) in
            try orders.open(order, request, reply)
        }
        self.addForShop(.post, "/v1/orders/:order/events", to: &router) {
            orders, order, request, reply throws(RequestError) in try orders.tell(order, request, reply)
        }
    }

    private func addForApps(
        _ name: String, to router: inout Router,
        _ work:
            @escaping (OrderService, LooseObject, UserID, @escaping OrderService.Reply) throws(RequestError) -> Void
    ) {
        router.on(.post, "/orderchat/\(name)") { exchange, _ in
            // Only then the body, so that it is held for users alone.
            let identity = Result { () throws(RequestError) in try self.site.accounts.identity(of: exchange) }
            if case .failure(let error) = identity { return Self.answer(exchange, .failure(error)) }
            self.collect(exchange) { hall, request, reply throws(RequestError) in
                let user = try identity.get().user
                let (_, wait) = hall.allowance.take(user, at: hall.board.now)
                if let wait { throw RequestError(.rateLimited, "request rate limit exceeded", retryAfter: wait) }
                try work(OrderService(hall.chat), request, user, reply)
            }
        }
    }

    private func addForShop(
        _ method: HTTPMethod, _ path: String, to router: inout Router,
        _ work:
            @escaping (OrderService, String, LooseObject, @escaping OrderService.Reply) throws(RequestError) -> Void
    ) {
        router.on(method, path) { exchange, parameters in
            let order = parameters["order"] ?? ""
            self.collect(exchange) { hall, request, reply throws(RequestError) in
                try self.checkShop(request, order, from: exchange.client)
                try work(OrderService(hall.chat), order, request, reply)
            }
        }
    }

    /// A shop speaks of its own orders and of its own users.
    private func checkShop(_ request: LooseObject, _ order: String, from client: IPAddress) throws(RequestError) {
        let application = request.text("application") ?? ""
        do throws(IdentityRefusal) {
            try self.site.accounts.check(application: application, secret: request.text("secret") ?? "", from: client)
        } catch {
            throw RequestError(error)
        }
        for id in [order, request.text("driver"), request.text("passenger")].compactMap(\.self)
        where !self.site.accounts.mayVouch(application, for: id) {
            throw RequestError(.forbidden, "this application may not speak of '\(id)'")
        }
    }

    private func collect(
        _ exchange: HTTPExchange,
        _ work: @escaping (DoorDependencies, LooseObject, @escaping OrderService.Reply) throws(RequestError) -> Void
    ) {
        let home = self.site.home
        guard exchange.reactor.loop === home else { return exchange.move(to: home) }
        exchange.collectBody(limit: Self.maximumBodyBytes) { body in
            do throws(RequestError) {
                guard let request = LooseObject(body) else {
                    throw RequestError(.badRequest, "the body must be one JSON object")
                }
                try work(self.site.atHome(exchange.reactor), request) { Self.answer(exchange, $0) }
            } catch {
                Self.answer(exchange, .failure(error))
            }
        }
    }

    private static func answer(_ exchange: HTTPExchange, _ result: Result<[LooseObject], RequestError>) {
        let json = JSONWriter.object { json in
            switch result {
            case .success(let items):
                json.field("ret_code", HTTPStatus.ok.code)
                json.array("result", of: items) { $0.raw($1.json) }
            case .failure(let error):
                json.field("ret_code", APIProblem.status(of: error.code).code)
                json.field("message", error.message)
            }
        }
        var response = HTTPResponse.json(.ok, json)
        response.head.fields.set(.cacheControl, to: "no-store")
        exchange.respond(response)
    }
}
