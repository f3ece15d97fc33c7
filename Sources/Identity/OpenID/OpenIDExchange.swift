internal import Bytes
internal import JSON
internal import Secure
internal import Vocabulary
package import Web

/// What is said between us, the browser and the provider in one sign-in (the code flow, OpenID Connect Core 1.0 §3.1).
package struct OpenIDExchange: Sendable {
    package let settings: OpenIDSettings
    package let discovery: OpenIDDiscovery

    package static let maximumAnswerBytes = 256 << 10
    private static let maximumCodeBytes = 2000

    package init(_ settings: OpenIDSettings, _ discovery: OpenIDDiscovery) {
        self.settings = settings
        self.discovery = discovery
    }

    /// Where the browser goes to sign in.
    package func authorizationURL(_ ticket: SignInTicket) -> String {
        Self.url(
            self.discovery.authorizationEndpoint,
            [
                ("response_type", "code"), ("client_id", self.settings.clientID), ("redirect_uri", ticket.redirectURL),
                ("scope", self.settings.scopes.joined(separator: " ")), ("state", ticket.state),
                ("nonce", ticket.nonce), ("code_challenge", ticket.challenge), ("code_challenge_method", "S256"),
            ])
    }

    /// Where the browser goes to end its sign-in there as well (OpenID Connect RP-Initiated Logout 1.0 §2); nil where there
    /// is no such place.
    package func endSessionURL(backTo url: String) -> String? {
        self.discovery.endSessionEndpoint.map {
            Self.url($0, [("client_id", self.settings.clientID), ("post_logout_redirect_uri", url)])
        }
    }

    /// What the code is exchanged with (RFC 6749 §4.1.3): the fields and the body of a POST to the token endpoint.
    package func tokenRequest(
        code: String, _ ticket: SignInTicket
    ) throws(OpenIDError) -> (fields: HTTPFields, body: [UInt8]) {
        guard (1...Self.maximumCodeBytes).contains(code.utf8.count) else { throw .refused("its code is no code") }
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", ticket.redirectURL),
            ("code_verifier", ticket.verifier),
        ]
        var fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded", "Accept": "application/json"]
        if let secret = self.settings.clientSecret, !self.discovery.wantsSecretInForm {
            // Both halves are encoded as in a form before they are put together (RFC 6749 §2.3.1).
            let pair = "\(PercentCoding.encode(self.settings.clientID)):\(PercentCoding.encode(secret))"
            fields.set(.authorization, to: "Basic \(Base64.encode(Array(pair.utf8)))")
        } else {
            form.append(("client_id", self.settings.clientID))
            if let secret = self.settings.clientSecret { form.append(("client_secret", secret)) }
        }
        return (fields, Array(Self.query(form).utf8))
    }

    /// The ID token in the answer to it.
    package static func idToken(in answer: [UInt8], status: HTTPStatus) throws(OpenIDError) -> String {
        guard answer.count <= Self.maximumAnswerBytes, let object = try? JSONObject(answer.span, .init(depth: 16))
        else {
            throw status.isSuccess ? .badAnswer : .refused("it answered \(status.code)")
        }
        if let error = object["error", .text] { throw .refused(Self.shown(error, object["error_description", .text])) }
        guard status.isSuccess, let token = object["id_token", .text] else { throw .badAnswer }
        return token
    }

    /// A provider's words in a form that can be written down.
    package static func shown(_ error: String, _ description: String?) -> String {
        let words = [error, description].compactMap { $0 }.joined(separator: ": ")
        return String(
            words.unicodeScalars.filter { $0.value >= 0x20 && $0.value < 0x7F }.map(Character.init).prefix(200))
    }

    private static func url(_ endpoint: String, _ items: [(String, String)]) -> String {
        "\(endpoint)\(endpoint.contains("?") ? "&" : "?")\(self.query(items))"
    }

    private static func query(_ items: [(String, String)]) -> String {
        items.map { "\($0.0)=\(PercentCoding.encode($0.1))" }.joined(separator: "&")
    }
}
