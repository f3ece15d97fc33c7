internal import JSON
internal import Operations
internal import Web

/// Why something is refused, with the number that clients of this interface know, and the status that goes with it.
package struct RongCloudProblem: Error, Hashable {
    let code: Int
    let status: Int
    let message: String
    var retryAfter: Duration?

    private init(_ code: Int, _ status: Int, _ message: String, retryAfter: Duration? = nil) {
        self.code = code
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
    }

    static let unavailable = RongCloudProblem(1000, 500, "the server does not take it now; ask again")
    static let unknownKey = RongCloudProblem(1001, 401, "no app key of this name is known here")
    static func wrong(_ message: String) -> RongCloudProblem { RongCloudProblem(1002, 400, message) }
    static let noBody = RongCloudProblem(1003, 400, "the request has no body")
    static func notSigned(_ message: String) -> RongCloudProblem { RongCloudProblem(1004, 401, message) }
    static func tooLong(_ name: String, _ maximum: Int) -> RongCloudProblem {
        RongCloudProblem(1005, 400, "Parameter '\(name)' length exceeds limit: \(maximum) bytes")
    }
    static func restricted(_ message: String) -> RongCloudProblem { RongCloudProblem(1007, 401, message) }
    static func tooMany(_ what: String, retryAfter: Duration? = nil) -> RongCloudProblem {
        RongCloudProblem(1008, 429, "too many \(what)", retryAfter: retryAfter)
    }
    static func notOffered(_ what: String) -> RongCloudProblem {
        RongCloudProblem(1009, 430, "this server does not offer \(what)")
    }
    static func tooManyKept(_ maximum: Int) -> RongCloudProblem {
        RongCloudProblem(1016, 403, "no more than \(maximum) of these are kept")
    }
    static func tooManyWords(_ maximum: Int) -> RongCloudProblem {
        RongCloudProblem(1019, 400, "no more than \(maximum) words are kept")
    }
    static func gone(_ what: String) -> RongCloudProblem { RongCloudProblem(1015, 200, "there is no such \(what)") }
    static let blacklisted = RongCloudProblem(405, 405, "the receiver does not want to hear from the sender")
    static let full = RongCloudProblem(405, 405, "no more members fit in")
    static let bodyTooLarge = RongCloudProblem(1508, 400, "the body is larger than it may be")

    static func missing(_ name: String) -> RongCloudProblem { self.wrong("Parameter '\(name)' is required") }
    static func illegal(_ name: String, _ rule: String) -> RongCloudProblem {
        self.wrong("Parameter '\(name)' must be \(rule)")
    }

    init(_ error: RequestError) {
        switch error.code {
        case .blocked: self = .blacklisted
        case .roomFull: self = .full
        case .rateLimited, .slowMode: self = .tooMany("requests", retryAfter: error.retryAfter)
        case .unavailable: self = .unavailable
        case .forbidden, .banned, .silenced: self = .restricted(error.message)
        default: self = .wrong(error.message)
        }
    }

    func json(for path: String) -> [UInt8] {
        JSONWriter.object { json in
            json.field("code", self.code)
            json.field("errorMessage", self.message)
            json.field("url", path)
        }
    }

    var httpStatus: HTTPStatus {
        self.status == 430
            ? HTTPStatus(code: 430, reason: "Service Not Available") ?? .badRequest
            : HTTPStatus(code: self.status) ?? .internalServerError
    }
}
