package import Secure

/// Why a sign-in at a provider came to nothing, in words for the operator.
package enum OpenIDError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was asked for, and why there is no answer.
    case unreachable(String, String)
    case badDiscovery(String)
    case foreignIssuer(String)
    /// A place in the provider's description that nobody should be sent to.
    case badEndpoint(String)
    case badKeys(JSONWebKeySet.Mistake)
    /// The provider's own words for its refusal, as far as they can be shown.
    case refused(String)
    case badAnswer
    case badToken(TokenRefusal)

    package var description: String {
        switch self {
        case .unreachable(let subject, let reason): "\(subject) did not answer: \(reason)"
        case .badDiscovery(let reason): "the provider's description cannot be used: \(reason)"
        case .foreignIssuer(let issuer): "the provider calls itself \(issuer), which is not what --oidc says"
        case .badEndpoint(let name): "the provider's '\(name)' is no address with TLS (https://)"
        case .badKeys(let mistake): "the provider's keys cannot be used: \(mistake)"
        case .refused(let reason): "the provider refused: \(reason)"
        case .badAnswer: "the provider's answer has no ID token"
        case .badToken(let refusal): "the provider's ID token is not believed: \(refusal)"
        }
    }

    /// What it means to the client: only a code that the provider did not give may be a guess of theirs.
    package var refusal: IdentityRefusal {
        switch self {
        case .unreachable, .badDiscovery, .foreignIssuer, .badEndpoint, .badKeys: .unavailable
        case .refused: .unproven
        case .badAnswer: .token(.malformed)
        case .badToken(let refusal): .token(refusal)
        }
    }
}
