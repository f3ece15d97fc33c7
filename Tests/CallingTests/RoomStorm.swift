import Calling
import TestSupport
import Vocabulary

/// Devices that come into one room and go again over a rough network, while each keeps its own list of who is there from
/// what it is told. After every event the room, the truth about links, and all those lists have to agree.
struct RoomStorm {
    enum Request: String {
        case join, joinReplacing, leave, relay, relayToAll
    }

    struct Packet {
        let line: Line
        let request: Request
        let target: SessionID
    }

    /// What one member knows of the room.
    struct Replica {
        let line: Line
        var number: UInt64
        var members: [SessionID]
        var away: Set<SessionID>
    }

    struct Device {
        let user: UserID
        var line: Line?
        var lastLine: Line
        var lostAt: Instant?
    }

    struct Sights {
        let hasLeases: Bool
        var rooms = 0
        var returns = 0
        var departures: [RoomDeparture: Int] = [:]
        var refusals: Set<String> = []
    }

    let seed: UInt64
    private var random: SeededRandom
    private var room: RoomMachine
    private var outbox = RoomOutbox()
    private var network = RoughNetwork<Packet>()
    private var devices: [Device] = []
    private var replicas: [Replica] = []
    private var lastNumber: UInt64 = 0
    private var now = Instant(milliseconds: 0)
    private var event = 0
    private var lately: Lately
    private var sights: Sights
    private let settings: RoomSettings

    init(seed: UInt64, isTraced: Bool) {
        self.seed = seed
        self.lately = Lately(isTraced: isTraced)
        self.random = SeededRandom(seed: seed)
        var settings = RoomSettings()
        settings.maximumMembers = 6
        settings.lease = seed % 4 == 3 ? .zero : .milliseconds(800)
        self.settings = settings
        self.sights = Sights(hasLeases: settings.lease > .zero)
        self.room = RoomMachine(settings: Shared(settings))
        for number in 0..<10 {
            guard let user = UserID("user\(number / 2)") else { continue }
            let line = Line(user, SessionID(using: &self.random))
            self.devices.append(Device(user: user, line: line, lastLine: line))
        }
    }

    mutating func run(events: Int) throws -> Sights {
        while self.event < events {
            try self.step()
            try self.check()
        }
        try self.drain()
        return self.sights
    }

    private mutating func step() throws {
        switch Int.random(in: 0..<100, using: &self.random) {
        case ..<45: try self.deliver()
        case ..<75: self.request()
        case ..<83: try self.breakLink()
        case ..<93: try self.restoreLink()
        case ..<94: try self.remove()
        default: try self.advance(by: .milliseconds(.random(in: 0..<400, using: &self.random)))
        }
    }

    // MARK: What happens

    private mutating func request() {
        guard let place = self.devices.indices.randomElement(using: &self.random), let line = self.devices[place].line,
            let target = self.devices.randomElement(using: &self.random)?.lastLine.session
        else { return }
        let request: Request =
            switch Int.random(in: 0..<10, using: &self.random) {
            case 0...4: .join
            case 5: .joinReplacing
            case 6...7: .leave
            case 8: .relay
            default: .relayToAll
            }
        self.network.send(Packet(line: line, request: request, target: target))
    }

    private mutating func deliver() throws {
        guard let packet = self.network.receive(using: &self.random),
            self.devices.contains(where: { $0.line?.session == packet.line.session })
        else { return }
        do throws(RoomRefusal) {
            try self.carryOut(packet)
        } catch {
            self.sights.refusals.insert("\(error)")
            guard self.outbox.isEmpty else { try self.fail("refused with \(error), and yet something happened") }
        }
        try self.happened("\(packet.line.session.text) \(packet.request) \(packet.target.text)")
    }

    private mutating func carryOut(_ packet: Packet) throws(RoomRefusal) {
        switch packet.request {
        case .join: try self.join(packet.line, replacing: nil)
        case .joinReplacing: try self.join(packet.line, replacing: packet.target)
        case .leave:
            let wasMember = self.room.left(packet.line.session, into: &self.outbox)
            if wasMember { self.sights.departures[.left, default: 0] += 1 }
        case .relay: _ = try self.room.relay(from: packet.line, to: packet.target)
        case .relayToAll:
            guard case .deliverToOthers(let number) = try self.room.relayToOthers(from: packet.line) else { return }
            self.lastNumber = number
            for place in self.replicas.indices { self.replicas[place].number += 1 }
        }
    }

    private mutating func join(_ line: Line, replacing old: SessionID?) throws(RoomRefusal) {
        guard try self.room.joined(line, replacing: old, into: &self.outbox) else { return }
        // What a newcomer is told is how the room is after its own coming, before anything else happens.
        let others = self.replicas.first
        self.replicas.append(
            Replica(
                line: line, number: self.lastNumber, members: others?.members ?? [], away: others?.away ?? []))
    }

    /// Sometimes a break is reported that was reported before.
    private mutating func breakLink() throws {
        guard let place = self.devices.indices.randomElement(using: &self.random) else { return }
        let line = self.devices[place].lastLine
        if self.devices[place].line != nil { self.devices[place].lostAt = self.now }
        self.devices[place].line = nil
        self.room.lineLost(line.session, at: self.now, into: &self.outbox)
        try self.happened("\(line.session.text) lost")
    }

    private mutating func restoreLink() throws {
        guard let place = self.devices.indices.randomElement(using: &self.random), self.devices[place].line == nil
        else { return }
        var line = self.devices[place].lastLine
        if Bool.random(using: &self.random) { line = Line(line.user, SessionID(using: &self.random)) }
        self.devices[place].line = line
        self.devices[place].lastLine = line
        self.devices[place].lostAt = nil
        if self.room.returned(line, into: &self.outbox) { self.sights.returns += 1 }
        try self.happened("\(line.session.text) opened")
    }

    private mutating func remove() throws {
        guard let user = self.devices.randomElement(using: &self.random)?.user else { return }
        self.room.removed(user, into: &self.outbox)
        try self.happened("\(user.text) is removed")
    }

    private mutating func advance(by duration: Duration) throws {
        self.now = self.now + duration
        self.room.clockAdvanced(to: self.now, into: &self.outbox)
        try self.happened("\(duration) pass")
    }

    // MARK: What must hold

    private mutating func happened(_ what: @autoclosure () -> String) throws {
        self.event += 1
        self.lately.note(what())
        var told: UserID?
        for order in self.outbox.orders {
            self.lately.note("    \(order.sentence)")
            switch order {
            case .announce(let event, _): try self.announced(event)
            case .dismiss(_, let departure): self.sights.departures[departure, default: 0] += 1
            case .host(let user): told = user
            case .ended:
                guard self.room.hasEnded, self.replicas.isEmpty else { try self.fail("a room ends under its members") }
                self.sights.rooms += 1
                self.room = RoomMachine(settings: Shared(self.settings))
                self.lastNumber = 0
            }
        }
        self.outbox.removeAll()
        guard told == nil || self.room.hasEnded || self.room.host == nil || told == self.room.host else {
            try self.fail("another host is told than there is")
        }
    }

    private mutating func announced(_ event: RoomAnnouncement) throws {
        guard event.number == self.lastNumber + 1 else { try self.fail("the numbers have a gap") }
        self.lastNumber = event.number
        if case .gone(let line, let departure) = event.content {
            let session = line.session
            if departure == .lost { self.sights.departures[.lost, default: 0] += 1 }
            guard let place = self.replicas.firstIndex(where: { $0.line.session == session }) else {
                try self.fail("somebody goes who was not there")
            }
            self.replicas.remove(at: place)
        }
        for place in self.replicas.indices { self.replicas[place].hear(event) }
    }

    private func check() throws {
        let members = Array(self.room.members)
        guard members.isEmpty || members.contains(where: { $0.user == self.room.host }) else {
            try self.fail("the host is not in the room")
        }
        guard members.count == self.room.count, members.count <= self.settings.maximumMembers else {
            try self.fail("the count is wrong")
        }
        for member in members { try self.checkSeat(of: member) }
        guard self.room.deadline == members.compactMap(\.keptUntil).min() else { try self.fail("a lease has no alarm") }
        let (sessions, away) = (members.map(\.session), Set(members.filter(\.isAway).map(\.session)))
        guard self.replicas.count == members.count else { try self.fail("a member was not told of its place") }
        // All of them now and then, one of them always.
        let isThorough = self.event.isMultiple(of: 16)
        for (place, replica) in self.replicas.enumerated() where isThorough || place == self.event % members.count {
            guard replica.members == sessions, replica.away == away, replica.number == self.lastNumber else {
                try self.fail("\(replica.line.session.text) sees another room")
            }
        }
    }

    /// Every member has a line that is up, or a lease that runs and is no longer than a lease.
    private func checkSeat(of member: RoomMember) throws {
        let device = self.devices.first { $0.lastLine.session == member.session }
        guard let until = member.keptUntil else {
            guard device?.line == member.line else { try self.fail("\(member.session.text) is a ghost") }
            return
        }
        guard device?.line != member.line else { try self.fail("\(member.session.text) is there and shown as away") }
        guard until > self.now, until <= self.now + self.settings.lease else { try self.fail("a lease ran over") }
        if let lostAt = device?.lostAt, until != lostAt + self.settings.lease { try self.fail("a lease was stretched") }
    }

    private mutating func drain() throws {
        for place in self.devices.indices {
            guard let line = self.devices[place].line else { continue }
            self.devices[place].line = nil
            self.room.lineLost(line.session, at: self.now, into: &self.outbox)
            try self.happened("\(line.session.text) lost")
        }
        try self.advance(by: self.settings.lease)
        guard self.room.count == 0, self.room.deadline == nil, self.replicas.isEmpty else {
            try self.fail("somebody is left in the room")
        }
    }

    private func fail(_ promise: String) throws -> Never {
        throw StormDamage(seed: self.seed, event: self.event, promise: promise, lately: self.lately.lines)
    }
}

extension RoomStorm.Replica {
    mutating func hear(_ event: RoomAnnouncement) {
        guard event.number == self.number + 1 else { return }
        self.number = event.number
        switch event.content {
        case .joined(let line): self.members.append(line.session)
        case .away(let session): self.away.insert(session)
        case .back(let session): self.away.remove(session)
        case .gone(let line, _):
            let session = line.session
            self.members.removeAll { $0 == session }
            self.away.remove(session)
        case .recording: break
        }
    }
}
