import Vocabulary

/// One side's place in a call: the line that holds it, and until when it is kept if that line is down.
struct CallSeat: Sendable {
    private(set) var line: Line
    private(set) var keptUntil: Instant?
    /// The other side began its media anew while this one was away.
    var isBehind = false
    /// Since when the one who sits here keeps what is said.
    var recordingSince: WallTime?

    init(_ line: Line, keptUntil moment: Instant? = nil) {
        self.line = line
        self.keptUntil = moment
    }

    var isAway: Bool { self.keptUntil != nil }

    /// The line broke. A second report of the same break buys no time.
    mutating func left(until moment: Instant) {
        self.keptUntil = self.keptUntil ?? moment
    }

    mutating func taken(by line: Line) {
        // Another line keeps nothing until it says so.
        if self.line != line { self.recordingSince = nil }
        self.line = line
        self.keptUntil = nil
    }

    /// False when the line sits here already; true when it does from now on.
    mutating func taken(by line: Line, replacing old: SessionID?) throws(CallRefusal) -> Bool {
        guard self.hears(line) || self.line.session == old else { throw .seatTaken }
        guard self.isAway || self.line != line else { return false }
        self.taken(by: line)
        return true
    }

    /// Whether something from this line counts as said from this seat: it holds it, or the seat waits for its user.
    func hears(_ other: Line) -> Bool {
        self.line == other || (self.isAway && self.line.user == other.user)
    }
}
