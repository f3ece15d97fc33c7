import Calling
import Vocabulary

/// Names as tests like to read them: line `b2` is the second line of user `b`.
enum Cast {
    static func user(_ name: String) throws -> UserID { try required(UserID(name)) }

    static func session(_ name: String) throws -> SessionID { try required(SessionID(self.padded(name))) }

    static func call(_ name: String) throws -> CallID { try required(CallID(self.padded(name))) }

    static func line(_ name: String) throws -> Line {
        try Line(self.user(String(name.prefix(1))), self.session(name))
    }

    static func name(of session: SessionID) -> String { self.unpadded(session.text) }

    static func name(of call: CallID) -> String { self.unpadded(call.text) }

    private static func padded(_ name: String) -> String {
        name + String(repeating: "-", count: RandomToken.length - name.utf8.count)
    }

    private static func unpadded(_ text: String) -> String { String(text.reversed().drop { $0 == "-" }.reversed()) }

    private struct NoName: Error {}

    private static func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw NoName() }
        return value
    }
}

extension CallOutbox.Order {
    /// One line of a transcript, as in `1: b1 rings for a1`.
    var sentence: String {
        let name = Cast.name(of: self.call)
        switch self.action {
        case .ring(let to, let invitation):
            return "\(name): \(Cast.name(of: to)) rings for \(Cast.name(of: invitation.caller.session))"
        case .push(let invitation): return "\(name): \(invitation.callee.text)'s devices are woken"
        case .pushed(let to): return "\(name): \(Cast.name(of: to)) hears that devices are woken"
        case .withdrawPush: return "\(name): the push is taken back"
        case .ringing(let to): return "\(name): \(Cast.name(of: to)) hears ringing"
        case .connected(let to, let connection):
            let peer = Cast.name(of: connection.peer.session)
            return "\(name): \(Cast.name(of: to)) \(connection.role) talks with \(peer)"
        case .peerAway(let to): return "\(name): \(Cast.name(of: to)) waits"
        case .peerBack(let to, let peer, let keepsMedia):
            return "\(name): \(Cast.name(of: to)) talks on with \(Cast.name(of: peer))\(keepsMedia ? " as before" : "")"
        case .recording(let to, let start):
            return
                "\(name): \(Cast.name(of: to)) hears of a recording \(start.map { "since \($0.milliseconds)" } ?? "no more")"
        case .ended(let to, let ending): return "\(name): \(Cast.name(of: to)) \(ending.sentence)"
        case .record(let record):
            return "\(name): recorded \(record.outcome)" + (record.endedBy.map { " by \($0.text)" } ?? "")
        }
    }
}

extension CallEnding {
    var sentence: String {
        switch self {
        case .over(let outcome, let user): "ended \(outcome)" + (user.map { " by \($0.text)" } ?? "")
        case .answeredElsewhere: "answered elsewhere"
        case .movedElsewhere: "moved elsewhere"
        case .merged(let survivor): "goes on as \(Cast.name(of: survivor))"
        }
    }
}
