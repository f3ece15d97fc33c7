/// What a connection asks for itself.
package enum SessionOperation: String, OperationFamily {
    case refresh = "session.refresh"
    case iceServers = "ice.servers"

    package var specification: Specification<SessionRequest> {
        switch self {
        case .refresh: .refresh
        case .iceServers: .iceServers
        }
    }
}

package enum SessionRequest: Hashable, Sendable {
    case refresh(token: String)
    case iceServers
}

extension Specification<SessionRequest> {
    fileprivate static let refresh = Specification(
        SessionRequest.refresh, .token, answer: .expiry,
        refusals: [.unauthorized, .forbidden, .tokenExpired, .kicked, .banned])
    fileprivate static let iceServers = Specification({ SessionRequest.iceServers }, answer: .iceServers)
}
