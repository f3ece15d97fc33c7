package import Secure

/// Why there is no certificate, in words for the operator.
package enum ACMEError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was asked for, and why there is no answer.
    case unreachable(String, String)
    /// An answer that is none of the protocol.
    case badAnswer(ACMEStep, String)
    case refused(ACMEStep, ACMEProblem)
    /// The authority has looked, and did not find that the name leads here.
    case unproven(String, ACMEProblem)
    /// The authority offers no way to prove the name that this server knows.
    case noChallenge(String)
    case notInTime(ACMEStep)
    case badCertificate(String)
    case notMade(SecureError)

    package var description: String {
        switch self {
        case .unreachable(let url, let reason): "\(url) did not answer: \(reason)"
        case .badAnswer(let step, let reason): "the authority's answer to \(step.words) cannot be used: \(reason)"
        case .refused(let step, let problem): "the authority refused \(step.words): \(problem)"
        case .unproven(let name, let problem): "the authority did not find this server at \(name): \(problem)"
        case .noChallenge(let name): "the authority offers no tls-alpn-01 challenge for \(name)"
        case .notInTime(let step): "the authority did not come to an end with \(step.words)"
        case .badCertificate(let reason): "the certificate that the authority sent is not used: \(reason)"
        case .notMade(let error): "\(error)"
        }
    }
}

/// What an order for a certificate goes through.
package enum ACMEStep: Hashable, Sendable {
    case directory, account, order
    /// The names are proven one after another.
    case authorization(Int)
    case challenge(Int)
    case orderStatus, finalization, certificate

    var words: String {
        switch self {
        case .directory: "the question for its directory"
        case .account: "the account"
        case .order, .orderStatus: "the order"
        case .authorization: "the question for a name's proof"
        case .challenge: "the answer to its challenge"
        case .finalization: "the request for a certificate"
        case .certificate: "the question for the certificate"
        }
    }

    /// Whether asking once more changes nothing there.
    var isQuestion: Bool {
        switch self {
        case .authorization, .orderStatus, .certificate: true
        case .directory, .account, .order, .challenge, .finalization: false
        }
    }
}
