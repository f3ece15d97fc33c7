import Client
import Secure

extension ClientError {
    /// For people, with the server's word for it behind: scripts and support look for that.
    var words: String {
        switch self {
        case .refused(let refusal): "\(refusal.words) (\(refusal.code))"
        case .ended(let failure): failure.words
        default: self.description
        }
    }
}

extension ServerRefusal {
    fileprivate var words: String {
        switch self.code {
        case "not_member": "there is no such conversation, or you are not in it"
        case "not_found": "the server does not know what was named"
        case "unauthorized": "the token or password is not valid"
        case "kicked": "an operator signed you out"
        case "banned": "an operator does not let you in"
        case "token_expired": "the token has expired"
        case "rate_limited":
            self.retryAfter.map { "too many requests; try again in \(max(1, $0.components.seconds)) s" }
                ?? "too many requests; try again later"
        default: self.message.isEmpty ? "the server refused" : self.message
        }
    }
}

extension LinkFailure {
    var words: String {
        switch self {
        case .insecure(let error):
            """
            TLS failed: \(error.reasons.last ?? error.attempt); for a trial with a certificate of your own, add --trust-anybody
            """
        case .refused(let code):
            "\(ServerRefusal(code: code, message: "the server refused the sign-in").words) (\(code))"
        case .unreachable(let error): "no server answers: \(error)"
        default: self.description
        }
    }
}
