internal import BinaryCoding
package import Bytes
package import Vocabulary

/// One room: who is in it, in what order they came, and whose seat waits for a broken line.
///
///     room     waiting ──somebody joins──▶ open ──nobody is left──▶ ended
///
///     member   (none) ──joins──▶ present ──leaves, is replaced or removed──▶ (none)
///                                 │    ▲                                       ▲
///                           line lost  back                                    │
///                                 ▼    │                                       │
///                                  away ──leaves, or the lease runs out────────┘
///
/// The newcomer is the one who offers, to every member it finds (`others`); those who are there wait for that.
/// What a line asks for is passed on only while that line is up.
package struct RoomMachine: Sendable {
    enum State: UInt8, Hashable, Sendable {
        /// It has had no member yet. Can become: open.
        case waiting
        /// It has members. Can become: ended.
        case open
        /// The last state.
        case ended
    }

    private let shared: Shared<RoomSettings>
    private var state = State.waiting
    private var seats = JoinOrder()
    private var leases = Deadlines<SessionID>()
    private var access: RoomAccess
    /// Who opened the room; once they have left, the member who came first. May remove others.
    package private(set) var host: UserID?
    /// The number of the latest event.
    package private(set) var number: UInt64 = 0

    /// - Parameter rule: what whoever opens it wants.
    package init(settings: Shared<RoomSettings> = Shared(RoomSettings()), rule: RoomRule = .open) {
        self.shared = settings
        self.access = RoomAccess(rule, settings: settings)
    }

    package var settings: RoomSettings { self.shared.value }
    package var count: Int { self.seats.count }
    package var hasEnded: Bool { self.state == .ended }
    /// When to call `clockAdvanced`, if time is all that happens.
    package var deadline: Instant? { self.leases.next }
    /// All members in the order they came.
    package var members: [RoomMember] { Array(self.seats) }

    /// Calls `body` with every member, in the order they came. To thousands of members each step counts, and an iterator
    /// of another room's takes three of them.
    package func forEachMember(_ body: (RoomMember) -> Void) { self.seats.forEach(body) }

    package func member(_ session: SessionID) -> RoomMember? { self.seats[session] }

    /// Whom a newcomer finds, and offers to.
    package func others(than session: SessionID) -> [RoomMember] { self.seats.filter { $0.session != session } }

    /// A line comes in. Doing it twice is doing it once; true when the line is new here.
    ///
    /// `old` is a line of the same user that this one takes the place of, so that no member meets its ghost.
    ///
    /// - Parameter password: what the user shows; nobody who takes the place of their own line has to.
    package mutating func joined(
        _ line: Line, replacing old: SessionID? = nil, showing password: String? = nil, into outbox: inout RoomOutbox
    ) throws(RoomRefusal) -> Bool {
        try self.joined(line, replacing: old, proof: password.map { self.proof(of: $0) }, into: &outbox)
    }

    /// What a password that is shown becomes on its way between nodes.
    package func proof(of password: String) -> [UInt8] {
        guard case .password(let kept) = self.access.rule else { return [] }
        return kept.proof(password)
    }

    /// - Parameter proof: of the password that the user shows.
    package mutating func joined(
        _ line: Line, replacing old: SessionID? = nil, proof: [UInt8]?, into outbox: inout RoomOutbox
    ) throws(RoomRefusal) -> Bool {
        guard self.state != .ended else { throw .ended }
        if let member = self.seats[line.session] {
            guard member.user == line.user else { throw .notYours }
            self.returned(line, into: &outbox)
            return false
        }
        let replaced = old.flatMap { self.seats[$0] }.flatMap { $0.user == line.user ? $0 : nil }
        if self.state == .waiting {
            _ = try self.access.admit(line.user)
            self.host = line.user
        }
        if replaced == nil { try self.access.check(line.user, showing: proof) }
        guard self.count < self.settings.maximumMembers || replaced != nil else { throw .full }
        // The newcomer is in before the old line is out, so that the room does not end in between.
        self.state = .open
        self.seats.put(RoomMember(line: line))
        self.announce(.joined(line), except: line.session, into: &outbox)
        if let replaced { self.dismiss(replaced.session, .replaced, into: &outbox) }
        return true
    }

    /// A member goes, on purpose or because its line broke and will not come back. True when there was one: clients
    /// say goodbye twice.
    package mutating func left(
        _ session: SessionID, as departure: RoomDeparture = .left, into outbox: inout RoomOutbox
    ) -> Bool {
        guard self.seats[session] != nil else { return false }
        self.depart(session, departure, into: &outbox)
        return true
    }

    /// The host sends a user away, for as long as the room lasts or until they come again; nil is an operator, who may send anybody.
    package mutating func removed(
        _ user: UserID, by member: Line?, isBanned: Bool, into outbox: inout RoomOutbox
    ) throws(RoomRefusal) {
        if let member {
            guard self.seats[member.session]?.line == member else { throw .notAMember }
            guard member.user == self.host, user != self.host else { throw .notHost }
        }
        guard isBanned || self.seats.contains(where: { $0.user == user }) else { throw .notThere }
        if isBanned { try self.access.ban(user) }
        self.removed(user, into: &outbox)
    }

    /// A moderator removes a user, on all their lines.
    package mutating func removed(_ user: UserID, into outbox: inout RoomOutbox) {
        self.access.removed(user)
        for member in self.seats.filter({ $0.user == user }) {
            self.dismiss(member.session, .removed, into: &outbox)
        }
    }

    /// A member's line broke, or fell silent for too long. The seat waits for the length of a lease.
    package mutating func lineLost(
        _ session: SessionID, fellSilent: Bool = false, at now: Instant, into outbox: inout RoomOutbox
    ) {
        guard var member = self.seats[session], !member.isAway else { return }
        let lease = fellSilent ? min(self.settings.leaseOfSilent, self.settings.lease) : self.settings.lease
        guard lease > .zero else { return self.depart(session, .lost, into: &outbox) }
        member.keptUntil = now + lease
        self.seats.put(member)
        self.leases.set(member.keptUntil, for: session)
        self.announce(.away(session), except: session, into: &outbox)
    }

    /// A member's line is back with its session, and takes the seat that waits. True when there is one.
    @discardableResult
    package mutating func returned(_ line: Line, into outbox: inout RoomOutbox) -> Bool {
        guard var member = self.seats[line.session], member.line == line else { return false }
        guard member.isAway else { return true }
        member.keptUntil = nil
        self.seats.put(member)
        self.leases.set(nil, for: line.session)
        self.announce(.back(line.session), except: line.session, into: &outbox)
        return true
    }

    package mutating func clockAdvanced(to now: Instant, into outbox: inout RoomOutbox) {
        while let session = self.leases.popDue(at: now) {
            // A member that comes back later learns that the seat is gone.
            self.dismiss(session, .lost, into: &outbox)
        }
    }

    /// A member keeps what is said from now on, or with nil no longer: the others are told, and who comes later finds it.
    package mutating func recorded(
        by line: Line, since start: WallTime?, into outbox: inout RoomOutbox
    ) throws(RoomRefusal) {
        guard var member = self.seats[line.session], member.line == line else { throw .notAMember }
        // Said twice it is true once, since the first time.
        guard (member.recordingSince == nil) != (start == nil) else { return }
        member.recordingSince = start
        self.seats.put(member)
        self.announce(.recording(line.session, since: start), except: line.session, into: &outbox)
    }

    /// Something for one other member.
    package func relay(from sender: Line, to target: SessionID) throws(RoomRefusal) -> RelayRoute {
        guard self.seats[sender.session]?.line == sender else { throw .notAMember }
        guard target != sender.session, let member = self.seats[target] else { return .unknownTarget }
        return member.isAway ? .keep(for: target) : .deliver(to: target)
    }

    /// Something for all the others.
    package mutating func relayToOthers(from sender: Line) throws(RoomRefusal) -> RelayRoute {
        guard self.seats[sender.session]?.line == sender else { throw .notAMember }
        return .deliverToOthers(number: self.nextNumber())
    }

    // MARK: Who may come in

    package var rule: RoomRule { self.access.rule }

    /// An operator wants another rule. Members stay, and who was admitted stays so.
    package mutating func protected(by rule: RoomRule) { self.access.rule = rule }

    /// Whether a password that this user shows is looked at.
    package func asksPassword(of user: UserID) -> Bool { self.state != .waiting && self.access.asksPassword(of: user) }

    /// A user asks the members to be admitted. False when they are already.
    package mutating func knocked(_ user: UserID, at now: Instant) throws(RoomRefusal) -> Bool {
        try self.access.knocked(user, at: now)
    }

    /// A member admits a user. True when that user had asked for it.
    package mutating func admitted(_ user: UserID, by member: Line) throws(RoomRefusal) -> Bool {
        guard self.seats[member.session]?.line == member else { throw .notAMember }
        guard member.user == self.host || !self.access.isBanned(user) else { throw .notHost }
        return try self.access.admit(user)
    }

    private mutating func dismiss(_ session: SessionID, _ departure: RoomDeparture, into outbox: inout RoomOutbox) {
        outbox.append(.dismiss(session, departure))
        self.depart(session, departure, into: &outbox)
    }

    private mutating func depart(_ session: SessionID, _ departure: RoomDeparture, into outbox: inout RoomOutbox) {
        guard let member = self.seats[session] else { return }
        self.seats.remove(session)
        self.leases.set(nil, for: session)
        self.announce(.gone(member.line, departure), except: session, into: &outbox)
        guard self.count == 0 else { return self.findHost(insteadOf: member.user, into: &outbox) }
        self.state = .ended
        outbox.append(.ended)
    }

    private mutating func findHost(insteadOf user: UserID, into outbox: inout RoomOutbox) {
        guard user == self.host, !self.seats.contains(where: { $0.user == user }) else { return }
        guard let eldest = self.seats.eldest?.user else { return }
        self.host = eldest
        outbox.append(.host(eldest))
    }

    private mutating func announce(
        _ content: RoomAnnouncement.Content, except session: SessionID, into outbox: inout RoomOutbox
    ) {
        outbox.append(.announce(RoomAnnouncement(self.nextNumber(), content), except: session))
    }

    private mutating func nextNumber() -> UInt64 {
        self.number += 1
        return self.number
    }
}

// MARK: - Over nodes

extension RoomMachine {
    private static let skipped: UInt64 = 1000

    /// Whoever hears of the next event sees a gap, and asks how the room stands.
    package mutating func skipNumbers() { self.number += Self.skipped }
}

/// As another node takes it over.
extension RoomMachine {
    package func encode(into bytes: inout ByteWriter) {
        bytes.put(self.state.rawValue)
        bytes.put(self.number)
        bytes.put(self.host)
        bytes.put(Array(self.seats))
        self.access.encode(into: &bytes)
    }

    package init(from bytes: inout ByteReader, settings: Shared<RoomSettings>) throws(ByteError) {
        self.init(settings: settings)
        guard let state = State(rawValue: try bytes.take()) else { throw ByteError(.malformed, at: bytes.offset) }
        self.state = state
        self.number = try bytes.take()
        self.host = try bytes.take()
        for member in try bytes.take([RoomMember].self) {
            self.seats.put(member)
            self.leases.set(member.keptUntil, for: member.session)
        }
        self.access = try RoomAccess(from: &bytes, settings: settings)
    }
}

extension RoomMember: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) {
        bytes.put(self.line)
        bytes.put(self.keptUntil)
        bytes.put(self.recordingSince)
    }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        self.init(line: try bytes.take(), keptUntil: try bytes.take(), recordingSince: try bytes.take())
    }
}
