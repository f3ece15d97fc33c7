package import Calling
internal import Clustering
package import Operations
internal import Pacing
package import Reactor
package import SocketServer
package import Vocabulary

/// Who is where, and what goes to whom. Feeds the machines of presence, rooms and calls, and carries out their orders.
///
/// It lives on one loop with all sockets, so everything in it happens in one order. It knows no wire: a dialect turns
/// requests into calls of these methods, and notices into events.
package final class Switchboard {
    let settings: SwitchboardSettings
    let scheduler: any Scheduler
    private let clock: () -> WallTime
    /// Told of everything that happens on whichever node, on each of them in the same order.
    package var onEvent: (SharedEvent, EventPlace, ChangeOrigin) -> Void = { _, _, _ in }
    /// Called when another node is given how everything stands: what happened before, it does not know.
    package var onSnapshot: () -> Void = {}
    /// Told of every line that is new, on whichever node.
    package var onOpened: (Line) -> Void = { _ in }
    /// Told of every session here that is no longer in a room or a call.
    package var onUnseated: (SessionID, SignalScope) -> Void = { _, _ in }

    /// Told of every call for which devices that sleep may be woken; answered by `pushed`.
    package var onCallPush: (CallInvitation, DisplayName) -> Void = { _, _ in }
    /// Told of every such call that no longer rings.
    package var onCallPushWithdrawn: (CallID) -> Void = { _ in }

    var guests: [SessionID: Guest] = [:]
    var names = NameBook()
    var blocks = BlockBook()
    var presence: PresenceMachine
    var calls: CallTable
    var rooms: [RoomName: RoomMachine] = [:]
    let roomSettings: Shared<RoomSettings>
    var roomGuesses = RoomGuessLimiter()

    /// The lines of other nodes, and of our own clients that have left, until that stands in the ledger.
    var strangers: [SessionID: Stranger] = [:]
    /// Puts the changes of all nodes into one order; nil where there is only one.
    var ledger: (any Ledger)?
    /// Who waits for the outcome of a change.
    var pending: [UInt64: SharedAnswer] = [:]
    /// Lines that move away, until their move has its place.
    var leaving: [SessionID: (Bool) -> Void] = [:]
    /// Lines that have moved here, with what they are to be told once their log is here.
    var coming: [SessionID: [Notice]] = [:]
    /// Lines that have moved while something was on its way to them.
    var flushes: [SessionID: Flush] = [:]
    /// Called with what other nodes say of places that are kept.
    package var onPlaceAsked: (_ key: ResumeKey, _ node: RandomToken) -> Void = { _, _ in }
    /// Called when an operator has another node ask this one to end.
    package var onDrain: () -> Void = {}
    package var onPlace: (_ session: SessionID, _ place: [UInt8]?) -> Void = { _, _ in }
    /// What was asked before this node was in the ledger for the first time; nil from then on.
    var early: [(SharedChange, SharedAnswer?)]?
    /// Called when the clock of all nodes is known, before anything else is carried out by it.
    package var onEntered: () -> Void = {}
    /// The moment of the change that is carried out, by the clock of all nodes.
    var moment = Instant(nanoseconds: 0)
    /// How far that clock is ahead of ours.
    var clockOffset = Duration.zero
    var origin = ChangeOrigin.alone
    /// What is done once for all nodes is done here, for the change that is carried out.
    var isOrigin: Bool { self.origin.isOurs }
    var lastEvent = EventPlace.start()
    /// Asks whether somebody who is on another node does not want to hear from a user.
    package var onForeignBlock: (_ user: UserID, _ other: UserID, @escaping (Bool) -> Void) -> Void = { $2(false) }

    var presenceOutbox = PresenceOutbox()
    var callOutbox = CallOutbox()
    var roomOutbox = RoomOutbox()
    private var alarm: (token: TimerToken, rings: Instant)?
    var roomAlarms: [RoomName: TimerToken] = [:]

    package init(_ settings: SwitchboardSettings, on scheduler: any Scheduler, clock: @escaping () -> WallTime) {
        self.settings = settings
        self.roomSettings = Shared(settings.rooms)
        self.scheduler = scheduler
        self.clock = clock
        self.presence = PresenceMachine(settings: settings.presence)
        self.calls = CallTable(settings: settings.calls)
    }

    package var now: Instant { self.scheduler.instant }
    var wallTime: WallTime { self.clock() }

    package func guest(_ session: SessionID) -> Guest? { self.guests[session] }
}

// MARK: - Coming and going

extension Switchboard {
    /// A user is signed in on a socket.
    ///
    /// - Parameters:
    ///   - blocked: whom they do not want to hear from; nil when it is unknown.
    ///   - onOrdered: told once: the sign-in has its place in the order of all nodes, or this node is not in that order.
    package func enter(
        _ user: UserID, _ face: ProfileSummary, blocking blocked: [UserID]?, _ dialect: any Dialect, _ socket: Socket,
        _ device: DeviceID = .main, onOrdered: @escaping () -> Void
    ) -> Guest {
        let guest = Guest(Line(user, socket.id), face.name, dialect, socket, device, self.settings, at: self.now)
        self.guests[socket.id] = guest
        self.blocks.entered(user, blocking: blocked)
        guest.isUp = true
        guest.avatar = face.avatar
        self.submit(.opened(guest.line, face)) { _ in onOrdered() }
        return guest
    }

    /// The line is there again, with everything it missed.
    package func returned(_ guest: Guest) {
        guest.isUp = true
        self.submit(.opened(guest.line, self.face(of: guest)))
    }

    /// The line broke or fell silent. Seats in rooms and calls are kept for a while.
    package func lost(_ guest: Guest, fellSilent: Bool) {
        guest.isUp = false
        self.submit(.lost(guest.line, fellSilent: fellSilent))
    }

    /// The socket is gone for good: its client said goodbye, or its line broke.
    package func left(_ guest: Guest, saidGoodbye: Bool) {
        guard self.guests.removeValue(forKey: guest.session) != nil else { return }
        self.blocks.left(guest.user)
        self.strangers[guest.session] = Stranger(guest)
        self.submit(.closed(guest.line, saidGoodbye: saidGoodbye))
    }

    /// A user may be shown as online for a while after their last line went.
    func forgetName(of user: UserID) {
        if !self.presence.isOnline(user) { self.names.forget(user) }
    }

    /// Whether a user who is there does not want to hear from `user`.
    package func isBlocked(_ user: UserID, by other: UserID) -> Bool { self.blocks.has(user, blockedBy: other) }

    package func blocked(_ other: UserID, by user: UserID, _ isBlocked: Bool) {
        self.blocks.changed(user, blocks: other, isBlocked)
    }

    /// Whether a line of the user is up, on whichever node.
    package func hasLine(of user: UserID) -> Bool { !self.presence.lines(of: user).isEmpty }

    /// Whether this line may ask for something now.
    package func allow(_ guest: Guest) throws(RequestError) {
        guard let wait = guest.allowance.take(at: self.now) else { return }
        throw RequestError(.rateLimited, "too many requests at once", retryAfter: wait)
    }
}

// MARK: - Telling

extension Switchboard {
    package func tell(_ notice: Notice, to session: SessionID) {
        guard let guest = self.guests[session] else { return self.keep(notice, for: session) }
        guest.dialect.event(for: notice)?.send(to: guest.socket)
    }

    /// Encoded once for each dialect that is spoken among them.
    func tell(_ notice: Notice, to sessions: Set<SessionID>) {
        var telling = Telling(notice)
        for session in sessions {
            if let guest = self.guests[session] { telling.tell(guest) } else { self.keep(notice, for: session) }
        }
    }

    func tell(_ notice: Notice, toMembersOf room: RoomMachine, except one: SessionID?) {
        var telling = Telling(notice)
        room.forEachMember { member in
            guard member.session != one else { return }
            guard let guest = self.guests[member.session] else { return self.keep(notice, for: member.session) }
            telling.tell(guest)
        }
    }

    func person(_ line: Line, isAway: Bool = false, recordingSince: WallTime? = nil) -> Person {
        let face = self.names[line.user]
        let name = self.guests[line.session]?.name ?? face?.name
        return Person(line: line, name: name, avatar: face?.avatar, isAway: isAway, recordingSince: recordingSince)
    }
}

/// One notice on its way to many.
private struct Telling {
    private let notice: Notice
    /// In each dialect that was spoken so far.
    private var events: [(dialect: any Dialect, event: SocketBroadcast?)] = []

    init(_ notice: Notice) { self.notice = notice }

    mutating func tell(_ guest: Guest) {
        for known in self.events where known.dialect === guest.dialect {
            known.event?.sendShared(to: guest.socket)
            return
        }
        let event = guest.dialect.event(for: self.notice)
        self.events.append((guest.dialect, event))
        event?.sendShared(to: guest.socket)
    }
}

// MARK: - Time

extension Switchboard {
    /// Leaves the timer where it is unless it would ring too late.
    func armAlarm() {
        guard let deadline = self.deadline else { return }
        if let alarm = self.alarm {
            guard deadline < alarm.rings else { return }
            self.scheduler.cancel(alarm.token)
        }
        let token = self.scheduler.schedule(after: self.wait(until: deadline)) { [unowned self] in self.alarmRang() }
        self.alarm = (token, deadline)
    }

    private var deadline: Instant? { Instant.earlier(self.presence.deadline, self.calls.deadline) }

    /// One node after the other, so that usually only one says that it is time.
    func wait(until deadline: Instant) -> Duration {
        let turn = Duration.milliseconds(300) * (self.ledger?.rank ?? 0)
        return max(.zero, self.sharedNow.duration(to: deadline)) + turn
    }

    /// Whatever is due by now has come to an end; on other nodes it may have been said already.
    private func alarmRang() {
        self.alarm = nil
        guard let deadline = self.deadline, deadline <= self.sharedNow else { return self.armAlarm() }
        self.submit(.tick)
    }
}

extension DisplayName {
    /// For a user without a display name.
    init(of user: UserID) {
        self = DisplayName(user.text) ?? .nobody
    }
}
