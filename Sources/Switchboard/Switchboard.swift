package import Calling
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
    /// Told of every call that is over.
    package var onCallEnded: (CallRecord) -> Void = { _ in }
    /// Told of every call that begins.
    package var onCallStarted: (CallInvitation) -> Void = { _ in }
    /// Told of every call that two talk in from now on.
    package var onCallAnswered: (RunningCall) -> Void = { _ in }

    /// Told of every user who comes online with their first line, or goes with their last.
    package var onPresence: (UserID, Bool) -> Void = { _, _ in }
    /// Told of everybody who comes into a room or goes, and when it ends.
    package var onRoom: (RoomName, RoomNews) -> Void = { _, _ in }

    /// Told of every call for which devices that sleep may be woken; answered by `pushed`.
    package var onCallPush: (CallInvitation, DisplayName) -> Void = { _, _ in }
    /// Told of every such call that no longer rings.
    package var onCallPushWithdrawn: (CallID) -> Void = { _ in }

    private(set) var guests: [SessionID: Guest] = [:]
    var names = NameBook()
    private var blocks = BlockBook()
    var presence: PresenceMachine
    var calls: CallTable
    var rooms: [RoomName: RoomMachine] = [:]
    var roomGuesses = RoomGuessLimiter()

    var presenceOutbox = PresenceOutbox()
    var callOutbox = CallOutbox()
    var roomOutbox = RoomOutbox()
    private var alarm: (token: TimerToken, rings: Instant)?
    var roomAlarms: [RoomName: TimerToken] = [:]

    package init(_ settings: SwitchboardSettings, on scheduler: any Scheduler, clock: @escaping () -> WallTime) {
        self.settings = settings
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
    /// - Parameter blocked: whom they do not want to hear from; nil when it is unknown.
    package func enter(
        _ user: UserID, _ face: ProfileSummary, blocking blocked: [UserID]?, _ dialect: any Dialect, _ socket: Socket,
        _ device: DeviceID = .main
    ) -> Guest {
        let guest = Guest(Line(user, socket.id), face.name, dialect, socket, device, self.settings, at: self.now)
        self.guests[socket.id] = guest
        self.names.entered(user, as: face)
        self.blocks.entered(user, blocking: blocked)
        self.lineUp(guest)
        return guest
    }

    /// The line is there again, with everything it missed.
    package func returned(_ guest: Guest) {
        self.lineUp(guest)
        for room in guest.rooms {
            self.changeRoom(room) { machine, outbox in _ = machine.returned(guest.line, into: &outbox) }
        }
    }

    private func lineUp(_ guest: Guest) {
        self.presence.lineOpened(guest.line, into: &self.presenceOutbox)
        self.tellPresence()
        self.calls.lineOpened(guest.line, into: &self.callOutbox)
        self.carryOutCalls()
    }

    /// The line broke or fell silent. Seats in rooms and calls are kept for a while.
    package func lost(_ guest: Guest, fellSilent: Bool) {
        let now = self.now
        self.presence.lineLost(guest.session, at: now, into: &self.presenceOutbox)
        self.tellPresence()
        for room in guest.rooms {
            self.changeRoom(room) { machine, outbox in
                machine.lineLost(guest.session, fellSilent: fellSilent, at: now, into: &outbox)
            }
        }
        self.calls.lineLost(guest.line, at: now, into: &self.callOutbox)
        self.carryOutCalls()
    }

    /// The socket is gone for good: its client said goodbye, or its line broke.
    package func left(_ guest: Guest, saidGoodbye: Bool) {
        guard self.guests.removeValue(forKey: guest.session) != nil else { return }
        let now = self.now
        let departure: RoomDeparture = saidGoodbye ? .left : .lost
        for room in guest.rooms {
            self.changeRoom(room) { machine, outbox in
                _ = machine.left(guest.session, as: departure, into: &outbox)
            }
        }
        guest.rooms = []
        self.presence.lineClosed(guest.session, at: now, into: &self.presenceOutbox)
        self.tellPresence()
        self.calls.lineLost(guest.line, at: now, into: &self.callOutbox)
        self.carryOutCalls()
        self.names.left(guest.user)
        self.blocks.left(guest.user)
        self.forgetName(of: guest.user)
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

    /// Whether this line may ask for something now.
    package func allow(_ guest: Guest) throws(RequestError) {
        guard let wait = guest.allowance.take(at: self.now) else { return }
        throw RequestError(.rateLimited, "too many requests at once", retryAfter: wait)
    }
}

// MARK: - Telling

extension Switchboard {
    package func tell(_ notice: Notice, to session: SessionID) {
        guard let guest = self.guests[session] else { return }
        guest.dialect.event(for: notice)?.send(to: guest.socket)
    }

    /// Encoded once for each dialect that is spoken among them.
    func tell(_ notice: Notice, to sessions: Set<SessionID>) {
        var telling = Telling(notice)
        for session in sessions {
            if let guest = self.guests[session] { telling.tell(guest) }
        }
    }

    func tell(_ notice: Notice, toMembersOf room: RoomMachine, except one: SessionID?) {
        var telling = Telling(notice)
        room.forEachMember { member in
            if member.session != one, let guest = self.guests[member.session] { telling.tell(guest) }
        }
    }

    func person(_ line: Line, isAway: Bool = false) -> Person {
        let face = self.names[line.user]
        let name = self.guests[line.session]?.name ?? face?.name
        return Person(line: line, name: name, avatar: face?.avatar, isAway: isAway)
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
        guard let deadline = [self.presence.deadline, self.calls.deadline].compactMap(\.self).min() else { return }
        if let alarm = self.alarm {
            guard deadline < alarm.rings else { return }
            self.scheduler.cancel(alarm.token)
        }
        let token = self.scheduler.schedule(after: max(.zero, self.now.duration(to: deadline))) { [unowned self] in
            self.alarmRang()
        }
        self.alarm = (token, deadline)
    }

    private func alarmRang() {
        self.alarm = nil
        self.presence.clockAdvanced(to: self.now, into: &self.presenceOutbox)
        self.tellPresence()
        self.calls.clockAdvanced(to: self.now, into: &self.callOutbox)
        self.carryOutCalls()
        self.armAlarm()
    }
}

extension DisplayName {
    /// For a user without a display name.
    init(of user: UserID) {
        self = DisplayName(user.text) ?? .nobody
    }
}
