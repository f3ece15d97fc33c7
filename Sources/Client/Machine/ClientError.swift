internal import Vocabulary

/// Why a request was not granted.
package enum ClientError: Error, Hashable, Sendable {
    /// The server said no.
    case refused(ServerRefusal)
    /// No answer came in time. Whether the request was carried out is unknown.
    case timedOut
    /// The connection broke before the answer came. Whether the request was carried out is unknown.
    case connectionLost
    /// There is no connection, and there will be none.
    case ended(LinkFailure)
    /// The answer does not have the form it should have.
    case unreadableAnswer
    /// Too many requests wait for answers already.
    case tooManyRequests
}

/// The server's own words for what it does not grant: `{"code","message","retryAfter"?}`.
package struct ServerRefusal: Error, Hashable, Sendable {
    package let code: String
    package let message: String
    package let retryAfter: Duration?

    package init(code: String, message: String, retryAfter: Duration? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    /// Of the server's words no more than a person reads. Nil when `answer` is no `{"error":{…}}`.
    init?(in answer: RawJSON) {
        guard let error = answer.member("error"), let code = error.text("code") else { return nil }
        self.code = PlainText.line(code)
        self.message = PlainText.line(error.text("message") ?? "")
        self.retryAfter = error.integer("retryAfter").map { .milliseconds($0) }
    }
}

extension ClientError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .refused(let refusal): "\(refusal.code): \(refusal.message)"
        case .timedOut: "no answer came in time"
        case .connectionLost: "the connection broke before the answer came"
        case .ended(let failure): "\(failure)"
        case .unreadableAnswer: "the answer does not have the form it should have"
        case .tooManyRequests: "too many requests wait for their answers"
        }
    }
}
