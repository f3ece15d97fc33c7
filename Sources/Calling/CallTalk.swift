import Vocabulary

/// A call while two talk: both seats.
struct CallTalk: Sendable {
    private var caller: CallSeat
    private var callee: CallSeat
    let since: Instant
    /// The server was started anew, and nobody has come back since.
    var isForgotten = false

    init(_ caller: CallSeat, with callee: CallSeat, since now: Instant) {
        self.caller = caller
        self.callee = callee
        self.since = now
    }

    subscript(role: CallConnection.Role) -> CallSeat {
        get {
            switch role {
            case .caller: self.caller
            case .callee: self.callee
            }
        }
        set {
            switch role {
            case .caller: self.caller = newValue
            case .callee: self.callee = newValue
            }
        }
    }

    /// When the first seat that waits is given up.
    var deadline: Instant? {
        guard let caller = self.caller.keptUntil else { return self.callee.keptUntil }
        return min(caller, self.callee.keptUntil ?? caller)
    }

    func role(of line: Line) -> CallConnection.Role? {
        CallConnection.Role.allCases.first { self[$0].line == line }
    }

    func role(of user: UserID) -> CallConnection.Role? {
        CallConnection.Role.allCases.first { self[$0].line.user == user }
    }

    /// Whether what this line says counts: from a seat, or from a user whose seat waits for them.
    func hears(_ line: Line) -> Bool {
        guard let role = self.role(of: line.user) else { return false }
        return self[role].hears(line)
    }

    /// What the one in this role has to know.
    func connection(for role: CallConnection.Role, kind: CallKind) -> CallConnection {
        CallConnection(peer: self[role.other].line, kind: kind, role: role)
    }
}
