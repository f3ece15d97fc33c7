internal import JSON

/// What a provider says of itself (OpenID Connect Discovery 1.0 §3).
package struct OpenIDDiscovery: Hashable, Sendable {
    package static let maximumBytes = 256 << 10
    private static let maximumURLBytes = 2000

    package let authorizationEndpoint: String
    package let tokenEndpoint: String
    package let keySetURL: String
    /// Where somebody ends the sign-in there, too.
    package let endSessionEndpoint: String?
    /// Whether the client's secret goes into the form, since the provider does not take HTTP Basic.
    package let wantsSecretInForm: Bool

    /// - Parameter issuer: who it has to be; anybody else may have put the document there (§4.3).
    package init(parsing bytes: [UInt8], issuer: String) throws(OpenIDError) {
        guard bytes.count <= Self.maximumBytes, let found = try? JSONObject(bytes.span, .init(depth: 16)) else {
            throw .badDiscovery("it is no JSON object of at most \(Self.maximumBytes >> 10) KiB")
        }
        guard let named = found["issuer", .text] else { throw .badDiscovery("'issuer' is missing") }
        guard named == issuer else { throw .foreignIssuer(String(named.prefix(200))) }
        let isTrial = issuer.hasPrefix("http://")
        self.authorizationEndpoint = try Self.url("authorization_endpoint", in: found, isTrial)
        self.tokenEndpoint = try Self.url("token_endpoint", in: found, isTrial)
        self.keySetURL = try Self.url("jwks_uri", in: found, isTrial)
        self.endSessionEndpoint =
            found["end_session_endpoint", .text] == nil ? nil : try Self.url("end_session_endpoint", in: found, isTrial)
        let methods = found["token_endpoint_auth_methods_supported", JSONType.text.list()] ?? ["client_secret_basic"]
        self.wantsSecretInForm = !methods.contains("client_secret_basic") && methods.contains("client_secret_post")
    }

    private static func url(
        _ name: String, in found: borrowing JSONObject, _ isTrial: Bool
    ) throws(OpenIDError) -> String {
        guard let text = found[name, .text] else { throw .badDiscovery("'\(name)' is missing") }
        let isSecure = text.hasPrefix("https://") || isTrial && text.hasPrefix("http://")
        let isURL = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
        guard isSecure, isURL, text.utf8.count <= Self.maximumURLBytes else { throw .badEndpoint(name) }
        return text
    }
}
