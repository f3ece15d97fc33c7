/// Why a request was not granted: the closed list of codes that clients know.
package struct RequestError: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The request does not have the form it should have.
        case badRequest = "bad_request"
        /// No event has this name.
        case unknownEvent = "unknown_event"
        /// There is no valid token.
        case unauthorized
        /// The token is good, but not for this.
        case forbidden
        case notFound = "not_found"
        case notMember = "not_member"
        case roomFull = "room_full"
        /// The room has a password, which was not shown.
        case passwordRequired = "password_required"
        case wrongPassword = "wrong_password"
        /// The room takes those who were admitted.
        case invitationRequired = "invitation_required"
        case tooManyRooms = "too_many_rooms"
        case tooManyWatched = "too_many_watched"
        case tooManyCalls = "too_many_calls"
        /// The call is over, or another device has it.
        case callOver = "call_over"
        case answeredElsewhere = "answered_elsewhere"
        case notAnswered = "not_answered"
        /// What is asked for is taken by another user.
        case conflict
        /// The other side does not want to hear from this user.
        case blocked
        /// A moderator has silenced this user, for a while.
        case silenced
        /// Members wait between two messages here.
        case slowMode = "slow_mode"
        /// The message is too old for that.
        case tooLate = "too_late"
        case rateLimited = "rate_limited"
        case tokenExpired = "token_expired"
        case kicked
        case banned
        case unavailable
    }

    package let code: Code
    package let message: String
    /// When to try again.
    package var retryAfter: Duration?

    package init(_ code: Code, _ message: String, retryAfter: Duration? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }
}
