internal import JSON
package import Vocabulary

/// Who wants to know who is online.
package enum PresenceOperation: String, OperationFamily {
    case watch = "presence.watch"
    case unwatch = "presence.unwatch"

    package var specification: Specification<PresenceRequest> {
        switch self {
        case .watch: .watch
        case .unwatch: .unwatch
        }
    }
}

package enum PresenceRequest: Hashable, Sendable {
    case watch(Watched)
    case unwatch(Watched)
}

/// Whose presence is watched.
package enum Watched: Hashable, Sendable {
    case everybody
    case users([UserID])
}

extension Field<Watched> {
    package static let watched = Field(
        [.list("users").optional, .flag("everybody").optional],
        "a list of at most \(RequestLimits.maximumWatched) user ids, or 'everybody' true"
    ) { fields throws(RequestError) in
        if try Self.everybody.read(fields) { return .everybody }
        return try Self.users.read(fields).map { .users($0) }
    } write: { watched, json in
        switch watched {
        case .everybody: Self.everybody(true).write(to: &json)
        case .users(let users): Self.users(users).write(to: &json)
        }
    }

    private static let everybody = Field<Bool>.flag("everybody").or(false)
    private static let users = Field<[UserID]>.users("users", maximum: RequestLimits.maximumWatched).optional
}

extension Specification<PresenceRequest> {
    fileprivate static let watch = Specification(
        PresenceRequest.watch, .watched, answer: .presences, refusals: [.tooManyWatched])
    fileprivate static let unwatch = Specification(PresenceRequest.unwatch, .watched)
}
