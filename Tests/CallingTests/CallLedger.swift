import Calling
import Vocabulary

/// Keeps books on everything calls ordered, and says which promise was broken.
struct CallLedger {
    enum Push { case none, requested, told, withdrawn }

    /// One call as its orders tell it.
    struct Page {
        let callee: UserID
        /// Lines that know of the call and not of its end.
        var open: Set<SessionID>
        var rung: Set<SessionID> = []
        var hasHeardRinging = false
        var push = Push.none
        /// The lines that talk: the caller's and the callee's.
        var seats: [CallConnection.Role: Line] = [:]
        /// Those the other side was told to wait for.
        var away: Set<CallConnection.Role> = []
        var record: CallRecord?
        var wasMerged = false

        func role(of session: SessionID) -> CallConnection.Role? {
            self.seats.first { $0.value.session == session }?.key
        }

        var isOver: Bool { self.record != nil || (self.wasMerged && self.open.isEmpty) }
    }

    private(set) var pages: [CallID: Page] = [:]
    private(set) var live: [CallID] = []
    private(set) var outcomes: [CallOutcome: Int] = [:]
    private(set) var mergers = 0
    private(set) var moves = 0
    private(set) var answers = 0

    mutating func opened(_ invitation: CallInvitation) {
        self.pages[invitation.id] = Page(callee: invitation.callee, open: [invitation.caller.session])
        self.live.append(invitation.id)
    }

    mutating func withdrawn(_ id: CallID) {
        self.pages[id] = nil
        self.live.removeAll { $0 == id }
    }

    /// The caller waits on this line from now on; that is the answer to their request and no order.
    mutating func seated(_ line: Line, in id: CallID) {
        self.pages[id]?.open.insert(line.session)
    }

    /// There turned out to be no devices to wake.
    mutating func wakesNobody(_ id: CallID) {
        if self.pages[id]?.push == .requested { self.pages[id]?.push = .none }
    }

    func knows(_ id: CallID) -> Bool { self.pages[id] != nil }

    /// Writes an order down. Returns the promise it breaks.
    mutating func write(_ order: CallOutbox.Order) -> String? {
        guard var page = self.pages[order.call] else { return "an order for a call nobody made" }
        guard !page.isOver else { return "an order for a call that is over" }
        let broken = self.write(order.action, on: &page)
        self.pages[order.call] = page
        if page.isOver { self.live.removeAll { $0 == order.call } }
        return broken
    }

    private mutating func write(_ action: CallOutbox.Action, on page: inout Page) -> String? {
        switch action {
        case .ring(let session, _):
            page.open.insert(session)
            return page.rung.insert(session).inserted ? nil : "a device rings twice"
        case .ringing(let session):
            defer { page.hasHeardRinging = true }
            return page.hasHeardRinging || !page.open.contains(session) ? "the caller hears ringing twice" : nil
        case .push:
            defer { page.push = .requested }
            return page.push == .none ? nil : "devices are woken twice for a call"
        case .pushed:
            defer { page.push = .told }
            return page.push == .requested ? nil : "the caller hears twice, or too late, that devices are woken"
        case .withdrawPush:
            defer { page.push = .withdrawn }
            return page.push == .requested || page.push == .told ? nil : "a push is taken back that is not there"
        case .connected(let session, let connection):
            guard page.push == .none || page.push == .withdrawn else {
                return "a call is answered and rings sleeping devices"
            }
            return self.connected(session, connection, on: &page)
        case .peerAway(let session):
            guard let role = page.role(of: session) else { return "somebody waits who is not in the call" }
            return page.away.insert(role.other).inserted ? nil : "somebody is told twice to wait"
        case .peerBack(let session, let peer, _):
            return self.moved(toldTo: session, peer, on: &page)
        case .recording(let session, _):
            return page.role(of: session) == nil ? "a stranger hears of a recording" : nil
        case .ended(let session, let ending):
            return self.ended(session, ending, on: &page)
        case .record(let record):
            return self.recorded(record, on: &page)
        }
    }

    private mutating func connected(
        _ session: SessionID, _ connection: CallConnection, on page: inout Page
    ) -> String? {
        page.open.insert(session)
        self.answers += 1
        let known = page.seats.updateValue(connection.peer, forKey: connection.role.other)
        return known == nil ? nil : "a call has two winners"
    }

    private mutating func moved(toldTo session: SessionID, _ peer: SessionID, on page: inout Page) -> String? {
        guard let other = page.role(of: session)?.other else { return "a stranger is told that somebody is back" }
        guard let seat = page.seats[other] else { return "a seat is taken that nobody had" }
        page.seats[other] = Line(seat.user, peer)
        page.away.remove(other)
        page.open.insert(peer)
        return nil
    }

    private mutating func ended(_ session: SessionID, _ ending: CallEnding, on page: inout Page) -> String? {
        switch ending {
        case .merged:
            if !page.wasMerged { self.mergers += 1 }
            page.wasMerged = true
        case .movedElsewhere: self.moves += 1
        case .over, .answeredElsewhere: break
        }
        return page.open.remove(session) == nil ? "a line is told an end twice, or one it knows nothing of" : nil
    }

    private mutating func recorded(_ record: CallRecord, on page: inout Page) -> String? {
        page.record = record
        self.outcomes[record.outcome, default: 0] += 1
        guard page.push == .none || page.push == .withdrawn else { return "a call is over and rings sleeping devices" }
        guard page.open.isEmpty else { return "\(page.open.count) lines are not told the end" }
        guard record.ended >= record.started else { return "a call ends before it starts" }
        switch record.outcome {
        case .completed where record.answered == nil: return "nobody answered, and yet they talked"
        case .declined, .busy, .cancelled, .noAnswer, .offline:
            return record.answered == nil ? nil : "it was answered, and yet it is \(record.outcome)"
        case .completed, .lost, .failed, .serverRestarted: return nil
        }
    }
}
