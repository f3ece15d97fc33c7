internal import JSON
internal import Web

/// Why something is refused, with the number that clients of this interface know, and the status that goes with it.
package struct JPushProblem: Error, Hashable {
    /// Each part of the interface has numbers of its own for the same troubles.
    enum Part: Hashable { case push, devices, schedules, report }

    let code: Int
    let status: HTTPStatus
    let message: String
    let retryAfter: Duration?

    init(_ code: Int, _ status: HTTPStatus, _ message: String, retryAfter: Duration? = nil) {
        self.code = code
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
    }

    static func missing(_ message: String) -> JPushProblem { JPushProblem(1002, .badRequest, message) }
    static func wrong(_ message: String) -> JPushProblem { JPushProblem(1003, .badRequest, message) }
    static func tooLarge(_ message: String) -> JPushProblem { JPushProblem(1005, .badRequest, message) }
    static func unknownKey(_ key: String) -> JPushProblem {
        JPushProblem(1009, .badRequest, "'\(key)' is not known in this place")
    }
    static func nobody(_ message: String) -> JPushProblem { JPushProblem(1011, .badRequest, message) }
    static let wrongMethod = JPushProblem(1001, .methodNotAllowed, "only POST is possible here")
    static func notOffered(_ what: String) -> JPushProblem {
        JPushProblem(2007, .forbidden, "this server does not offer \(what)")
    }
    static let tooMany = JPushProblem(2002, .tooManyRequests, "too many requests within a minute")
    static func tooManyWrongKeys(_ wait: Duration) -> JPushProblem {
        JPushProblem(2002, .tooManyRequests, "too many wrong keys from this address", retryAfter: wait)
    }
    static func wrongDeviceValue(_ message: String) -> JPushProblem { JPushProblem(7002, .badRequest, message) }

    static func wrongSchedule(_ message: String) -> JPushProblem { JPushProblem(8100, .badRequest, message) }
    static let noSchedule = JPushProblem(8104, .notFound, "there is no such schedule")
    static func wrongReport(_ message: String) -> JPushProblem { JPushProblem(3004, .badRequest, message) }
    static func noReport(_ what: String) -> JPushProblem {
        JPushProblem(2003, .forbidden, "this server does not count \(what)")
    }

    /// Neither key nor secret, or a secret that is not the key's.
    static func noAccess(_ part: Part) -> JPushProblem {
        let code =
            switch part {
            case .push: 1004
            case .devices: 7004
            case .schedules: 8101
            case .report: 3001
            }
        return JPushProblem(code, .unauthorized, "the app key and the master secret do not fit")
    }

    static func noCredentials(_ part: Part) -> JPushProblem {
        guard part == .devices else { return self.noAccess(part) }
        return JPushProblem(7001, .unauthorized, "the request has no app key and master secret")
    }

    static func unknownKey(_ part: Part) -> JPushProblem {
        switch part {
        case .push: JPushProblem(1008, .badRequest, "there is no such app key")
        case .devices: JPushProblem(7008, .badRequest, "there is no such app key")
        case .schedules, .report: self.noAccess(part)
        }
    }

    static func busy(_ part: Part) -> JPushProblem {
        switch part {
        case .push: JPushProblem(1030, .serviceUnavailable, "try again later")
        case .devices: JPushProblem(7030, .serviceUnavailable, "try again later")
        case .schedules: JPushProblem(8203, .serviceUnavailable, "try again later")
        case .report: JPushProblem(10, .serviceUnavailable, "try again later")
        }
    }

    var json: [UInt8] {
        JSONWriter.object { json in
            json.object("error") { json in
                json.field("code", self.code)
                json.field("message", self.message)
            }
        }
    }
}
