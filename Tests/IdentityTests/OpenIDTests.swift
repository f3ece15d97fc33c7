import Bytes
import Hashing
import Identity
import Secure
import TestSupport
import Testing
import Vocabulary
import Web

private let now = WallTime(seconds: 1_700_000_000)
private let key = Array("what only the server knows, 40 bytes or so".utf8)
private let issuer = "https://id.example"

@Suite("What an OpenID provider says of itself")
struct OpenIDDiscoveryTests {
    private static let document = """
        {"issuer":"https://id.example","authorization_endpoint":"https://id.example/go?a=b",\
        "token_endpoint":"https://tokens.example/","jwks_uri":"https://id.example/keys","other":{"a":[1,2,{}]}}
        """

    @Test("is where to go, with the secret in HTTP Basic unless it takes it in the form alone")
    func reads() throws {
        let found = try OpenIDDiscovery(parsing: Array(Self.document.utf8), issuer: issuer)
        #expect(found.authorizationEndpoint == "https://id.example/go?a=b" && found.endSessionEndpoint == nil)
        #expect(found.tokenEndpoint == "https://tokens.example/" && !found.wantsSecretInForm)
        for (methods, inForm) in [
            (#"["client_secret_post"]"#, true), (#"["client_secret_post","client_secret_basic"]"#, false),
            (#"["private_key_jwt"]"#, false), ("7", false),
        ] {
            let text = Self.document.replacing(
                #""other""#, with: "\"token_endpoint_auth_methods_supported\":\(methods),\"other\"")
            #expect(try OpenIDDiscovery(parsing: Array(text.utf8), issuer: issuer).wantsSecretInForm == inForm)
        }
    }

    @Test(
        "is refused where it is another's, or sends people elsewhere than to a server with TLS",
        arguments: [
            ("https://id.example\"", "https://id.example/\"", OpenIDError.foreignIssuer("https://id.example/")),
            ("https://id.example\"", "https://evil.example\"", .foreignIssuer("https://evil.example")),
            ("\"issuer\"", "\"isuer\"", .badDiscovery("'issuer' is missing")),
            ("https://id.example/go", "http://id.example/go", .badEndpoint("authorization_endpoint")),
            ("https://id.example/go", "javascript:alert(1)", .badEndpoint("authorization_endpoint")),
            ("https://id.example/go", "https://id.example/\\r\\nX: y", .badEndpoint("authorization_endpoint")),
            ("https://tokens.example/", "file:///etc/passwd", .badEndpoint("token_endpoint")),
            ("\"jwks_uri\"", "\"jwks\"", .badDiscovery("'jwks_uri' is missing")),
        ])
    func refuses(part: String, other: String, error: OpenIDError) {
        let text = Self.document.replacing(part, with: other)
        #expect(throws: error) { try OpenIDDiscovery(parsing: Array(text.utf8), issuer: issuer) }
    }

    @Test("is refused when it is cut short, or too long")
    func cut() {
        let bytes = Array(Self.document.utf8)
        for end in bytes.indices {
            #expect(throws: OpenIDError.self) { try OpenIDDiscovery(parsing: Array(bytes[..<end]), issuer: issuer) }
        }
        let long = bytes + [UInt8](repeating: 0x20, count: OpenIDDiscovery.maximumBytes)
        #expect(throws: OpenIDError.self) { try OpenIDDiscovery(parsing: long, issuer: issuer) }
    }

    static var found: OpenIDDiscovery {
        get throws { try OpenIDDiscovery(parsing: Array(self.document.utf8), issuer: issuer) }
    }
}

@Suite("A sign-in that is under way at a provider")
struct SignInTicketTests {
    private static func ticket(back path: String = "/#/c/1") -> SignInTicket {
        SignInTicket(redirectURL: "https://talk.example/v1/auth/oidc/callback", returnPath: path, at: now)
    }

    @Test("is opened by whoever sealed it, for ten minutes, and is another each time")
    func opens() {
        let ticket = Self.ticket()
        let sealed = ticket.sealed(with: key)
        #expect(SignInTicket(opening: sealed, with: key, at: now) == ticket)
        #expect(SignInTicket(opening: sealed, with: [0] + key, at: now) == nil)
        #expect(SignInTicket(opening: sealed, with: key, at: now + .seconds(599)) == ticket)
        #expect(SignInTicket(opening: sealed, with: key, at: now + .seconds(600)) == nil)
        #expect(Set([ticket.state, ticket.nonce, ticket.verifier, Self.ticket().state]).count == 4)
        #expect(sealed.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !Array("\",;\\".utf8).contains($0) })
    }

    @Test("is not opened with a byte missing or changed")
    func forged() {
        let sealed = Array(Self.ticket().sealed(with: key).utf8)
        for end in sealed.indices {
            #expect(SignInTicket(opening: String(decoding: sealed[..<end], as: UTF8.self), with: key, at: now) == nil)
            var changed = sealed
            changed[end] = changed[end] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            // The last letter of Base64 has bits that mean nothing.
            let isSpare = end == sealed.count - 1
            let opened = SignInTicket(opening: String(decoding: changed, as: UTF8.self), with: key, at: now)
            #expect(opened == nil || isSpare)
        }
    }

    @Test(
        "leads back to a place of this server alone",
        arguments: [
            ("/#/c/1", "/?signed-in#/c/1"), ("/", "/?signed-in"), ("/a?b=c#d", "/a?b=c&signed-in#d"),
            ("//evil.example", "/?signed-in"), ("/\\evil.example", "/?signed-in"),
            ("https://evil.example", "/?signed-in"),
            ("", "/?signed-in"), ("/a\r\nSet-Cookie: b", "/?signed-in"), ("javascript:alert(1)", "/?signed-in"),
            ("/" + String(repeating: "a", count: 1024), "/?signed-in"),
        ])
    func returns(path: String, way: String) {
        #expect(Self.ticket(back: path).returnPath(saying: "signed-in") == way)
    }

    @Test("asks for a code that only its verifier opens (RFC 7636 B)")
    func asks() throws {
        var settings = OpenIDSettings(issuer: issuer, clientID: "a client")
        settings.clientSecret = "s&cret"
        let exchange = OpenIDExchange(settings, try OpenIDDiscoveryTests.found)
        let ticket = Self.ticket()
        let url = exchange.authorizationURL(ticket)
        #expect(
            url.hasPrefix("https://id.example/go?a=b&response_type=code&client_id=a%20client&redirect_uri=https%3A"))
        #expect(url.contains("&scope=openid%20profile&state=\(ticket.state)&nonce=\(ticket.nonce)"))
        #expect(url.hasSuffix("&code_challenge=\(ticket.challenge)&code_challenge_method=S256"))
        #expect(ticket.challenge == Base64.encode(Digest.sha256.hash(ticket.verifier), as: .url))
        let (fields, body) = try exchange.tokenRequest(code: "c/1", ticket)
        let form = try #require(QueryItems(String(decoding: body, as: UTF8.self)))
        #expect(form["code"] == "c/1" && form["code_verifier"] == ticket.verifier && form["client_secret"] == nil)
        #expect(fields[.authorization] == "Basic \(Base64.encode(Array("a%20client:s%26cret".utf8)))")
        #expect(throws: OpenIDError.self) { try exchange.tokenRequest(code: "", ticket) }
        #expect(throws: OpenIDError.self) {
            try exchange.tokenRequest(code: String(repeating: "c", count: 2001), ticket)
        }
    }
}

@Suite("A provider's answer to a code")
struct OpenIDExchangeTests {
    @Test(
        "is an ID token, or a reason in words that can be written down",
        arguments: [
            (200, #"{"id_token":"a.b.c","access_token":"x"}"#, "a.b.c"),
            (200, #"{"access_token":"x"}"#, "the provider's answer has no ID token"),
            (200, "<html>", "the provider's answer has no ID token"),
            (200, #"{"id_token":7}"#, "the provider's answer has no ID token"),
            (
                400, #"{"error":"invalid_grant","error_description":"too\nlate \u001b[31m"}"#,
                "the provider refused: invalid_grant: toolate [31m"
            ),
            (200, #"{"error":"no","id_token":"a.b.c"}"#, "the provider refused: no"),
            (502, "bad gateway", "the provider refused: it answered 502"),
            (400, #"{"id_token":"a.b.c"}"#, "the provider's answer has no ID token"),
        ])
    func answers(code: Int, body: String, said: String) throws {
        let status = try #require(HTTPStatus(code: code))
        do {
            #expect(try OpenIDExchange.idToken(in: Array(body.utf8), status: status) == said)
        } catch {
            #expect("\(error)" == said)
        }
    }

    @Test("makes the same user of the same person, by issuer and subject and never by name")
    func users() throws {
        let settings = OpenIDSettings(issuer: issuer, clientID: "parley")
        let anna = try #require(ProviderUser(try Self.verified("1", ["name": "Anna"]), settings))
        let renamed = try #require(ProviderUser(try Self.verified("1", ["name": "Annette"]), settings))
        let other = try #require(ProviderUser(try Self.verified("2", ["name": "Anna"]), settings))
        let elsewhere = OpenIDSettings(issuer: "https://id.example/", clientID: "parley")
        let foreign = try #require(ProviderUser(try Self.verified("1", ["name": "Anna"], elsewhere.issuer), elsewhere))
        #expect(anna.id == renamed.id && anna.id.text.hasPrefix("oidc:"))
        #expect(Set([anna.id, other.id, foreign.id]).count == 3)
        #expect(anna.displayName?.text == "Anna")
    }

    @Test("calls a new user by the claim that is wanted, or what else is there that can be shown")
    func names() throws {
        var settings = OpenIDSettings(issuer: issuer, clientID: "parley")
        settings.nameClaim = "nickname"
        for (texts, name): ([String: String], String?) in [
            (["nickname": "Bo", "name": "Robert"], "Bo"), (["name": "Robert"], "Robert"),
            (["nickname": "\u{202E}"], nil),
            (["preferred_username": "bo"], "bo"), ([:], nil),
            (["nickname": String(repeating: "a", count: 300)], String(repeating: "a", count: 64)),
        ] {
            #expect(ProviderUser(try Self.verified("1", texts), settings)?.displayName?.text == name)
        }
    }

    /// By the front door: a token that was signed and believed.
    private static func verified(
        _ subject: String, _ texts: [String: String], _ issuer: String = issuer
    ) throws -> IDTokenVerifier.Verified {
        let pair = SigningKey(id: "k", try P256Key())
        let claims = TokenClaims(
            issuer: issuer, subject: subject, audience: ["parley"], expiry: now.seconds + 60, issuedAt: now.seconds,
            texts: texts.merging(["nonce": "n"]) { $1 })
        let token = try JSONWebToken.sign(claims, type: "JWT", with: pair)
        return try IDTokenVerifier(issuer: issuer, clientID: "parley")
            .verify(token, JSONWebKeySet([pair]), nonce: "n", at: now)
    }
}

@Suite("A sign-in by an OpenID provider")
struct ProviderSignInTests {
    @Test("makes an account the first time, and keeps the name that the user chose since")
    func again() async throws {
        let world = try World()
        let proven = try await Self.user("1", "Anna")
        let first = try await world.accounts.signIn(from: .loopback) { proven }
        let later = try await Self.user("1", "Annette")
        let second = try await world.accounts.signIn(from: .loopback) { later }
        #expect(first.identity.user == second.identity.user && second.identity.displayName?.text == "Anna")
        #expect(first.refresh.text != second.refresh.text && first.longLived == nil)
    }

    @Test("is refused for who is banned or deleted, and when the provider does not vouch")
    func refused() async throws {
        let world = try World()
        let proven = try await Self.user("1", "Anna")
        let signIn = try await world.accounts.signIn(from: .loopback) { proven }
        try await world.accounts.ban(signIn.identity.user, until: now + .seconds(1_000_000))
        await #expect(throws: IdentityRefusal.self) { try await world.accounts.signIn(from: .loopback) { proven } }
        try await world.accounts.unban(signIn.identity.user)
        _ = try await world.accounts.delete(signIn.identity.user)
        await #expect(throws: IdentityRefusal.deleted) { try await world.accounts.signIn(from: .loopback) { proven } }
        await #expect(throws: IdentityRefusal.unproven) {
            try await world.accounts.signIn(from: .loopback) { () throws(IdentityRefusal) in throw .unproven }
        }
    }

    @Test("is fetched once, within a minute")
    func handedOver() async throws {
        let world = try World()
        let proven = try await Self.user("1", "Anna")
        let signIn = try await world.accounts.signIn(from: .loopback) { proven }
        var handover = SignInHandover()
        let token = handover.put(signIn, at: now)
        #expect(handover.take(token, at: now)?.access == signIn.access)
        #expect(handover.take(token, at: now) == nil)
        let late = handover.put(signIn, at: now)
        #expect(handover.take(late, at: now + SignInHandover.lifetime) == nil)
        let first = handover.put(signIn, at: now)
        for _ in 0..<SignInHandover.maximumWaiting { _ = handover.put(signIn, at: now) }
        #expect(handover.take(first, at: now) == nil)
    }

    private static func user(_ subject: String, _ name: String) async throws -> ProviderUser {
        let pair = SigningKey(id: "k", try P256Key())
        let claims = TokenClaims(
            issuer: issuer, subject: subject, audience: ["parley"], expiry: now.seconds + 60, issuedAt: now.seconds,
            texts: ["nonce": "n", "name": name])
        let token = try JSONWebToken.sign(claims, type: "JWT", with: pair)
        let verified = try IDTokenVerifier(issuer: issuer, clientID: "parley")
            .verify(token, JSONWebKeySet([pair]), nonce: "n", at: now)
        return try #require(ProviderUser(verified, OpenIDSettings(issuer: issuer, clientID: "parley")))
    }
}
