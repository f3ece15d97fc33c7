internal import Files
internal import HTTPServer
internal import Operations
internal import Keeping
internal import Switchboard
internal import Web

/// Why something with a file was not done, as HTTP tells it.
struct FileProblem: Error {
    let status: HTTPStatus
    /// Never changes.
    let code: String
    let detail: String
    var retryAfter: Duration?

    init(_ status: HTTPStatus, _ code: String, _ detail: String) {
        self.status = status
        self.code = code
        self.detail = detail
    }

    init(_ error: RequestError) {
        self.init(APIProblem.status(of: error.code), error.code.rawValue, error.message)
        self.retryAfter = error.retryAfter
    }

    init(_ trouble: FileTrouble) {
        switch trouble.reason {
        case .full: self = .noRoom
        case .missing: self = .notFound
        case .damaged, .system, .store: self = .unavailable
        }
    }

    init(_ error: StoreError) { self = error.reason == .full ? .noRoom : .unavailable }

    var response: HTTPResponse {
        APIProblem.response(self.status, self.code, self.detail, retryAfter: self.retryAfter)
    }
}

extension FileProblem {
    static let notFound = FileProblem(.notFound, "not_found", "there is no such file, or it is not for you")
    static let noUpload = FileProblem(.notFound, "not_found", "there is no such upload of yours")
    static let ended = FileProblem(.gone, "gone", "the upload took too long and was given up")
    /// Its bytes lay on the disk of a node that is gone.
    static let lost = FileProblem(.gone, "gone", "what was brought so far is gone; begin anew")
    static let noRoom = FileProblem(.insufficientStorage, "no_room", "the disk has no room for it")
    static let inUse = FileProblem(.conflict, "in_use", "a message shows this file; take the message back first")
    static let locked = FileProblem(
        HTTPStatus(code: 423, reason: "Locked") ?? .conflict, "locked", "another request brings this file now")
    static let badLink = FileProblem(.forbidden, "forbidden", "the link has ended or was changed; ask for a new one")
    static let banned = FileProblem(.forbidden, "banned", "this user is banned")
    static let lengthMissing = FileProblem(.lengthRequired, "length_required", "send Content-Length")

    static var unavailable: FileProblem {
        var problem = FileProblem(.serviceUnavailable, "unavailable", "this cannot be kept now")
        problem.retryAfter = .seconds(1)
        return problem
    }

    static func tooLarge(_ limit: Int) -> FileProblem {
        FileProblem(.contentTooLarge, "too_large", "a file has at most \(limit) bytes")
    }

    static func overQuota(used: Int, of limit: Int) -> FileProblem {
        FileProblem(.insufficientStorage, "quota_exceeded", "you keep \(used) of at most \(limit) bytes already")
    }

    static func tooManyFiles(_ limit: Int) -> FileProblem {
        FileProblem(.insufficientStorage, "quota_exceeded", "you keep \(limit) files already, as many as one may")
    }

    static func tooManyUploads(_ limit: Int) -> FileProblem {
        FileProblem(.tooManyRequests, "too_many_uploads", "at most \(limit) files may be under way at once")
    }

    static func malformed(_ detail: String) -> FileProblem { FileProblem(.badRequest, "bad_request", detail) }
}
