internal import HTTPServer
internal import JSON
internal import Operations
internal import Switchboard
internal import Web

/// What could not be granted, as `application/problem+json` (RFC 9457).
enum APIProblem {
    /// - Parameter status: where the code alone does not say it.
    /// - Parameter more: further members.
    static func response(
        _ error: RequestError, status: HTTPStatus? = nil, _ more: (inout JSONWriter) -> Void = { _ in }
    ) -> HTTPResponse {
        let status = status ?? self.status(of: error.code)
        return self.response(status, error.code.rawValue, error.message, retryAfter: error.retryAfter, more)
    }

    /// - Parameter code: one word or more, joined by underscores, that never changes.
    static func response(
        _ status: HTTPStatus, _ code: String, _ detail: String, retryAfter: Duration? = nil,
        _ more: (inout JSONWriter) -> Void = { _ in }
    ) -> HTTPResponse {
        let json = JSONWriter.object { json in
            json.members([
                ("type", "urn:parley:problem:\(code)"), ("title", status.reason), ("detail", detail), ("code", code),
            ])
            json.field("status", status.code)
            more(&json)
        }
        var response = HTTPResponse.json(status, json)
        response.head.fields.set(.contentType, to: "application/problem+json")
        response.head.fields.set(.cacheControl, to: "no-store")
        if let retryAfter { response.setRetryAfter(retryAfter) }
        if status == .unauthorized { response.head.fields.set("WWW-Authenticate", to: "Bearer") }
        return response
    }

    static func status(of code: RequestError.Code) -> HTTPStatus {
        switch code {
        case .badRequest, .unknownEvent: .badRequest
        case .unauthorized, .tokenExpired, .kicked: .unauthorized
        case .forbidden, .notMember, .banned, .blocked, .silenced, .tooLate, .passwordRequired, .wrongPassword,
            .invitationRequired:
            .forbidden
        case .notFound: .notFound
        case .conflict, .roomFull, .callOver, .answeredElsewhere, .notAnswered: .conflict
        case .rateLimited, .slowMode, .tooManyRooms, .tooManyWatched, .tooManyCalls: .tooManyRequests
        case .unavailable: .serviceUnavailable
        }
    }
}
