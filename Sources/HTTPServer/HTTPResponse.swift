package import Reactor
package import Web

/// A whole answer.
package struct HTTPResponse: Sendable {
    package enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// The same bytes for many, never copied.
        case shared(SharedBytes)
    }

    package var head: HTTPResponseHead
    package var body: Body

    package init(_ status: HTTPStatus, fields: HTTPFields = HTTPFields(), body: Body = .none) {
        self.head = HTTPResponseHead(status, fields: fields)
        self.body = body
    }

    package init(_ head: HTTPResponseHead, body: Body = .none) {
        self.head = head
        self.body = body
    }

    package static func text(_ status: HTTPStatus, _ text: String) -> HTTPResponse {
        HTTPResponse(status, fields: [.contentType: "text/plain; charset=utf-8"], body: .bytes(Array(text.utf8)))
    }

    package static func json(_ status: HTTPStatus, _ json: [UInt8]) -> HTTPResponse {
        HTTPResponse(status, fields: [.contentType: "application/json"], body: .bytes(json))
    }

    /// What a person with a browser or curl sees when something is wrong: the status and one line about it.
    package static func error(_ status: HTTPStatus, _ reason: String) -> HTTPResponse {
        var response = HTTPResponse.text(status, "\(status.code) \(reason)\n")
        response.head.fields.set(.cacheControl, to: "no-store")
        return response
    }

    /// What could not even be read as a request, in the form that every refusal of the API has (RFC 9457).
    /// - Parameter reason: words of this program, nothing that was sent: they are not escaped.
    static func unreadable(_ status: HTTPStatus, _ reason: String) -> HTTPResponse {
        let code =
            switch status {
            case .serviceUnavailable: "unavailable"
            case .tooManyRequests: "rate_limited"
            default: "bad_request"
            }
        let json = """
            {"type":"urn:parley:problem:\(code)","title":"\(status.reason)","detail":"\(reason)","code":"\(code)",\
            "status":\(status.code)}
            """
        return HTTPResponse(
            status, fields: [.contentType: "application/problem+json", .cacheControl: "no-store"],
            body: .bytes(Array(json.utf8)))
    }

    /// When to ask again (RFC 9110 §10.2.3), in whole seconds that are not too few.
    package mutating func setRetryAfter(_ wait: Duration) {
        self.head.fields.set(.retryAfter, to: String((wait.wholeMilliseconds &+ 999) / 1000))
    }

    var bodyLength: Int {
        switch self.body {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .shared(let shared): shared.count
        }
    }
}
