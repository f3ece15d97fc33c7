internal import HTTPServer
internal import JSON
internal import Journal
internal import Reactor
internal import Keeping
internal import Switchboard
internal import Vocabulary
internal import Web

/// What the admin listener answers: to supervisors, to Prometheus, and to `parley users`, `rooms`,
/// `webhooks` and `audit`.
struct AdminRoutes: Sendable {
    let health: Health
    let registry: MetricsRegistry
    let signalling: Signalling
    let gate: AdminGate

    func makeResponder(_ reactor: Reactor) -> HTTPResponder {
        var router = Router()
        router.on(.get, "/livez") { exchange, _ in exchange.respond(.plain(.ok, "alive\n")) }
        router.on(.get, "/readyz") { exchange, _ in exchange.respond(self.readiness) }
        self.on(.get, "/metrics", of: &router) { exchange, _ in exchange.respond(self.metrics) }
        self.addPeople(to: &router)
        self.addWebhooks(to: &router)
        self.addAudit(to: &router)
        self.addModerators(to: &router)
        self.addReports(to: &router)
        return { router.respond(to: $0) }
    }

    private var readiness: HTTPResponse {
        let reasons = self.health.whyNotReady
        guard reasons.isEmpty else {
            return .plain(.serviceUnavailable, reasons.map { "\($0)\n" }.joined())
        }
        return .plain(.ok, "ready\n")
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
    private func atHome(_ exchange: HTTPExchange, _ answer: (HTTPExchange, SignallingView) -> Void) {
        guard exchange.reactor.loop === self.signalling.home else { return exchange.move(to: self.signalling.home) }
        answer(exchange, self.signalling.view(on: exchange.reactor))
    }

    /// Something is done to the user in the path.
    private func change(
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
        self.fields(("room", room.name.text)) { $0.field("members", room.members) }
    }
}

// MARK: - Webhooks

/// What another program has not taken yet, and how to have it delivered again: `/v1/webhooks`.
extension AdminRoutes {
    private static let maximumListed = 200

    private func addWebhooks(to router: inout Router) {
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
        self.fields(("conversation", row.conversation.text), ("trouble", row.trouble ?? "")) { json in
            json.field("delivery", row.number)
            json.field("number", row.entry)
            json.field("attempts", row.attempts)
            json.field("state", row.isGivenUp ? "given up" : "waits")
        }
    }
}

// MARK: - Moderators

/// Whom the operator has named a moderator of the server: `/v1/moderators`.
extension AdminRoutes {
    private func addModerators(to router: inout Router) {
        self.on(.get, "/v1/moderators", of: &router) { exchange, _ in
            self.signalling.store.send(
                ListModerators(),
                exchange.reactor.returning { result in
                    Self.answer(exchange, result) { json, views in
                        json.object { $0.array("moderators", of: views) { $0.moderator($1) } }
                    }
                })
        }
        self.on(.put, "/v1/moderators/:user", of: &router) { exchange, parameters in
            self.change(exchange, parameters, "moderator.add") { await Self.set(true, $1, in: $0.store) }
        }
        self.on(.delete, "/v1/moderators/:user", of: &router) { exchange, parameters in
            self.change(exchange, parameters, "moderator.remove") { await Self.set(false, $1, in: $0.store) }
        }
    }

    private static func set(_ isOn: Bool, _ user: UserID, in store: any Store) async -> AdminOutcome {
        let request = SetModerator(isOn, user, at: SystemClock.now())
        guard case .success(let isKnown) = await store.answer(to: request) else { return .failed }
        return isKnown ? .done() : .refused(.notFound, "no user has this id")
    }
}

extension JSONWriter {
    fileprivate mutating func moderator(_ view: ModeratorView) {
        self.object { json in
            json.members([("user", view.moderator.user.text), ("name", view.profile?.shownName?.text)])
            json.field("since", view.moderator.since.milliseconds)
        }
    }
}
