internal import Vocabulary

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
    /// For a seat in a room or a call, where one is named.
    case iceServers(SignalScope?)
}

extension Specification<SessionRequest> {
    fileprivate static let refresh = Specification(
        SessionRequest.refresh, .token, answer: .expiry,
        refusals: [.unauthorized, .forbidden, .tokenExpired, .kicked, .banned])
    fileprivate static let iceServers = Specification(
        { room, call in .iceServers(room.map { .room($0) } ?? call.map { .call($0) }) }, .optional(.room),
        .optional(.call), answer: .iceServers, refusals: [.notFound, .notMember, .callOver, .answeredElsewhere])
}
