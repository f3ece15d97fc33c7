internal import HTTPServer
internal import Identity
internal import JSON
internal import Journal
internal import Keeping
internal import Operations
internal import Switchboard
internal import Vocabulary
internal import Web

/// Signing in over HTTP: `/v1/auth/…`, JSON both ways.
struct AuthRoutes: Sendable {
    let accounts: Accounts
    private let filter: WordFilter
    /// Hears of each refused sign-in and where it came from, for those who lock out who guesses; nil for nobody.
    let journal: Journal?
    /// What the button says for whom a provider vouches; nil where there is none.
    let openID: OpenIDSettings?
    /// Told when a user has deleted their account.
    let onDeletion: @Sendable (ChangedProfile) -> Void

    init(
        accounts: Accounts, filter: WordFilter, journal: Journal?, openID: OpenIDSettings?,
        onDeletion: @escaping @Sendable (ChangedProfile) -> Void
    ) {
        self.accounts = accounts
        self.filter = filter
        self.journal = journal
        self.openID = openID
        self.onDeletion = onDeletion
    }

    private static let maximumBodyBytes = 16 << 10

    func add(to router: inout Router) {
        self.addOwn(to: &router)
        router.on(.get, "/v1/auth/methods") { exchange, _ in
            self.respond(exchange, .ok) { $0.methods(self.accounts.signInMethods, self.openID) }
        }
        self.add("anonymous", to: &router) { (form: AuthForm, address) throws(IdentityRefusal) in
            try self.check(form)
            return try await self.accounts.signInAnonymously(as: form.name, from: address).answer
        }
        self.add("register", to: &router) { (form: AuthForm, address) throws(IdentityRefusal) in
            try self.check(form)
            let registration = Registration(
                name: form.userName, password: form.password, displayName: form.name)
            return try await self.accounts.register(registration, from: address).answer
        }
        self.add("login", to: &router) { (form: AuthForm, address) throws(IdentityRefusal) in
            try await self.accounts.logIn(name: form.userName, password: form.password, from: address).answer
        }
        self.add("refresh", to: &router) { (form: AuthForm, address) throws(IdentityRefusal) in
            try await self.accounts.refresh(form.refreshToken, from: address).answer
        }
        self.add("logout", to: &router) { (form: AuthForm, _) throws(IdentityRefusal) in
            try await self.accounts.signOut(form.refreshToken)
            return { $0.object { _ in } }
        }
        self.add("token", to: &router) { (form: TokenForm, address) throws(IdentityRefusal) in
            let (identity, token) = try await self.accounts.issueToken(
                for: form.user, displayName: form.name, avatar: form.picture, application: form.application,
                secret: form.secret, isForOneUse: form.isForOneUse, from: address)
            return { $0.signedIn(identity, nil, token, refresh: nil) }
        }
    }

    /// Nobody is called by a word that is not allowed here.
    private func check(_ form: AuthForm) throws(IdentityRefusal) {
        for name in [form.name, DisplayName(form.userName)].compactMap(\.self) where self.filter.refuses(name) {
            throw .nameRefused
        }
    }

    /// What users do with their own account, by their access token.
    private func addOwn(to router: inout Router) {
        self.add(.post, "/v1/auth/password", to: &router) { identity, body, _, address throws(IdentityRefusal) in
            guard let form = PasswordForm(body) else { throw .passwordEmpty }
            return try await self.accounts.changePassword(
                of: identity, from: form.password, to: form.newPassword, by: address
            ).answer
        }
        self.add(.get, "/v1/auth/devices", to: &router) { identity, _, _, _ throws(IdentityRefusal) in
            let devices = try await self.accounts.devices(of: identity.user)
            return { $0.devices(devices, current: identity.family) }
        }
        self.add(.delete, "/v1/auth/devices/:device", to: &router) { identity, _, device, _ throws(IdentityRefusal) in
            guard let device = device.flatMap({ RandomToken($0) }),
                try await self.accounts.signOut(device, of: identity.user)
            else { throw .refreshUnknown }
            return { $0.object { _ in } }
        }
        self.add(.delete, "/v1/auth/devices", to: &router) { identity, _, _, _ throws(IdentityRefusal) in
            try await self.accounts.revokeAll(of: identity.user)
            return { $0.object { _ in } }
        }
        self.add(.delete, "/v1/auth/account", to: &router) { identity, body, _, address throws(IdentityRefusal) in
            let password = PasswordForm(body)?.password ?? ""
            self.onDeletion(try await self.accounts.deleteAccount(of: identity, password: password, by: address))
            return { $0.object { _ in } }
        }
    }

    private typealias OwnWork =
        @Sendable (Identity, _ body: [UInt8], _ device: String?, IPAddress) async throws(IdentityRefusal) -> Answer

    private func add(_ method: HTTPMethod, _ path: String, to router: inout Router, _ work: @escaping OwnWork) {
        router.on(method, path) { exchange, parameters in
            let identity: Identity
            do throws(RequestError) {
                identity = try self.accounts.identity(of: exchange)
            } catch {
                return self.refuse(exchange, APIProblem.status(of: error.code), error)
            }
            let device = parameters["device"]
            exchange.collectBody(limit: Self.maximumBodyBytes) { body in
                exchange.signIn { address throws(IdentityRefusal) in
                    try await work(identity, body, device, address)
                } then: {
                    self.answer(exchange, $0)
                }
            }
        }
    }

    /// Writes what came of it.
    typealias Answer = @Sendable (inout JSONWriter) -> Void
    private typealias Work<Form> = @Sendable (Form, IPAddress) async throws(IdentityRefusal) -> Answer

    private func add<Form: FilledForm>(_ name: String, to router: inout Router, _ work: @escaping Work<Form>) {
        router.on(.post, "/v1/auth/\(name)") { exchange, _ in
            exchange.collectBody(limit: Self.maximumBodyBytes) { self.answer(exchange, $0, work) }
        }
    }

    private func answer<Form: FilledForm>(_ exchange: HTTPExchange, _ body: [UInt8], _ work: @escaping Work<Form>) {
        guard let form = Form(body) else {
            return self.refuse(exchange, .badRequest, RequestError(.badRequest, Form.rule))
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
            self.log(exchange, status, error)
            self.refuse(exchange, status, error)
        }
    }

    private func log(_ exchange: HTTPExchange, _ status: HTTPStatus, _ error: RequestError) {
        guard status != .serviceUnavailable else { return }
        self.journal?.warning(
            .signInRefused, "a sign-in was refused",
            [
                .address: .plain(exchange.client), .reason: .plain(error.code.rawValue),
                .status: .integer(status.code),
            ])
    }

    private func refuse(_ exchange: HTTPExchange, _ status: HTTPStatus, _ error: RequestError) {
        // `error` is what clients from before problem details were told.
        exchange.respond(APIProblem.response(error, status: status) { $0.errorMember(error) })
    }

    private func respond(_ exchange: HTTPExchange, _ status: HTTPStatus, _ body: (inout JSONWriter) -> Void) {
        var response = HTTPResponse.json(status, JSONWriter.bytes(body))
        response.head.fields.set(.cacheControl, to: "no-store")
        exchange.respond(response)
    }
}

extension IdentityRefusal {
    /// In the words and numbers of HTTP.
    fileprivate var answer: (HTTPStatus, RequestError) {
        switch self {
        case .nameEmpty, .nameInvalid:
            let rule =
                "field 'userName' must have 4 to 15 letters, digits and underscores, and no underscore at its ends"
            return (.badRequest, RequestError(.badRequest, rule))
        case .passwordEmpty, .passwordTooShort, .passwordTooLong, .passwordInvalid:
            return (
                .badRequest,
                RequestError(
                    .badRequest,
                    "field 'password' must have at least 8 characters, at most 1024 bytes, and none that cannot be typed"
                )
            )
        case .passwordFrequent:
            return (
                .badRequest,
                RequestError(.badRequest, "this password is among those that are guessed first; choose another")
            )
        case .closed: return (.forbidden, RequestError(.forbidden, "this way to sign in is closed on this server"))
        case .nameRefused: return (.forbidden, WordFilter.refusal)
        case .deleted: return (.forbidden, RequestError(.forbidden, "this account was deleted"))
        case .stale:
            return (
                .unauthorized,
                RequestError(.unauthorized, "this needs a fresh token: refresh it and ask within five minutes")
            )
        case .nameTaken: return (.conflict, RequestError(.conflict, "this user name is taken"))
        case .wrongCredentials: return (.unauthorized, RequestError(.unauthorized, "wrong user name or password"))
        case .tooManyAttempts(let wait):
            return (.tooManyRequests, RequestError(.rateLimited, "too many attempts", retryAfter: wait))
        case .banned: return (.forbidden, RequestError(.banned, "you are banned"))
        case .unavailable: return (.serviceUnavailable, RequestError(.unavailable, "try again later"))
        case .wrongApplication: return (.unauthorized, RequestError(.unauthorized, "wrong application or secret"))
        case .unproven:
            return (.unauthorized, RequestError(.unauthorized, "the sign-in was not confirmed; begin it again"))
        case .foreignUser: return (.forbidden, RequestError(.forbidden, "this application may not vouch for this user"))
        case .token, .revoked, .refreshUnknown, .refreshExpired, .refreshReused:
            return (.unauthorized, RequestError(.unauthorized, "the token is not valid any more; sign in again"))
        }
    }
}

extension SignIn {
    /// What whoever signs in is told.
    var answer: AuthRoutes.Answer {
        { $0.signedIn(self.identity, self.name, self.access, refresh: self.refresh) }
    }
}

extension JSONWriter {
    /// Which ways to sign in a page may offer.
    fileprivate mutating func methods(_ open: SignInMethods, _ openID: OpenIDSettings?) {
        self.object { json in
            json.field("anonymous", open.contains(.anonymous))
            json.field("register", open.contains(.register))
            json.field("applications", open.contains(.applications))
            guard let openID else { return }
            json.object("oidc") { json in
                json.field("start", OpenIDRoutes.start)
                json.optional("label", openID.label)
            }
        }
    }

    fileprivate mutating func devices(_ devices: [RefreshFamily.Use], current: RandomToken?) {
        self.object { json in
            json.array("devices") { json in
                for device in devices {
                    json.object { json in
                        json.field("device", device.family.text)
                        json.field("lastUsed", device.lastUsed.milliseconds)
                        json.field("expires", device.expiry.milliseconds)
                        json.field("current", device.family == current)
                    }
                }
            }
        }
    }

    fileprivate mutating func signedIn(
        _ identity: Identity, _ userName: UserName?, _ access: SignIn.Token, refresh: SignIn.Token?
    ) {
        let name = identity.displayName?.text ?? userName?.text ?? identity.user.text
        self.fields(("user", identity.user.text), ("name", name), ("accessToken", access.text)) { json in
            json.optional("refreshToken", refresh?.text)
            json.field("expires", access.expiry.milliseconds)
        }
    }
}

extension LogName {
    static let signInRefused = LogName("auth.refused")
}
