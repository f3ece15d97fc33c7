/// How a request went: three digits, and a phrase for people.
package struct HTTPStatus: Sendable, CustomStringConvertible {
    package let code: UInt16
    package let reason: String

    /// Nil outside of 100 to 599, and when the phrase would not fit into one line.
    package init?(code: Int, reason: String? = nil) {
        guard let narrow = UInt16(exactly: code), (100...599).contains(narrow) else { return nil }
        let phrase = reason ?? Self.phrase(for: narrow)
        guard phrase.utf8.allSatisfy({ !$0.isControl }) else { return nil }
        self.code = narrow
        self.reason = phrase
    }

    private init(_ code: UInt16, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package var description: String { "\(self.code) \(self.reason)" }

    package var isInformational: Bool { self.code < 200 }
    package var isSuccess: Bool { (200..<300).contains(self.code) }

    /// Whether an answer with this status can have a body at all (RFC 9110 §15.2, §15.3.5, §15.4.5).
    package var mayHaveBody: Bool { !self.isInformational && self.code != 204 && self.code != 304 }
}

/// Two statuses are the same when their codes are: the phrase is decoration (RFC 9112 §4).
extension HTTPStatus: Hashable {
    package static func == (one: HTTPStatus, other: HTTPStatus) -> Bool { one.code == other.code }
    package func hash(into hasher: inout Hasher) { hasher.combine(self.code) }
}

extension HTTPStatus {
    package static let `continue` = HTTPStatus(100, "Continue")
    package static let switchingProtocols = HTTPStatus(101, "Switching Protocols")
    package static let ok = HTTPStatus(200, "OK")
    package static let created = HTTPStatus(201, "Created")
    package static let accepted = HTTPStatus(202, "Accepted")
    package static let noContent = HTTPStatus(204, "No Content")
    package static let partialContent = HTTPStatus(206, "Partial Content")
    package static let movedPermanently = HTTPStatus(301, "Moved Permanently")
    package static let found = HTTPStatus(302, "Found")
    package static let seeOther = HTTPStatus(303, "See Other")
    package static let notModified = HTTPStatus(304, "Not Modified")
    package static let temporaryRedirect = HTTPStatus(307, "Temporary Redirect")
    package static let permanentRedirect = HTTPStatus(308, "Permanent Redirect")
    package static let badRequest = HTTPStatus(400, "Bad Request")
    package static let unauthorized = HTTPStatus(401, "Unauthorized")
    package static let forbidden = HTTPStatus(403, "Forbidden")
    package static let notFound = HTTPStatus(404, "Not Found")
    package static let methodNotAllowed = HTTPStatus(405, "Method Not Allowed")
    package static let notAcceptable = HTTPStatus(406, "Not Acceptable")
    package static let requestTimeout = HTTPStatus(408, "Request Timeout")
    package static let conflict = HTTPStatus(409, "Conflict")
    package static let gone = HTTPStatus(410, "Gone")
    package static let lengthRequired = HTTPStatus(411, "Length Required")
    package static let preconditionFailed = HTTPStatus(412, "Precondition Failed")
    package static let contentTooLarge = HTTPStatus(413, "Content Too Large")
    package static let uriTooLong = HTTPStatus(414, "URI Too Long")
    package static let unsupportedMediaType = HTTPStatus(415, "Unsupported Media Type")
    package static let rangeNotSatisfiable = HTTPStatus(416, "Range Not Satisfiable")
    package static let expectationFailed = HTTPStatus(417, "Expectation Failed")
    package static let unprocessableContent = HTTPStatus(422, "Unprocessable Content")
    package static let upgradeRequired = HTTPStatus(426, "Upgrade Required")
    package static let tooManyRequests = HTTPStatus(429, "Too Many Requests")
    package static let headerFieldsTooLarge = HTTPStatus(431, "Request Header Fields Too Large")
    package static let internalServerError = HTTPStatus(500, "Internal Server Error")
    package static let notImplemented = HTTPStatus(501, "Not Implemented")
    package static let badGateway = HTTPStatus(502, "Bad Gateway")
    package static let serviceUnavailable = HTTPStatus(503, "Service Unavailable")
    package static let gatewayTimeout = HTTPStatus(504, "Gateway Timeout")
    package static let versionNotSupported = HTTPStatus(505, "HTTP Version Not Supported")
    package static let insufficientStorage = HTTPStatus(507, "Insufficient Storage")

    private static let known: [HTTPStatus] = [
        .continue, .switchingProtocols, .ok, .created, .accepted, .noContent, .partialContent, .movedPermanently,
        .found, .seeOther, .notModified, .temporaryRedirect, .permanentRedirect, .badRequest, .unauthorized,
        .forbidden, .notFound, .methodNotAllowed, .notAcceptable, .requestTimeout, .conflict, .gone, .lengthRequired,
        .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType, .rangeNotSatisfiable,
        .expectationFailed, .unprocessableContent, .upgradeRequired, .tooManyRequests, .headerFieldsTooLarge,
        .internalServerError, .notImplemented, .badGateway, .serviceUnavailable, .gatewayTimeout,
        .versionNotSupported, .insufficientStorage,
    ]

    private static func phrase(for code: UInt16) -> String {
        self.known.first { $0.code == code }?.reason ?? ""
    }
}
