package import Vocabulary

/// One call between two people, from the first ring to the goodbye, on as many devices as they have.
///
///     invited ──▶ ringing ──accepted──▶ talking ──hung up, failed──────▶ ended
///        │           │                   │   ▲                            ▲
///        │           │             link lost │ back in time               │
///        │           │                   ▼   │                            │
///        │           │                 (seat kept) ──time is over: lost──▶│
///        │           └─declined, cancelled, no answer, offline, lost──────│
///        └─busy, offline──────────────────────────────────────────────────┘
///
/// A line that was told to ring, that invited or that took a seat is told once that the call is over for it.
/// Orders say which line they are for; whether that line is up is for others to know.
package struct CallMachine: Sendable {
    enum State: Sendable {
        /// The callee's devices ring. Can become: talking, ended, merged.
        case ringing(CallRinging)
        /// Both seats are taken. Can become: ended.
        case talking(CallTalk)
        /// The last state.
        case ended(CallOutcome)
        /// The last state of a call that lives on under another name.
        case merged(into: CallID)
    }

    package let id: CallID
    package let caller: UserID
    package let callee: UserID
    package internal(set) var kind: CallKind
    let settings: CallSettings
    let started: Instant
    var state: State

    /// The callee's devices ring, if there are any.
    package init(
        _ invitation: CallInvitation, ringing devices: [SessionID], settings: CallSettings, at now: Instant,
        into outbox: inout CallOutbox
    ) {
        self.init(invitation, kind: invitation.kind, settings: settings, at: now)
        for device in devices { self.lineOpened(Line(self.callee, device), into: &outbox) }
        if devices.isEmpty { self.end(.offline, by: nil, at: now, into: &outbox) }
    }

    /// The callee has no ear for it.
    package init(
        busy invitation: CallInvitation, settings: CallSettings, at now: Instant, into outbox: inout CallOutbox
    ) {
        self.init(invitation, kind: invitation.kind, settings: settings, at: now)
        self.end(.busy, by: nil, at: now, into: &outbox)
    }

    init(_ invitation: CallInvitation, kind: CallKind, settings: CallSettings, at now: Instant) {
        self.id = invitation.id
        self.caller = invitation.caller.user
        self.callee = invitation.callee
        self.kind = kind
        self.settings = settings
        self.started = now
        self.state = .ringing(CallRinging(for: CallSeat(invitation.caller), until: now + settings.ringTime))
    }

    /// When to call `clockAdvanced`, if time is all that happens.
    package var deadline: Instant? {
        switch self.state {
        case .ringing(let ringing): ringing.deadline
        case .talking(let talk): talk.deadline
        case .ended, .merged: nil
        }
    }

    package var isOver: Bool {
        switch self.state {
        case .ringing, .talking: false
        case .ended, .merged: true
        }
    }

    /// What a call that is over says to whoever still wants something of it.
    var whyOver: CallRefusal {
        if case .ended(let outcome) = self.state { .ended(outcome) } else { .answeredElsewhere }
    }

    package var isRinging: Bool {
        switch self.state {
        case .ringing: true
        case .talking, .ended, .merged: false
        }
    }

    package func concerns(_ user: UserID) -> Bool { user == self.caller || user == self.callee }

    /// Ends the call for everybody who has not been told, and for good.
    mutating func end(_ outcome: CallOutcome, by user: UserID?, at now: Instant, into outbox: inout CallOutbox) {
        for session in self.openSessions {
            outbox.append(.ended(session, .over(outcome, by: user)), of: self.id)
        }
        let record = CallRecord(
            id: self.id, caller: self.caller, callee: self.callee, kind: self.kind, started: self.started,
            answered: self.answered, ended: now, outcome: outcome, endedBy: user)
        outbox.append(.record(record), of: self.id)
        self.state = .ended(outcome)
    }

    /// Those that know of the call and do not know its end, the caller first.
    var openSessions: [SessionID] {
        switch self.state {
        case .ringing(let ringing): [ringing.caller.line.session] + ringing.open
        case .talking(let talk): [talk[.caller].line.session, talk[.callee].line.session]
        case .ended, .merged: []
        }
    }

    private var answered: Instant? {
        switch self.state {
        case .talking(let talk): talk.since
        case .ringing, .ended, .merged: nil
        }
    }
}
