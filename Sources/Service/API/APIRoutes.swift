internal import Assets
internal import HTTPServer
internal import Identity
internal import JSON
internal import Operations
internal import Reactor
internal import Switchboard
internal import Vocabulary
internal import Web

/// Conversations over HTTP: the requests of the sockets under `/v1`, described by `/v1/openapi.json`.
struct APIRoutes: Sendable {
    let accounts: Accounts
    let home: EventLoop

    /// The largest message body, in an object with its other fields.
    private static let maximumBodyBytes = 128 << 10

    /// What lives on the home loop.
    struct Desk {
        let chat: ChatService
        let profiles: ProfileService
        let visitors: VisitorLookup
        let standing = StandingVisits()
        let exports = ExportDesk()
        let links: FileLinks
        let allowance: APIAllowance
        let now: () -> Instant
    }

    func add(to router: inout Router, desk: @escaping (Reactor) -> Desk) {
        router.on(.get, "/v1/openapi.json") { exchange, _ in
            exchange.respond(Self.description.response(to: exchange.request))
        }
        for route in APIRoute.all {
            router.on(route.method, route.path) { exchange, parameters in
                guard exchange.reactor.loop === self.home else { return exchange.move(to: self.home) }
                let visit = APIVisit(exchange, self, desk(exchange.reactor))
                visit.admit { identity in
                    exchange.collectBody(limit: Self.maximumBodyBytes) { body in
                        visit.carryOut(route, parameters, body, identity)
                    }
                }
            }
        }
        self.addStream("/v1/events", to: &router, desk) { $0.streamEverything($1) }
        self.addStream("/v1/auth/export", to: &router, desk) { $0.export($1) }
    }

    private func addStream(
        _ path: String, to router: inout Router, _ desk: @escaping (Reactor) -> Desk,
        _ begin: @escaping (APIVisit, Identity) -> Void
    ) {
        router.on(.get, path) { exchange, _ in
            guard exchange.reactor.loop === self.home else { return exchange.move(to: self.home) }
            let visit = APIVisit(exchange, self, desk(exchange.reactor))
            visit.admit { identity in begin(visit, identity) }
        }
    }

    /// Compressed once, and not for every client that asks.
    private static let description = EmbeddedFile("openapi.json", Assets.openAPI)
}

/// One request over HTTP, from the door to the answer.
final class APIVisit {
    let exchange: HTTPExchange
    let desk: APIRoutes.Desk
    private let routes: APIRoutes
    private var fields: [(HTTPFieldName, String)] = []

    init(_ exchange: HTTPExchange, _ routes: APIRoutes, _ desk: APIRoutes.Desk) {
        self.exchange = exchange
        self.routes = routes
        self.desk = desk
    }

    /// A client with a valid token and requests left comes in.
    func admit(_ work: (Identity) -> Void) {
        do throws(RequestError) {
            let identity = try self.routes.accounts.identity(of: self.exchange)
            try self.count(identity.user)
            self.desk.visitors.notice(identity)
            work(identity)
        } catch {
            self.refuse(error)
        }
    }

    private func count(_ user: UserID) throws(RequestError) {
        let (left, wait) = self.desk.allowance.take(user, at: self.desk.now())
        self.fields = self.desk.allowance.fields(left: left)
        if let wait { throw RequestError(.rateLimited, "too many requests at once", retryAfter: wait) }
    }

    /// Throws when the token was called back after it was read.
    func stillKnows(_ identity: Identity) throws(RequestError) { try self.routes.accounts.stillKnows(identity) }

    func carryOut(_ route: APIRoute, _ parameters: PathParameters, _ body: [UInt8], _ identity: Identity) {
        do throws(RequestError) {
            // The body may have come long after the token.
            try self.stillKnows(identity)
            guard let query = QueryItems(self.exchange.request.query ?? "") else {
                throw RequestError(.badRequest, "the query is malformed")
            }
            if case .chat(.history) = route.operation, try self.watch(parameters, query, identity) { return }
            let object = try route.object(parameters, query, body, key: self.exchange.request.fields["Idempotency-Key"])
            try self.carryOut(route.operation, JSONObject(body: object.span), self.asker(route, query, identity))
        } catch {
            self.refuse(error)
        }
    }

    private func carryOut(
        _ operation: Operation, _ fields: borrowing JSONObject, _ asker: ChatAsker
    ) throws(RequestError) {
        switch operation {
        case .chat(let operation): try self.desk.chat.carryOut(try operation.request(fields), by: asker)
        case .profile(let operation): try self.desk.profiles.carryOut(try operation.request(fields), asker)
        case .signal, .room, .call, .presence, .session:
            throw RequestError(.badRequest, "\(operation.name) needs a connection")
        }
    }

    private func asker(_ route: APIRoute, _ query: QueryItems, _ identity: Identity) -> ChatAsker {
        var asker = ChatAsker(identity.user, on: query["device"].flatMap { DeviceID($0) } ?? .main) { result in
            switch result {
            case .success(let write):
                self.answer(.json(route.status, JSONWriter.bytes(write)))
            case .failure(let error): self.refuse(error)
            }
        }
        asker.trace = self.exchange.request.fields[.traceParent].flatMap { TraceContext($0) }
        return asker
    }

    func answer(_ response: HTTPResponse) {
        var response = response
        response.head.fields.set(.cacheControl, to: "no-store")
        for (name, value) in self.fields { response.head.fields.set(name, to: value) }
        self.exchange.respond(response)
    }

    func refuse(_ error: RequestError) { self.answer(APIProblem.response(error)) }

    /// An answer that goes on for as long as the client listens.
    ///
    /// - Parameter name: of what is for saving and not for showing.
    func startStream(_ type: String = "text/event-stream", attachment name: String? = nil) -> Bool {
        var head = HTTPResponseHead(.ok, fields: [.contentType: type, .cacheControl: "no-store"])
        if let name { head.fields.set("Content-Disposition", to: "attachment; filename=\(name)") }
        for (name, value) in self.fields { head.fields.set(name, to: value) }
        return self.exchange.start(head, length: nil)
    }

    /// Says why, if the client is still there.
    func endStream(_ error: RequestError?) {
        guard self.exchange.isAnswered else {
            return error.map { self.refuse($0) } ?? self.exchange.fail()
        }
        if let error { ServerSentEvent.end(error, on: self.exchange) }
        self.exchange.finish()
    }
}
