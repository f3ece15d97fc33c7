internal import HTTPServer
internal import Identity
internal import JSON
internal import Switchboard
internal import Vocabulary
internal import Web

/// Signing in over HTTP: `/v1/auth/…`, JSON both ways.
struct AuthRoutes: Sendable {
    let accounts: Accounts

    private static let longestBody = 16 << 10

    func add(to router: inout Router) {
        self.add("anonymous", to: &router) { form, address throws(IdentityRefusal) in
            try await self.accounts.signInAnonymously(as: form.name, from: address).answer
        }
        self.add("register", to: &router) { form, address throws(IdentityRefusal) in
            let registration = Registration(
                name: form.userName, password: form.password, displayName: form.name)
            return try await self.accounts.register(registration, from: address).answer
        }
        self.add("login", to: &router) { form, address throws(IdentityRefusal) in
            try await self.accounts.logIn(name: form.userName, password: form.password, from: address).answer
        }
        self.add("refresh", to: &router) { form, address throws(IdentityRefusal) in
            try await self.accounts.refresh(form.refreshToken, from: address).answer
        }
        self.add("logout", to: &router) { form, _ throws(IdentityRefusal) in
            try await self.accounts.signOut(form.refreshToken)
            return { $0.object { _ in } }
        }
    }

    /// Writes what came of it.
    typealias Answer = @Sendable (inout JSONWriter) -> Void
    private typealias Work = @Sendable (AuthForm, IPAddress) async throws(IdentityRefusal) -> Answer

    private func add(_ name: String, to router: inout Router, _ work: @escaping Work) {
        router.on(.post, "/v1/auth/\(name)") { exchange, _ in
            exchange.collectBody(limit: Self.longestBody) { self.answer(exchange, $0, work) }
        }
    }

    private func answer(_ exchange: HTTPExchange, _ body: [UInt8], _ work: @escaping Work) {
        guard let form = AuthForm(body) else {
            let error = SwitchboardError(.badRequest, "the body is one JSON object with texts in it")
            return self.refuse(exchange, .badRequest, error)
        }
        exchange.signIn { address throws(IdentityRefusal) in
            try await work(form, address)
        } then: {
            self.answer(exchange, $0)
        }
    }

    private func answer(_ exchange: HTTPExchange, _ result: Result<Answer, IdentityRefusal>) {
        switch result {
        case .success(let write): self.respond(exchange, .ok, write)
        case .failure(let refusal):
            let (status, error) = refusal.answer
            self.refuse(exchange, status, error)
        }
    }

    private func refuse(_ exchange: HTTPExchange, _ status: HTTPStatus, _ error: SwitchboardError) {
        self.respond(exchange, status, retryAfter: error.retryAfter) { $0.error(error) }
    }

    private func respond(
        _ exchange: HTTPExchange, _ status: HTTPStatus, retryAfter: Duration? = nil,
        _ body: (inout JSONWriter) -> Void
    ) {
        var json = JSONWriter()
        body(&json)
        var response = HTTPResponse.json(status, json.bytes)
        response.head.fields.set(.cacheControl, to: "no-store")
        if let retryAfter { response.setRetryAfter(retryAfter) }
        exchange.respond(response)
    }
}

/// What somebody filled in. What is missing is empty.
struct AuthForm: Hashable, Sendable {
    let userName: String
    let password: String
    let refreshToken: String
    /// What they want to be called.
    let name: DisplayName?

    /// Nil for what is no object, or has a name nobody can be called by.
    init?(_ body: [UInt8]) {
        let reader = JSONReader(body.span)
        guard let form = body.isEmpty ? JSONValue(.object, at: 0..<0) : try? reader.document(), form.kind == .object
        else { return nil }
        func text(_ name: String) -> String? {
            body.isEmpty
                ? nil : JSONReader(body.span).member(name, of: form).flatMap { JSONReader(body.span).string($0) }
        }
        self.userName = text("userName") ?? ""
        self.password = text("password") ?? ""
        self.refreshToken = text("refreshToken") ?? ""
        let wanted = text("name") ?? ""
        self.name = DisplayName(wanted)
        if self.name == nil, !wanted.isEmpty { return nil }
    }
}

extension IdentityRefusal {
    /// In the words and numbers of HTTP.
    fileprivate var answer: (HTTPStatus, SwitchboardError) {
        switch self {
        case .nameEmpty, .nameInvalid:
            let rule = "a user name has 4 to 15 letters, digits and underscores, none of them at its ends"
            return (.badRequest, SwitchboardError(.badRequest, rule))
        case .passwordEmpty, .passwordTooShort, .passwordTooLong, .passwordInvalid:
            return (
                .badRequest, SwitchboardError(.badRequest, "the password is empty, too short, too long or untypable")
            )
        case .nameTaken: return (.conflict, SwitchboardError(.conflict, "this user name is taken"))
        case .wrongCredentials: return (.unauthorized, SwitchboardError(.unauthorized, "wrong user name or password"))
        case .tooManyAttempts(let wait):
            return (.tooManyRequests, SwitchboardError(.rateLimited, "too many attempts", retryAfter: wait))
        case .banned: return (.forbidden, SwitchboardError(.banned, "you are banned"))
        case .unavailable: return (.serviceUnavailable, SwitchboardError(.unavailable, "try again later"))
        case .token, .revoked, .refreshUnknown, .refreshExpired, .refreshReused, .wrongApplication:
            return (.unauthorized, SwitchboardError(.unauthorized, "sign in anew"))
        }
    }
}

extension SignIn {
    fileprivate var answer: AuthRoutes.Answer {
        let name = self.identity.displayName?.text ?? self.name?.text ?? self.identity.user.text
        return { json in
            json.fields(
                ("user", self.identity.user.text), ("name", name), ("accessToken", self.access.text),
                ("refreshToken", self.refresh.text)
            ) { json in
                json.key("expires")
                json.integer(self.access.expiry.milliseconds)
            }
        }
    }
}
