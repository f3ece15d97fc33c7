internal import Web

/// One thing that can be asked over HTTP: the request of the same name, with the path's and the query's parts in its
/// object.
struct APIRoute: Sendable {
    struct Part: Sendable {
        let name: String
        /// Goes into the object as a number, not as a text.
        var isNumber = false
    }

    let method: HTTPMethod
    /// As the router takes it.
    let path: String
    let event: String
    var query: [Part] = []
    var status = HTTPStatus.ok
    /// What is said by the method itself.
    var constants: [(name: String, value: Bool)] = []

    /// The named parts of the path; those called `number` are numbers.
    var parts: [Part] {
        self.path.split(separator: "/").filter { $0.hasPrefix(":") }.map {
            Part(name: String($0.dropFirst()), isNumber: $0 == ":number")
        }
    }

    static let all: [APIRoute] = Self.lists + Self.messages + Self.arrangements + Self.people

    private static let page = [Part(name: "limit", isNumber: true)]
    private static let place = "/v1/conversations/:conversation"

    private static let lists = [
        APIRoute(
            method: .get, path: "/v1/conversations", event: "chat.conversations",
            query: [Part(name: "before")] + Self.page),
        APIRoute(method: .post, path: "/v1/conversations", event: "chat.create", status: .created),
        APIRoute(method: .get, path: Self.place, event: "chat.conversation"),
        APIRoute(method: .patch, path: Self.place, event: "chat.rename"),
        APIRoute(method: .delete, path: Self.place, event: "chat.dissolve"),
        APIRoute(
            method: .get, path: "\(Self.place)/members", event: "chat.members", query: [Part(name: "after")] + Self.page
        ),
        APIRoute(method: .post, path: "\(Self.place)/members", event: "chat.invite"),
        APIRoute(method: .put, path: "\(Self.place)/members/:user", event: "chat.role"),
        APIRoute(method: .delete, path: "\(Self.place)/members/:user", event: "chat.remove"),
        APIRoute(method: .put, path: "\(Self.place)/members/:user/silence", event: "chat.silence"),
        APIRoute(method: .delete, path: "\(Self.place)/members/:user/silence", event: "chat.silence"),
        APIRoute(method: .post, path: "\(Self.place)/join", event: "chat.join"),
        APIRoute(method: .post, path: "\(Self.place)/leave", event: "chat.leave"),
    ]

    private static let messages = [
        // Also with `wait`, and as a stream: `EntryWatch`.
        APIRoute(
            method: .get, path: "\(Self.place)/entries", event: "chat.history",
            query: [Part(name: "before", isNumber: true), Part(name: "after", isNumber: true)] + Self.page),
        APIRoute(method: .delete, path: "\(Self.place)/entries", event: "chat.clear"),
        APIRoute(method: .post, path: "\(Self.place)/messages", event: "chat.send", status: .created),
        APIRoute(method: .post, path: "/v1/users/:user/messages", event: "chat.send", status: .created),
        APIRoute(method: .put, path: "\(Self.place)/messages/:number", event: "chat.edit"),
        APIRoute(method: .delete, path: "\(Self.place)/messages/:number", event: "chat.recall"),
        APIRoute(method: .put, path: "\(Self.place)/messages/:number/reactions/:reaction", event: "chat.react"),
        APIRoute(
            method: .delete, path: "\(Self.place)/messages/:number/reactions/:reaction", event: "chat.react",
            constants: [("on", false)]),
        APIRoute(
            method: .get, path: "/v1/search", event: "chat.search",
            query: [Part(name: "text"), Part(name: "conversation")] + Self.page),
        APIRoute(method: .post, path: "/v1/sync", event: "chat.sync"),
    ]

    private static let people = [
        APIRoute(method: .get, path: "/v1/me", event: "profile.own"),
        APIRoute(method: .patch, path: "/v1/me", event: "profile.change"),
        APIRoute(method: .get, path: "/v1/users/:user", event: "profile.of"),
        APIRoute(method: .post, path: "/v1/profiles", event: "profile.list"),
    ]

    private static let arrangements = [
        APIRoute(method: .put, path: "\(Self.place)/read", event: "chat.read"),
        APIRoute(method: .put, path: "\(Self.place)/delivered", event: "chat.delivered"),
        APIRoute(method: .put, path: "\(Self.place)/muted", event: "chat.mute"),
        APIRoute(method: .delete, path: "\(Self.place)/muted", event: "chat.mute", constants: [("on", false)]),
        APIRoute(method: .put, path: "\(Self.place)/retention", event: "chat.retention"),
        APIRoute(
            method: .delete, path: "\(Self.place)/retention", event: "chat.retention", constants: [("on", false)]),
        APIRoute(method: .get, path: "/v1/blocks", event: "chat.blocked"),
        APIRoute(method: .put, path: "/v1/blocks/:user", event: "chat.block"),
        APIRoute(method: .delete, path: "/v1/blocks/:user", event: "chat.block", constants: [("on", false)]),
    ]
}
