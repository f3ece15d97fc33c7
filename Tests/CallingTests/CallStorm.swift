import Calling
import TestSupport
import Vocabulary

/// People with several devices, who ring each other, hang up, lose their links and change their minds, over a network
/// that loses, doubles and reorders. After every event the promises are checked.
struct CallStorm {
    enum Request {
        case invite(CallInvitation)
        case acknowledge, accept, decline, hangUp, fail
        case takeSeat(replacing: SessionID?)
    }

    struct Packet {
        let line: Line
        let call: CallID
        let request: Request
    }

    struct Device {
        let user: UserID
        /// Nil while it has no link.
        var line: Line?
        var lastLine: Line
        /// Calls it has heard of, the latest last.
        var calls: [CallID] = []
    }

    let seed: UInt64
    private var random: SeededRandom
    private var table: CallTable
    private var outbox = CallOutbox()
    private(set) var ledger = CallLedger()
    private var network = RoughNetwork<Packet>()
    private var devices: [Device] = []
    private var users: [UserID] = []
    private var deviceOf: [SessionID: Int] = [:]
    private var now = Instant(milliseconds: 0)
    private var event = 0
    private var lately: Lately
    /// Calls for which it is being looked up whether there are devices that sleep.
    private var pushes: [CallID] = []

    init(seed: UInt64, isTraced: Bool) {
        self.seed = seed
        self.lately = Lately(isTraced: isTraced)
        self.random = SeededRandom(seed: seed)
        var settings = CallSettings()
        settings.busyFrom = seed % 3 == 0 ? 2 : 1
        settings.wakesDevices = seed % 4 >= 2
        self.table = CallTable(settings: settings)
        self.users = (0..<6).compactMap { UserID("user\($0)") }
        for user in self.users {
            for _ in 0..<3 {
                let line = Line(user, SessionID(using: &self.random))
                self.deviceOf[line.session] = self.devices.count
                self.devices.append(Device(user: user, line: line, lastLine: line))
            }
        }
    }

    mutating func run(events: Int) throws -> CallLedger {
        while self.event < events {
            try self.step()
            try self.checkBooks()
        }
        try self.drain()
        return self.ledger
    }

    private mutating func step() throws {
        switch Int.random(in: 0..<100, using: &self.random) {
        case ..<55: try self.deliver()
        case ..<63: self.invite()
        case ..<84: self.request()
        case ..<88: try self.breakLink()
        case ..<94: try self.restoreLink()
        case ..<97: try self.answerPush()
        default: try self.advance(by: .milliseconds(.random(in: 0..<8_000, using: &self.random)))
        }
    }

    // MARK: What devices do

    private mutating func invite() {
        guard let place = self.devices.indices.randomElement(using: &self.random), let line = self.devices[place].line,
            let callee = self.users.randomElement(using: &self.random)
        else { return }
        let kind: CallKind = Bool.random(using: &self.random) ? .audio : .video
        let invitation = CallInvitation(CallID(using: &self.random), from: line, to: callee, kind: kind)
        self.network.send(Packet(line: line, call: invitation.id, request: .invite(invitation)))
        self.hear(invitation.id, on: place)
    }

    private mutating func request() {
        guard let place = self.devices.indices.randomElement(using: &self.random), let line = self.devices[place].line
        else { return }
        // Now and then somebody meddles with a call that is not theirs.
        let isMeddling = Int.random(in: 0..<20, using: &self.random) == 0
        let known = isMeddling ? self.ledger.live : self.devices[place].calls
        guard let call = known.randomElement(using: &self.random) else { return }
        let request: Request =
            switch Int.random(in: 0..<12, using: &self.random) {
            case 0...3: .accept
            case 4...6: .acknowledge
            case 7: .decline
            case 8: .hangUp
            case 9: Int.random(in: 0..<4, using: &self.random) == 0 ? .fail : .acknowledge
            case 10: .takeSeat(replacing: nil)
            default: .takeSeat(replacing: self.devices.randomElement(using: &self.random)?.lastLine.session)
            }
        self.network.send(Packet(line: line, call: call, request: request))
    }

    /// Sometimes a break is reported that was reported before.
    private mutating func breakLink() throws {
        guard let place = self.devices.indices.randomElement(using: &self.random) else { return }
        let line = self.devices[place].lastLine
        self.devices[place].line = nil
        self.table.lineLost(line, at: self.now, into: &self.outbox)
        try self.happened("\(line.session.text) lost")
    }

    private mutating func restoreLink() throws {
        guard let place = self.devices.indices.randomElement(using: &self.random), self.devices[place].line == nil
        else { return }
        var line = self.devices[place].lastLine
        if Bool.random(using: &self.random) { line = Line(line.user, SessionID(using: &self.random)) }
        self.deviceOf[line.session] = place
        self.devices[place].line = line
        self.devices[place].lastLine = line
        self.table.lineOpened(line, into: &self.outbox)
        try self.happened("\(line.session.text) opened")
    }

    /// The store answers late, and perhaps when nobody asks any more.
    private mutating func answerPush() throws {
        guard let place = self.pushes.indices.randomElement(using: &self.random) else { return }
        let call = self.pushes.remove(at: place)
        let areThereDevices = Bool.random(using: &self.random)
        if !areThereDevices { self.ledger.wakesNobody(call) }
        self.table.pushed(call, areThereDevices, at: self.now, into: &self.outbox)
        try self.happened("\(call.text) \(areThereDevices ? "wakes devices" : "has no devices to wake")")
    }

    private mutating func hear(_ call: CallID, on place: Int) {
        guard !self.devices[place].calls.contains(call) else { return }
        self.devices[place].calls.append(call)
        if self.devices[place].calls.count > 4 { self.devices[place].calls.removeFirst() }
    }

    // MARK: What the server does

    /// What a link carried that is gone by now is gone with it.
    private func isUp(_ line: Line) -> Bool {
        self.deviceOf[line.session].map { self.devices[$0].line == line } ?? false
    }

    private mutating func deliver() throws {
        guard let packet = self.network.receive(using: &self.random), self.isUp(packet.line) else { return }
        let isTheirs = packet.request.isInvitation || self.table.calls(of: packet.line.user).contains(packet.call)
        do throws(CallRefusal) {
            try self.carryOut(packet)
        } catch {
            guard self.outbox.isEmpty else { try self.fail("refused with \(error), and yet something happened") }
            return try self.happened("\(packet.line.session.text) is refused: \(error)")
        }
        guard isTheirs || !self.ledger.live.contains(packet.call) else { try self.fail("a stranger was heard") }
        try self.happened("\(packet.line.session.text) \(packet.request.name) \(packet.call.text)")
    }

    private mutating func carryOut(_ packet: Packet) throws(CallRefusal) {
        let (call, line) = (packet.call, packet.line)
        switch packet.request {
        case .invite(let invitation): try self.invite(invitation)
        case .acknowledge: try self.table.acknowledged(call, by: line, into: &self.outbox)
        case .accept: try self.table.accepted(call, by: line, at: self.now, into: &self.outbox)
        case .decline: try self.table.declined(call, by: line, at: self.now, into: &self.outbox)
        case .hangUp: try self.table.hungUp(call, by: line, at: self.now, into: &self.outbox)
        case .fail: try self.table.failed(call, by: line, at: self.now, into: &self.outbox)
        case .takeSeat(let old):
            let view = try self.table.seatTaken(call, by: line, replacing: old, into: &self.outbox)
            if view.phase == .ringing, view.caller == line.user { self.ledger.seated(line, in: view.id) }
        }
    }

    private mutating func invite(_ invitation: CallInvitation) throws(CallRefusal) {
        let isNew = !self.ledger.knows(invitation.id)
        if isNew { self.ledger.opened(invitation) }
        let lines = self.devices.compactMap(\.line).filter { $0.user == invitation.callee }.map(\.session)
        do throws(CallRefusal) {
            let name = try self.table.invited(invitation, ringing: lines, at: self.now, into: &self.outbox)
            if isNew, name != invitation.id { self.ledger.withdrawn(invitation.id) }
        } catch {
            if isNew { self.ledger.withdrawn(invitation.id) }
            throw error
        }
    }

    private mutating func advance(by duration: Duration) throws {
        let end = self.now + duration
        while let deadline = self.table.deadline, deadline <= end {
            self.now = max(self.now, deadline)
            self.table.clockAdvanced(to: self.now, into: &self.outbox)
            guard self.table.deadline != deadline || !self.outbox.isEmpty else {
                try self.fail("a deadline came to nothing")
            }
            try self.happened("time passes")
        }
        self.now = end
    }

    // MARK: What must hold

    private mutating func happened(_ what: @autoclosure () -> String) throws {
        self.event += 1
        self.lately.note(what())
        for order in self.outbox.orders {
            self.lately.note("    \(order.sentence)")
            try self.checkBusy(order)
            if case .push = order.action { self.pushes.append(order.call) }
            if let broken = self.ledger.write(order) { try self.fail(broken) }
            if let session = order.action.addressee, let place = self.deviceOf[session],
                self.devices[place].line?.session == session
            {
                self.hear(order.call, on: place)
            }
        }
        self.outbox.removeAll()
    }

    /// Whoever is called busy takes part in as many calls as make busy, besides the one that ended so.
    private func checkBusy(_ order: CallOutbox.Order) throws {
        guard case .record(let record) = order.action, record.outcome == .busy else { return }
        guard self.table.calls(of: record.callee).count < self.table.settings.busyFrom else { return }
        try self.fail("busy while free")
    }

    private func checkBooks() throws {
        guard self.table.count == self.ledger.live.count else { try self.fail("the table and its orders disagree") }
        guard self.table.count == 0 || self.event % 16 != 0 else { return try self.checkSeats() }
    }

    /// A seat is held by a line that is up, or is shown as waiting; a call in which somebody waits has an end in sight.
    private func checkSeats() throws {
        for id in self.ledger.live {
            guard let page = self.ledger.pages[id] else { try self.fail("a page is missing") }
            guard let caller = page.seats[.caller], let callee = page.seats[.callee] else {
                guard self.table.deadline != nil else { try self.fail("it rings without end") }
                continue
            }
            for (line, peer) in [(caller, callee), (callee, caller)] {
                guard case .talking(let connection, let isPeerAway, _) = try? self.table.view(of: id, for: line).phase,
                    connection.peer == peer
                else { try self.fail("the seats are not those that were told") }
                guard isPeerAway == !self.isUp(peer) else { try self.fail("a seat is held by a ghost") }
                guard isPeerAway == page.away.contains(connection.role.other) else {
                    try self.fail("a side was not told that it has to wait, or no longer has to")
                }
                guard !isPeerAway || self.table.deadline != nil else { try self.fail("somebody waits without end") }
            }
        }
    }

    /// Everybody goes, or the server does; in the end no call is left but those in which two talk.
    private mutating func drain() throws {
        if self.seed.isMultiple(of: 2) {
            self.table.serverStopped(at: self.now, into: &self.outbox)
            try self.happened("the server stops")
            let isTalking = self.ledger.live.allSatisfy { self.table.running($0) != nil }
            guard self.table.deadline == nil, isTalking else { try self.fail("a ring does not end") }
            return
        } else {
            for place in self.devices.indices {
                guard let line = self.devices[place].line else { continue }
                self.devices[place].line = nil
                self.table.lineLost(line, at: self.now, into: &self.outbox)
                try self.happened("\(line.session.text) lost")
            }
            try self.advance(by: self.table.settings.linkGrace + self.table.settings.ringTime)
        }
        guard self.table.count == 0, self.table.deadline == nil, self.ledger.live.isEmpty,
            self.users.allSatisfy({ self.table.calls(of: $0).isEmpty })
        else { try self.fail("a call does not end") }
    }

    private func fail(_ promise: String) throws -> Never {
        throw StormDamage(seed: self.seed, event: self.event, promise: promise, lately: self.lately.lines)
    }
}

extension CallStorm.Request {
    var name: String {
        switch self {
        case .invite(let invitation): "invites \(invitation.callee.text) to"
        case .acknowledge: "rings for"
        case .accept: "accepts"
        case .decline: "declines"
        case .hangUp: "hangs up"
        case .fail: "fails in"
        case .takeSeat(let old): "takes the seat of \(old?.text ?? "nobody") in"
        }
    }

    var isInvitation: Bool {
        switch self {
        case .invite: true
        case .acknowledge, .accept, .decline, .hangUp, .fail, .takeSeat: false
        }
    }
}

extension CallOutbox.Action {
    /// The line an order is for.
    var addressee: SessionID? {
        switch self {
        case .ring(let session, _), .ringing(let session), .pushed(let session), .connected(let session, _),
            .peerAway(let session),
            .peerBack(let session, _, _), .recording(let session, _), .ended(let session, _):
            session
        case .push, .withdrawPush, .record: nil
        }
    }
}
