internal import HTTPServer
internal import JSON
internal import RealtimeTree
internal import Web

/// Why something is refused, in the words of both interfaces.
struct TreeProblem: Error, Hashable {
    /// As the WebSocket protocol has it.
    let code: String
    let status: HTTPStatus
    let message: String

    private init(_ code: String, _ status: HTTPStatus, _ message: String) {
        self.code = code
        self.status = status
        self.message = message
    }

    static let denied = TreeProblem("permission_denied", .unauthorized, "Permission denied")
    static let stale = TreeProblem("datastale", .preconditionFailed, "Transaction hash does not match")
    static let expired = TreeProblem("expired_token", .unauthorized, "Auth token is expired")
    static let wrongToken = TreeProblem("invalid_token", .unauthorized, "Could not parse auth token.")
    static let unavailable = TreeProblem("unavailable", .serviceUnavailable, "The database cannot be used now.")
    static let full = TreeProblem("too_big", .insufficientStorage, "The database has no room for more.")
    static let answerTooBig = TreeProblem(
        "too_big", .badRequest,
        "The data requested exceeds the maximum size that can be accessed with a single request.")
    static let tooManyChildren = TreeProblem(
        "too_big", .badRequest, "More than \(TreeLimits.sortedChildren) children can only be ordered by key.")
    static func tooMany(_ what: String) -> TreeProblem {
        TreeProblem("unavailable", .tooManyRequests, "Too many \(what).")
    }
    static func wrong(_ message: String) -> TreeProblem { TreeProblem("failed", .badRequest, message) }

    init(_ error: TreeError) {
        let code = if case .tooBig = error { "too_big" } else { "failed" }
        self.init(code, .badRequest, error.description)
    }

    var response: HTTPResponse {
        .json(self.status, JSONWriter.bytes { $0.fields(("error", self.message)) { _ in } })
    }
}
