internal import Assets
internal import HTTPServer
internal import JSON
internal import Journal
internal import Operations
internal import Reactor
internal import Keeping
internal import Switchboard
internal import Vocabulary
internal import Web

/// What the admin listener answers: to supervisors, to Prometheus, and to `parley users`, `rooms`,
/// `webhooks`, `push` and `audit`.
struct AdminRoutes: Sendable {
    let health: Health
    let registry: MetricsRegistry
    let signalling: Signalling
    let gate: AdminGate

    func makeResponder(_ reactor: Reactor) -> HTTPResponder {
        var router = Router()
        router.on(.get, "/livez") { exchange, _ in exchange.respond(.plain(.ok, "alive\n")) }
        router.on(.get, "/readyz") { exchange, _ in exchange.respond(self.readiness) }
        self.on(.get, "/metrics", of: &router) { exchange, _ in self.showMetrics(exchange) }
        self.on(.get, "/v1/openapi.json", of: &router) { exchange, _ in
            exchange.respond(Self.description.response(to: exchange.request))
        }
        self.addPeople(to: &router)
        self.addNodes(to: &router)
        self.addWebhooks(to: &router)
        self.addAudit(to: &router)
        self.addModerators(to: &router)
        self.addReports(to: &router)
        self.addRules(to: &router)
        self.addPush(to: &router)
        return { router.respond(to: $0) }
    }

    private static let description = EmbeddedFile("admin-openapi.json", Assets.adminOpenAPI)

    private var readiness: HTTPResponse {
        let reasons = self.health.whyNotReady
        guard reasons.isEmpty else {
            return .plain(.serviceUnavailable, reasons.map { "\($0)\n" }.joined())
        }
        return .plain(.ok, (["ready"] + self.health.remarks).map { "\($0)\n" }.joined())
    }

    private func showMetrics(_ exchange: HTTPExchange) {
        guard exchange.reactor.loop === self.signalling.home else { return exchange.move(to: self.signalling.home) }
        self.signalling.measure(on: exchange.reactor) { exchange.respond(self.metrics) }
    }

    private var metrics: HTTPResponse {
        let text = Array(self.registry.exposition().utf8)
        return HTTPResponse(.ok, fields: [.contentType: MetricsRegistry.contentType], body: .bytes(text))
    }
}

// MARK: - People and rooms

/// People and rooms: `/v1/users…` and `/v1/rooms`.
extension AdminRoutes {
    private func addPeople(to router: inout Router) {
        self.on(.get, "/v1/users", of: &router) { exchange, _ in
            self.atHome(exchange) { exchange, view in
                exchange.respond(.json(.ok, JSONWriter.object { $0.array("users", of: view.people) { $0.person($1) } }))
            }
        }
        self.on(.get, "/v1/rooms", of: &router) { exchange, _ in
            self.atHome(exchange) { exchange, view in
                exchange.respond(.json(.ok, JSONWriter.object { $0.array("rooms", of: view.rooms) { $0.room($1) } }))
            }
        }
        self.on(.put, "/v1/rooms/:room/access", of: &router) { exchange, parameters in
            exchange.collectBody(limit: Self.maximumKeyBytes) { body in
                self.protect(exchange, parameters, Self.key(in: body))
            }
        }
        self.on(.delete, "/v1/rooms/:room/access", of: &router) { exchange, parameters in
            self.protect(exchange, parameters, RoomKey())
        }
        self.on(.delete, "/v1/rooms/:room/users/:user", of: &router) { exchange, parameters in
            self.remove(exchange, parameters)
        }
        self.on(.post, "/v1/users/:user/kick", of: &router) { exchange, parameters in
            self.change(exchange, parameters, "user.kick") { .init(done: await $0.kick($1)) }
        }
        self.on(.post, "/v1/users/:user/unban", of: &router) { exchange, parameters in
            self.change(exchange, parameters, "user.unban") { .init(done: await $0.unban($1)) }
        }
        self.on(.delete, "/v1/users/:user", of: &router) { exchange, parameters in
            self.change(exchange, parameters, "user.delete") { signalling, user in
                guard let isKnown = await signalling.delete(user) else { return .failed }
                return isKnown ? .done() : .refused(.notFound, "no user has this id")
            }
        }
        self.on(.post, "/v1/users/:user/ban", of: &router) { exchange, parameters in
            guard let duration = Self.banDuration(exchange.request) else {
                return exchange.respond(.error(.badRequest, "field 'seconds' must be a whole number from 1 on"))
            }
            let detail = "seconds=\(duration.components.seconds)"
            self.change(exchange, parameters, "user.ban", detail) { .init(done: await $0.ban($1, for: duration)) }
        }
    }

    private static let maximumKeyBytes = 4096

    private static func key(in body: [UInt8]) -> RoomKey? {
        guard let object = try? JSONObject(body.span), let key = try? Field<RoomKey>.roomKey.read(object) else {
            return nil
        }
        return key
    }

    /// The password is not written down.
    private func protect(_ exchange: HTTPExchange, _ parameters: PathParameters, _ key: RoomKey?) {
        guard let room = parameters["room"].flatMap({ RoomName($0) }), let key else {
            return exchange.respond(
                .error(
                    .badRequest,
                    "the path must be /v1/rooms/ROOM/access, and the body {\"password\"} or {\"byInvitation\"}"))
        }
        let signalling = self.signalling
        let rule = key.password != nil ? "password" : key.isByInvitation ? "invitation" : "open"
        self.carryOut(exchange, "room.protect", on: room.text, "access=\(rule)") {
            guard let error = await signalling.protect(room, key) else { return .done() }
            return .refused(error.code == .notFound ? .notFound : .badRequest, error.message)
        }
    }

    /// Out of one room; `ban=true` for as long as it lasts.
    private func remove(_ exchange: HTTPExchange, _ parameters: PathParameters) {
        let query = QueryItems(exchange.request.query ?? "")
        guard let room = parameters["room"].flatMap({ RoomName($0) }),
            let user = parameters["user"].flatMap({ UserID($0) }),
            let isBanned = query.flatMap({ Bool($0["ban"] ?? "false") })
        else {
            return exchange.respond(
                .error(.badRequest, "the path must be /v1/rooms/ROOM/users/USER, with ?ban=true or not"))
        }
        let signalling = self.signalling
        self.carryOut(exchange, "room.remove", on: room.text, "user=\(user.text) ban=\(isBanned)") {
            guard let error = await signalling.remove(user, from: room, isBanned: isBanned) else { return .done() }
            let status: HTTPStatus =
                switch error.code {
                case .notFound: .notFound
                case .unavailable: .serviceUnavailable
                default: .conflict
                }
            return .refused(status, error.message)
        }
    }

    func on(
        _ method: HTTPMethod, _ pattern: String, of router: inout Router, _ handler: @escaping Router.Handler
    ) {
        router.on(method, pattern) { exchange, parameters in
            if let refusal = self.gate.refusal(of: exchange.request) { return exchange.respond(refusal) }
            handler(exchange, parameters)
        }
    }

    /// A day when nothing is said; nil when it cannot be what was meant.
    private static func banDuration(_ request: HTTPRequestHead) -> Duration? {
        guard let items = QueryItems(request.query ?? "") else { return nil }
        guard let text = items["seconds"] else { return .seconds(86_400) }
        return Int64(text).flatMap { $0 >= 1 ? .seconds($0) : nil }
    }

    /// People are known on one loop; the question goes there.
    func atHome(_ exchange: HTTPExchange, _ answer: (HTTPExchange, SignallingView) -> Void) {
        guard exchange.reactor.loop === self.signalling.home else { return exchange.move(to: self.signalling.home) }
        answer(exchange, self.signalling.view(on: exchange.reactor))
    }

    /// Something is done to the user in the path.
    func change(
        _ exchange: HTTPExchange, _ parameters: PathParameters, _ action: String, _ detail: String? = nil,
        _ work: @escaping @Sendable (Signalling, UserID) async -> AdminOutcome
    ) {
        guard let user = parameters["user"].flatMap({ UserID($0) }) else {
            return exchange.respond(.error(.badRequest, "the path must contain a user id: /v1/users/ID"))
        }
        let signalling = self.signalling
        self.carryOut(exchange, action, on: user.text, detail) { await work(signalling, user) }
    }
}

// MARK: - Answers

extension HTTPResponse {
    /// Never kept by anybody on the way.
    static func plain(_ status: HTTPStatus, _ text: String) -> HTTPResponse {
        var response = HTTPResponse.text(status, text)
        response.head.fields.set(.cacheControl, to: "no-store")
        return response
    }
}

extension JSONWriter {
    fileprivate mutating func person(_ person: SignallingView.Person) {
        self.fields(("user", person.user.text), ("name", person.name.text)) { json in
            json.field("connections", person.connections)
        }
    }

    fileprivate mutating func room(_ room: SignallingView.Room) {
        self.fields(("room", room.name.text)) { json in
            json.field("members", room.members)
            json.optional("access", room.access)
        }
    }
}
