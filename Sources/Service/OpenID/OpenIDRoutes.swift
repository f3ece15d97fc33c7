internal import HTTPServer
internal import Hashing
internal import Identity
internal import JSON
internal import Journal
internal import Operations
internal import Reactor
internal import Switchboard
internal import System
internal import Vocabulary
internal import Web

/// Signing in at a provider of OpenID Connect: the browser goes there, comes back with a code, and its page fetches the tokens.
///
///     page ──GET oidc──▶ provider ──GET oidc/callback?code──▶ page?signed-in ──POST oidc/session──▶ tokens
///
/// A cookie that scripts cannot read holds the sign-in together: the ticket on the way there, the key to the tokens on the
/// way back. No secret stands in an address. The tokens are kept by the node to which the browser came back; other nodes forward
/// the request for them.
final class OpenIDRoutes: Sendable {
    private let accounts: Accounts
    private let provider: OpenIDProvider
    private let filter: WordFilter
    private let ticketKey: [UInt8]
    private let journal: Journal
    private let handover: Locked<SignInHandover>

    private static let cookie = "parley-sign-in"
    static let start = "/v1/auth/oidc"

    init(
        _ accounts: Accounts, _ provider: OpenIDProvider, _ filter: WordFilter, _ secret: ServerSecret,
        on node: RandomToken?, _ journal: Journal
    ) {
        self.accounts = accounts
        self.provider = provider
        self.filter = filter
        self.ticketKey = secret.key(for: "sign-ins at a provider")
        self.handover = Locked(SignInHandover(on: node))
        self.journal = journal
    }

    /// Forwards a request to the node whose name a token begins with; false when there is no such node.
    typealias Forward = @Sendable (HTTPExchange, RandomToken, @escaping (HTTPExchange) -> Void) -> Bool

    func add(to router: inout Router, forward: @escaping Forward) {
        router.on(.get, Self.start) { exchange, _ in self.begin(exchange) }
        router.on(.get, "\(Self.start)/callback") { exchange, _ in self.comeBack(exchange) }
        router.on(.post, "\(Self.start)/session") { exchange, _ in self.handOver(exchange, forward) }
        router.on(.get, "\(Self.start)/logout") { exchange, _ in self.end(exchange) }
    }

    /// How a sign-in went, in the address that the page is opened with.
    private enum Word: String {
        case done = "signed-in"
        case unavailable = "sign-in=unavailable"
        case refused = "sign-in=refused"
        case expired = "sign-in=expired"
        case banned = "sign-in=banned"
        case busy = "sign-in=busy"
    }
}

// MARK: - There

extension OpenIDRoutes {
    private func begin(_ exchange: HTTPExchange) {
        let origin = exchange.origin
        let ticket = SignInTicket(
            redirectURL: "\(origin)\(Self.start)/callback", returnPath: exchange.parameter("return") ?? "/",
            at: SystemClock.now())
        self.ask(exchange) { found in
            switch found {
            case .success(let provider):
                self.redirect(
                    exchange, to: provider.authorizationURL(ticket), keeping: ticket.sealed(with: self.ticketKey),
                    for: SignInTicket.lifetime)
            case .failure(let error):
                self.report(error)
                self.redirect(exchange, to: ticket.returnPath(saying: Word.unavailable.rawValue))
            }
        }
    }

    /// Signs out there, too, so that the next person at this browser is asked who they are.
    private func end(_ exchange: HTTPExchange) {
        let origin = exchange.origin
        self.ask(exchange) { found in
            let url = (try? found.get())?.endSessionURL(backTo: "\(origin)/")
            self.redirect(exchange, to: url ?? "/", keeping: "", for: .zero)
        }
    }

    private func ask(_ exchange: HTTPExchange, _ answer: @escaping (Result<OpenIDExchange, OpenIDError>) -> Void) {
        exchange.reactor.perform(
            { [provider] () -> Result<OpenIDExchange, OpenIDError> in
                do throws(OpenIDError) {
                    return .success(try await provider.exchange())
                } catch {
                    return .failure(error)
                }
            }, completion: answer)
    }
}

// MARK: - And back

extension OpenIDRoutes {
    private func comeBack(_ exchange: HTTPExchange) {
        let kept = BearerToken.cookie(Self.cookie, in: exchange.request.fields) ?? ""
        guard let ticket = SignInTicket(opening: kept, with: self.ticketKey, at: SystemClock.now()) else {
            return self.redirect(exchange, to: "/?\(Word.expired.rawValue)", keeping: "", for: .zero)
        }
        let state = Array((exchange.parameter("state") ?? "").utf8)
        guard ConstantTime.areEqual(Array(ticket.state.utf8), state) else {
            return self.finish(exchange, ticket, .expired)
        }
        // Another provider's answer is none to our question (RFC 9207).
        if let issuer = exchange.parameter("iss"), issuer != self.provider.settings.issuer {
            return self.fail(exchange, ticket, .foreignIssuer(String(issuer.prefix(200))))
        }
        guard let code = exchange.parameter("code") else {
            let words = OpenIDExchange.shown(
                exchange.parameter("error") ?? "it sent no code", exchange.parameter("error_description"))
            return self.fail(exchange, ticket, .refused(words))
        }
        self.signIn(exchange, ticket, code)
    }

    private func signIn(_ exchange: HTTPExchange, _ ticket: SignInTicket, _ code: String) {
        exchange.signIn { address throws(IdentityRefusal) in
            try await self.accounts.signIn(from: address) { () throws(IdentityRefusal) in
                try await self.user(code, ticket)
            }
        } then: { result in
            switch result {
            case .success(let signIn):
                let token = self.handover.withLock { $0.put(signIn, at: SystemClock.now()) }
                self.redirect(
                    exchange, to: ticket.returnPath(saying: Word.done.rawValue), keeping: token.text,
                    for: SignInHandover.lifetime)
            case .failure(let refusal): self.finish(exchange, ticket, Self.word(for: refusal))
            }
        }
    }

    private func user(_ code: String, _ ticket: SignInTicket) async throws(IdentityRefusal) -> ProviderUser {
        do throws(OpenIDError) {
            var user = try await self.provider.user(code: code, ticket)
            // Nobody is called by a word that is not allowed here.
            if let name = user.displayName, self.filter.refuses(name) { user.displayName = nil }
            return user
        } catch {
            self.report(error)
            throw error.refusal
        }
    }

    private static func word(for refusal: IdentityRefusal) -> Word {
        switch refusal {
        case .unavailable: .unavailable
        case .banned, .deleted: .banned
        case .tooManyAttempts: .busy
        default: .refused
        }
    }

    private func fail(_ exchange: HTTPExchange, _ ticket: SignInTicket, _ error: OpenIDError) {
        self.report(error)
        self.finish(exchange, ticket, .refused)
    }

    private func finish(_ exchange: HTTPExchange, _ ticket: SignInTicket, _ word: Word) {
        self.redirect(exchange, to: ticket.returnPath(saying: word.rawValue), keeping: "", for: .zero)
    }

    /// The page of this very browser gets what its sign-in came to, once.
    private func handOver(_ exchange: HTTPExchange, _ forward: Forward) {
        let kept = BearerToken.cookie(Self.cookie, in: exchange.request.fields).flatMap { RandomToken($0) }
        let found = kept.flatMap { token in self.handover.withLock { $0.take(token, at: SystemClock.now()) } }
        guard let signIn = found else {
            guard let kept, forward(exchange, kept, Self.refuseHandover) else { return Self.refuseHandover(exchange) }
            return
        }
        var response = HTTPResponse.json(.ok, JSONWriter.bytes(signIn.answer))
        response.head.fields.set(.cacheControl, to: "no-store")
        response.head.fields.set("Set-Cookie", to: self.cookie("", for: .zero, exchange))
        exchange.respond(response)
    }

    private static func refuseHandover(_ exchange: HTTPExchange) {
        let error = RequestError(.unauthorized, "no sign-in waits for this browser; begin it again")
        exchange.respond(APIProblem.response(error, status: .unauthorized))
    }
}

// MARK: - Answers

extension OpenIDRoutes {
    private func report(_ error: OpenIDError) {
        self.journal.warning(
            .openIDFailed, "a sign-in at the OpenID provider came to nothing", [.error: .plain("\(error)")])
    }

    /// - Parameter cookie: nil leaves the browser's as it is.
    private func redirect(
        _ exchange: HTTPExchange, to url: String, keeping cookie: String? = nil, for life: Duration = .zero
    ) {
        var response = HTTPResponse(
            .seeOther, fields: [.location: url, .cacheControl: "no-store", "Referrer-Policy": "no-referrer"])
        if let cookie { response.head.fields.set("Set-Cookie", to: self.cookie(cookie, for: life, exchange)) }
        exchange.respond(response)
    }

    private func cookie(_ value: String, for life: Duration, _ exchange: HTTPExchange) -> String {
        let secure = exchange.origin.hasPrefix("https:") ? "; Secure" : ""
        let seconds = life.components.seconds
        // Lax: the provider's page leads back here, and the cookie has to come along.
        return "\(Self.cookie)=\(value); Path=\(Self.start); Max-Age=\(seconds); HttpOnly; SameSite=Lax\(secure)"
    }
}

extension HTTPExchange {
    /// The origin by which the browser reached this server.
    fileprivate var origin: String {
        "\(self.isSecure ? "https" : "http")://\(self.request.authority ?? "localhost")"
    }

    /// Whether the client came by TLS. A reverse proxy says so in X-Forwarded-Proto. A client that forges it harms only itself: a provider
    /// redirects to no address that was not registered with it.
    var isSecure: Bool { self.isEncrypted || self.request.fields[.forwardedProtocol] == "https" }

    fileprivate func parameter(_ name: String) -> String? { QueryItems(self.request.query ?? "", limit: 32)?[name] }
}

extension HTTPFieldName {
    static let forwardedProtocol = HTTPFieldName("X-Forwarded-Proto")
}

extension LogName {
    static let openIDFailed = LogName("oidc.failed")
}
