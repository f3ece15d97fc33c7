internal import HTTPServer
internal import Identity
internal import JSON
internal import Reactor
internal import RealtimeTree
internal import Secure
internal import Vocabulary
internal import Web

/// How SDKs sign in: anonymously, with a token of a program that vouches for its user, and as an administrator.
///
/// In emulator mode SDKs put the vendor's host in front of the path, so both forms are here.
struct TreeSignIn: Sendable {
    let site: DoorSite
    let tokens: TreeTokens
    /// Programs that act as administrators and vouch for users.
    let programs: [ServiceAccount]

    private static let maximumBodyBytes = 32 << 10
    private static let accountPlaces = [
        "/identitytoolkit.googleapis.com/v1/accounts:", "/www.googleapis.com/identitytoolkit/v3/relyingparty/",
    ]
    private static let accountCalls: [(names: [String], call: Call)] = [
        (["signUp", "signupNewUser"], .signUp), (["lookup", "getAccountInfo"], .lookUp),
        (["signInWithCustomToken", "verifyCustomToken"], .vouched), (["delete", "deleteAccount"], .delete),
        (["update", "setAccountInfo"], .update),
    ]

    private enum Call { case signUp, lookUp, vouched, delete, update }

    func add(to router: inout Router) {
        for place in Self.accountPlaces {
            for (names, call) in Self.accountCalls {
                for name in names {
                    router.on(.post, place + name) { exchange, _ in
                        exchange.collectBody(limit: Self.maximumBodyBytes) { self.carryOut(call, $0, exchange) }
                    }
                }
            }
        }
        for path in ["/securetoken.googleapis.com/v1/token", "/v1/token"] {
            router.on(.post, path) { exchange, _ in
                exchange.collectBody(limit: Self.maximumBodyBytes) { self.renew($0, exchange) }
            }
        }
        for path in ["/token", "/oauth2.googleapis.com/token"] {
            router.on(.post, path) { exchange, _ in
                exchange.collectBody(limit: Self.maximumBodyBytes) { self.admit($0, exchange) }
            }
        }
    }

    // MARK: - Answers

    static func answer(_ exchange: HTTPExchange, _ body: (inout JSONWriter) -> Void) {
        var response = HTTPResponse.json(.ok, JSONWriter.object(body))
        response.head.fields.set(.cacheControl, to: "no-store")
        exchange.respond(response)
    }

    static func refuse(_ exchange: HTTPExchange, _ message: String, _ status: HTTPStatus = .badRequest) {
        let json = JSONWriter.object { json in
            json.object("error") { json in
                json.field("code", status.code)
                json.field("message", message)
                json.array("errors") { json in
                    json.fields(("message", message), ("reason", "invalid"), ("domain", "global"))
                }
            }
        }
        exchange.respond(.json(status, json))
    }

    // MARK: - Users

    private func carryOut(_ call: Call, _ body: [UInt8], _ exchange: HTTPExchange) {
        let body = body.isEmpty ? Array("{}".utf8) : body
        guard let form = try? JSONObject(body.span) else {
            return Self.refuse(exchange, "INVALID_REQUEST")
        }
        switch call {
        case .signUp:
            guard form["email", .text] == nil, form["password", .text] == nil else {
                return Self.refuse(exchange, "OPERATION_NOT_ALLOWED")
            }
            self.signUp(exchange)
        case .lookUp: self.withUser(form["idToken", .text], exchange) { self.describe($0, exchange) }
        case .vouched: self.vouched(form["token", .text] ?? "", exchange)
        case .delete: self.withUser(form["idToken", .text], exchange) { self.delete($0, exchange) }
        case .update: self.withUser(form["idToken", .text], exchange) { self.update($0, exchange) }
        }
    }

    private var now: Int64 { SystemClock.now().seconds }

    private func signUp(_ exchange: HTTPExchange) {
        let (accounts, client) = (self.site.accounts, exchange.client)
        self.perform(exchange) { () async throws(IdentityRefusal) in
            try await accounts.signInAnonymously(from: client).identity.user.text
        } _: { user in
            let claims = TreeTokens.Claims(
                user: user, provider: "anonymous", issuedAt: self.now, signedInAt: self.now)
            self.give(claims, "identitytoolkit#SignupNewUserResponse", exchange)
        }
    }

    private func give(_ claims: TreeTokens.Claims, _ kind: String, _ exchange: HTTPExchange, isNew: Bool? = nil) {
        Self.answer(exchange) { json in
            json.field("kind", kind)
            json.field("idToken", self.tokens.sign(claims, .id))
            json.field("refreshToken", self.tokens.sign(claims, .refresh))
            json.field("expiresIn", "\(TreeTokens.life)")
            if let isNew { json.field("isNewUser", isNew) } else { json.field("localId", claims.user) }
        }
    }

    private func withUser(
        _ token: String?, _ exchange: HTTPExchange, _ body: (TreeTokens.Claims) -> Void
    ) {
        guard let token else { return Self.refuse(exchange, "MISSING_ID_TOKEN") }
        do throws(TreeProblem) {
            let claims = try self.tokens.claims(of: token, .id, at: SystemClock.now())
            if let user = UserID(claims.user) { try self.checkMayEnter(user, issuedAt: claims.issuedAt) }
            body(claims)
        } catch {
            Self.refuse(exchange, error == .expired ? "TOKEN_EXPIRED" : "INVALID_ID_TOKEN")
        }
    }

    private func checkMayEnter(_ user: UserID, issuedAt: Int64) throws(TreeProblem) {
        let gate = TreeGate(accounts: self.site.accounts, tokens: self.tokens, isEmulator: false)
        _ = try gate.checked(user, issuedAt: issuedAt, expiry: self.now + TreeTokens.life)
    }

    private func describe(_ claims: TreeTokens.Claims, _ exchange: HTTPExchange) {
        Self.answer(exchange) { json in
            json.field("kind", "identitytoolkit#GetAccountInfoResponse")
            json.array("users") { json in
                json.object { json in
                    json.field("localId", claims.user)
                    json.field("createdAt", "\(claims.signedInAt * 1000)")
                    json.field("lastLoginAt", "\(claims.signedInAt * 1000)")
                    if claims.provider == "custom" { json.field("customAuth", true) }
                }
            }
        }
    }

    /// There is nothing to change of a user without a name; the answer says who it is.
    private func update(_ claims: TreeTokens.Claims, _ exchange: HTTPExchange) {
        Self.answer(exchange) { json in
            json.field("kind", "identitytoolkit#SetAccountInfoResponse")
            json.field("localId", claims.user)
        }
    }

    private func delete(_ claims: TreeTokens.Claims, _ exchange: HTTPExchange) {
        guard let user = UserID(claims.user) else { return Self.refuse(exchange, "USER_NOT_FOUND") }
        let accounts = self.site.accounts
        self.perform(exchange) { () async throws(IdentityRefusal) in
            _ = try await accounts.delete(user)
            return ""
        } _: { _ in
            Self.answer(exchange) { $0.field("kind", "identitytoolkit#DeleteAccountResponse") }
        }
    }

    private func perform(
        _ exchange: HTTPExchange, _ work: @escaping @Sendable () async throws(IdentityRefusal) -> String,
        _ done: @escaping (String) -> Void
    ) {
        exchange.reactor.perform {
            do throws(IdentityRefusal) {
                return Result<String, IdentityRefusal>.success(try await work())
            } catch {
                return .failure(error)
            }
        } completion: { result in
            switch result {
            case .success(let value): done(value)
            case .failure(.closed): Self.refuse(exchange, "ADMIN_ONLY_OPERATION")
            case .failure(.tooManyAttempts): Self.refuse(exchange, "TOO_MANY_ATTEMPTS_TRY_LATER")
            case .failure(.banned), .failure(.deleted): Self.refuse(exchange, "USER_DISABLED")
            case .failure: Self.refuse(exchange, "INTERNAL_ERROR", .serviceUnavailable)
            }
        }
    }

    // MARK: - Users of other programs

    private static let customAudience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    private func vouched(_ token: String, _ exchange: HTTPExchange) {
        guard let payload = self.programs.lazy.compactMap({ $0.claims(ofToken: token) }).first,
            let claims = try? JSONObject(payload.span), claims["aud", .text] == Self.customAudience,
            let user = claims["uid", .text], (1...128).contains(user.utf8.count),
            let expiry = claims["exp", .integer], self.now < Int64(expiry)
        else { return Self.refuse(exchange, "INVALID_CUSTOM_TOKEN") }
        let given = TreeTokens.Claims(
            user: user, provider: "custom", custom: claims["claims", .raw], issuedAt: self.now, signedInAt: self.now)
        do throws(TreeProblem) {
            if let id = UserID(user) { try self.checkMayEnter(id, issuedAt: self.now) }
            self.give(given, "identitytoolkit#VerifyCustomTokenResponse", exchange, isNew: false)
        } catch {
            Self.refuse(exchange, "USER_DISABLED")
        }
    }

    // MARK: - Renewing

    /// The token that renews stays the same for good: tabs share one and renew beside each other.
    private func renew(_ body: [UInt8], _ exchange: HTTPExchange) {
        guard let token = Self.member(["refresh_token", "refreshToken"], body) else {
            return Self.refuse(exchange, "MISSING_REFRESH_TOKEN")
        }
        do throws(TreeProblem) {
            var claims = try self.tokens.claims(of: token, .refresh, at: SystemClock.now())
            if let user = UserID(claims.user) { try self.checkMayEnter(user, issuedAt: claims.issuedAt) }
            claims.issuedAt = self.now
            let fresh = self.tokens.sign(claims, .id)
            Self.answer(exchange) { json in
                json.field("access_token", fresh)
                json.field("id_token", fresh)
                json.field("expires_in", "\(TreeTokens.life)")
                json.field("token_type", "Bearer")
                json.field("refresh_token", token)
                json.field("user_id", claims.user)
                json.field("project_id", self.tokens.project)
            }
        } catch {
            Self.refuse(exchange, "INVALID_REFRESH_TOKEN")
        }
    }

    /// Of a form or of a JSON object, as some SDKs send it.
    private static func member(_ names: [String], _ body: [UInt8]) -> String? {
        if body.first == UInt8(ascii: "{") {
            guard let form = try? JSONObject(body.span) else { return nil }
            for name in names { if let found = form[name, .text] { return found } }
            return nil
        }
        guard let form = QueryItems(String(decoding: body, as: UTF8.self)) else { return nil }
        return names.lazy.compactMap { form[$0] }.first
    }

    // MARK: - Administrators

    private static let assertionAudiences: Set = [
        "https://oauth2.googleapis.com/token", "https://accounts.google.com/o/oauth2/token",
        "https://www.googleapis.com/oauth2/v4/token",
    ]

    /// A program shows what it signed with its account's key, and gets access for an hour (RFC 7523).
    private func admit(_ body: [UInt8], _ exchange: HTTPExchange) {
        let assertion = Self.member(["assertion"], body) ?? ""
        guard let program = self.programs.first(where: { $0.claims(ofToken: assertion) != nil }),
            let payload = program.claims(ofToken: assertion), let claims = try? JSONObject(payload.span),
            claims["iss", .text] == program.email, let audience = claims["aud", .text],
            Self.assertionAudiences.contains(audience) || audience == program.tokenURL,
            let expiry = claims["exp", .integer], let issuedAt = claims["iat", .integer],
            self.now < Int64(expiry), Int64(issuedAt) <= self.now + 300, expiry - issuedAt <= 3600
        else {
            let json = JSONWriter.bytes {
                $0.fields(("error", "invalid_grant"), ("error_description", "Invalid JWT Signature.")) { _ in }
            }
            return exchange.respond(.json(.badRequest, json))
        }
        let given = TreeTokens.Claims(
            user: program.email, provider: "service_account", issuedAt: self.now, signedInAt: self.now)
        Self.answer(exchange) { json in
            json.field("access_token", self.tokens.sign(given, .administrator))
            json.field("expires_in", TreeTokens.life - 1)
            json.field("token_type", "Bearer")
        }
    }
}
