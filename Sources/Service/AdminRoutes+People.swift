internal import HTTPServer
internal import JSON
internal import Reactor
internal import Switchboard
internal import Vocabulary
internal import Web

/// What the person who runs the server asks about people and rooms, and does to them: `/v1/…` on the admin listener.
extension AdminRoutes {
    func addPeople(to router: inout Router) {
        self.on(.get, "/v1/users", &router) { exchange, _ in
            self.atHome(exchange) { exchange, desk in
                exchange.respond(.json(.ok, Self.json("users", desk.people) { $0.person($1) }))
            }
        }
        self.on(.get, "/v1/rooms", &router) { exchange, _ in
            self.atHome(exchange) { exchange, desk in
                exchange.respond(.json(.ok, Self.json("rooms", desk.rooms) { $0.room($1) }))
            }
        }
        self.on(.post, "/v1/users/:user/kick", &router) {
            self.restrict($0, $1) { desk, user in await desk.kick(user) }
        }
        self.on(.post, "/v1/users/:user/unban", &router) {
            self.restrict($0, $1) { desk, user in await desk.unban(user) }
        }
        self.on(.post, "/v1/users/:user/ban", &router) { exchange, parameters in
            guard let duration = Self.banDuration(exchange.request) else {
                return exchange.respond(.error(.badRequest, "'seconds' is a whole number, and at least 1"))
            }
            self.restrict(exchange, parameters) { desk, user in await desk.ban(user, for: duration) }
        }
    }

    func on(
        _ method: HTTPMethod, _ pattern: String, _ router: inout Router, _ handler: @escaping Router.Handler
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

    private func restrict(
        _ exchange: HTTPExchange, _ parameters: PathParameters,
        _ work: @escaping @Sendable (Signalling, UserID) async -> Bool
    ) {
        guard let user = parameters["user"].flatMap({ UserID($0) }) else {
            return exchange.respond(.error(.badRequest, "this is no user's id"))
        }
        let signalling = self.signalling
        exchange.reactor.perform(
            { await work(signalling, user) },
            completion: { isDone in
                exchange.respond(
                    isDone
                        ? .json(.ok, Array("{}".utf8))
                        : .error(.serviceUnavailable, "the store did not take it; try again"))
            })
    }

    private static func json<Value>(
        _ name: String, _ values: [Value], _ write: (inout JSONWriter, Value) -> Void
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.key(name)
            json.array { json in for value in values { write(&json, value) } }
        }
        return json.bytes
    }
}

/// Who is there and where, as of now.
struct SignallingView {
    struct Person {
        let user: UserID
        let name: DisplayName
        let connections: Int
    }

    struct Room {
        let name: RoomName
        let members: Int
    }

    let people: [Person]
    let rooms: [Room]
}

extension JSONWriter {
    fileprivate mutating func person(_ person: SignallingView.Person) {
        self.fields(("user", person.user.text), ("name", person.name.text)) { json in
            json.key("connections")
            json.integer(person.connections)
        }
    }

    fileprivate mutating func room(_ room: SignallingView.Room) {
        self.fields(("room", room.name.text)) { json in
            json.key("members")
            json.integer(room.members)
        }
    }
}
