import BinaryCoding
import Calling
import Clustering
import Operations
import TestSupport
import Vocabulary

@testable import Switchboard

/// A database that puts what nodes say into one order, with connections that break before or after a commit.
final class VirtualLedger {
    let scheduler: ManualScheduler
    var random: SeededRandom
    private(set) var nodes: [StormNode] = []
    private var number: UInt64 = 0
    /// Who is there: since when it may give snapshots, and when it last said so.
    private var rows: [RandomToken: (isReady: Bool, seen: Instant)] = [:]

    init(seed: UInt64, _ scheduler: ManualScheduler) {
        self.random = SeededRandom(seed: seed)
        self.scheduler = scheduler
    }

    var now: Instant { Instant(milliseconds: Int64(1_700_000_000_000 + self.scheduler.now)) }

    private var crashed = Instant(nanoseconds: 0)

    func add(_ node: StormNode) { self.nodes.append(node) }

    func remove(_ node: StormNode) { self.nodes.removeAll { $0 === node } }

    func commit(_ text: String) {
        self.number += 1
        let payload = "=\(self.number) \(self.now.nanoseconds / 1_000) \(text)"
        for node in self.nodes { node.receive { $0.desk.heard(payload) } }
    }

    func commit(_ frame: NodeFrame) {
        for node in self.nodes where node.token != frame.node { node.receive { $0.heard(frame) } }
    }

    func hello(_ node: RandomToken, life: UInt64, knowsAll: Bool) {
        self.rows = self.rows.filter { $0.key != node && $0.value.seen + .seconds(5) > self.now }
        let isFirst =
            !self.rows.values.contains { $0.isReady } && (knowsAll || self.crashed + .milliseconds(1_500) < self.now)
        self.rows[node] = (isFirst, self.now)
        self.commit(LedgerEntry.text(.hello(isFirst: isFirst), of: node, life: life))
    }

    func isHere(_ node: RandomToken) { if self.rows[node] != nil { self.rows[node] = (true, self.now) } }

    func give(_ snapshot: LedgerSnapshot, _ state: [UInt8], to token: RandomToken) {
        for node in self.nodes where node.token == token { node.receive { $0.desk.received(snapshot, state) } }
    }

    /// All connections break, and nothing of it is left.
    func crash() {
        (self.number, self.rows, self.crashed) = (0, [:], self.now)
        for node in self.nodes { node.cut() }
    }
}

/// A node with lines of its own, none of which has a socket.
final class StormNode: LedgerWire, Equatable {
    let token: RandomToken
    let board: Switchboard
    private(set) lazy var desk = LedgerDesk(of: self.token, on: self, to: self.reader)
    private lazy var reader: any LedgerReader = self.hearsValues ? ValueReader(self.board) : self.board
    /// Like a loop of the same process; others hear bytes.
    let hearsValues: Bool
    private(set) var lines: [Line] = []
    private(set) var isConnected = false
    /// It hears nothing for now, and says nothing.
    var isStill = false
    /// Its letters to other nodes, which are not delivered.
    private(set) var letters: [(bytes: [UInt8], node: RandomToken)] = []
    /// What it could tell another program, by its places.
    var events: [EventPlace: SharedEvent] = [:]

    private unowned let database: VirtualLedger
    private var peers = PeerBook()
    private var inbox: [(StormNode) -> Void] = []
    private var outbox: [(VirtualLedger) -> Void] = []
    private var frames: UInt64 = 0
    private var lastBeat: Instant

    init(_ database: VirtualLedger, hearsValues: Bool = false) {
        self.database = database
        self.hearsValues = hearsValues
        self.token = RandomToken(using: &database.random)
        var settings = SwitchboardSettings()
        settings.calls.ringTime = .seconds(5)
        let scheduler = database.scheduler
        self.board = Switchboard(settings, on: scheduler) { WallTime(milliseconds: Int64(scheduler.now)) }
        self.lastBeat = database.now
        self.board.follow(self.desk)
        // Whatever had no socket when it came in again has left.
        self.board.onEntered = { [unowned self] in self.lines = [] }
        self.board.onEvent = { [unowned self] event, place, _ in self.events[place] = event }
    }

    static func == (one: StormNode, other: StormNode) -> Bool { one === other }

    var now: Instant { self.database.now }

    // MARK: The wire

    func sayHello(life: UInt64, knowsAll: Bool) {
        self.write { [token] in $0.hello(token, life: life, knowsAll: knowsAll) }
    }

    func append(_ contents: [LedgerEntry.Content], life: UInt64) {
        for content in contents {
            let text = LedgerEntry.text(content, of: self.token, life: life)
            self.write { $0.commit(text) }
        }
    }

    func send(_ letter: [UInt8], to node: RandomToken, at position: LedgerPosition) {
        self.letters.append((letter, node))
    }

    func give(_ snapshot: LedgerSnapshot, _ state: [UInt8], to node: RandomToken) {
        self.write { $0.give(snapshot, state, to: node) }
    }

    func sayReady() { self.write { [token] in $0.isHere(token) } }

    func callAtEndOfTurn() { self.callSoon { [unowned self] in self.desk.turnEnded() } }

    func callSoon(_ body: @escaping () -> Void) { self.database.scheduler.schedule(after: .zero, body) }

    private func write(_ statement: @escaping (VirtualLedger) -> Void) {
        if self.isConnected { self.outbox.append(statement) }
    }

    func receive(_ message: @escaping (StormNode) -> Void) { if self.isConnected { self.inbox.append(message) } }

    // MARK: What happens to it

    func connect() {
        guard !self.isConnected else { return }
        self.isConnected = true
        self.desk.connected()
    }

    /// What was on its way may have been committed or not.
    func cut() {
        guard self.isConnected else { return }
        let count = Int.random(in: 0...self.outbox.count, using: &self.database.random)
        for statement in self.outbox.prefix(count) { statement(self.database) }
        (self.outbox, self.inbox, self.isConnected) = ([], [], false)
        self.peers.forget()
        self.desk.disconnected()
    }

    /// Does some of what waits, in its order.
    func pump() {
        guard !self.isStill else { return }
        for _ in 0..<Int.random(in: 0...8, using: &self.database.random) where !self.inbox.isEmpty {
            self.inbox.removeFirst()(self)
        }
        for _ in 0..<Int.random(in: 0...8, using: &self.database.random) where !self.outbox.isEmpty {
            self.outbox.removeFirst()(self.database)
        }
    }

    func heard(_ frame: NodeFrame) { _ = self.peers.heard(frame, at: self.now) }

    func beat() {
        guard self.isConnected, !self.isStill else { return }
        if self.lastBeat + PeerBook.beat * 2 < self.now { self.peers.excuse(at: self.now) }
        self.lastBeat = self.now
        for silent in self.peers.clockAdvanced(to: self.now) { self.desk.isSilent(silent) }
        self.frames += 1
        let frame = NodeFrame(self.token, self.frames)
        self.write { $0.commit(frame) }
        self.desk.beat(self.peers)
    }

    func opened(_ line: Line) { self.lines.append(line) }
    func closed(_ line: Line) { self.lines.removeAll { $0 == line } }

    /// All that nodes have in common, written so that two can be compared.
    var digest: [String] {
        let rooms = self.board.rooms.map { name, room in
            "\(name.text) \(room.number) \(room.members.map { "\($0.session.text)\($0.isAway ? "?" : "")" })"
        }
        let people = self.board.presence.online.map { user in
            "\(user.text) \(self.board.presence.lines(of: user).map(\.text).sorted())"
        }
        let calls = self.board.presence.online.flatMap { user in
            self.board.calls.calls(of: user).map { call in
                "\(user.text) \(call.text) \(self.board.calls.running(call)?.callee.session.text ?? "rings")"
            }
        }
        return (rooms + people + calls + ["\(self.board.calls.count) calls"]).sorted()
    }
}

/// Hands on what stands in a ledger as the values that loops hand each other.
private final class ValueReader: LedgerReader {
    private let board: Switchboard

    init(_ board: Switchboard) { self.board = board }

    func carryOut(_ change: any LedgerValue, of node: RandomToken, serial: UInt64, at time: Instant) {
        self.board.carryOut(SharedChange(change) ?? change, of: node, serial: serial, at: time)
    }

    func nodeGone(_ node: RandomToken, at time: Instant) { self.board.nodeGone(node, at: time) }
    func writeSnapshot() -> [UInt8] { self.board.writeSnapshot() }
    func adopt(_ snapshot: [UInt8]) -> Bool { self.board.adopt(snapshot) }

    func enteredLedger(mayHaveMissed: Bool, at time: Instant) {
        self.board.enteredLedger(mayHaveMissed: mayHaveMissed, at: time)
    }

    func fellOutOfLedger() { self.board.fellOutOfLedger() }
    func received(_ letter: any LedgerValue) { self.board.received(letter) }
}

/// People who come, go, meet and ring at nodes that lose their database, stand still and die.
final class LedgerStorm {
    private let scheduler = ManualScheduler()
    private let database: VirtualLedger
    private var nodes: [StormNode] = []
    private var nextBeat = Duration.zero
    private(set) var damage: [String] = []
    private(set) var asked = 0
    private(set) var answered = 0
    private(set) var done = 0
    private(set) var faults = 0
    private(set) var events = 0
    /// The number of the last one of each series.
    private var lastEvents: [RandomToken: UInt64] = [:]
    /// Who has taken a call.
    private var winners: [CallID: Line] = [:]
    private var calls: [CallID] = []
    private let users: [UserID]
    private let rooms = (0..<6).compactMap { RoomName("room-\($0)") }

    init(seed: UInt64) {
        self.database = VirtualLedger(seed: seed, self.scheduler)
        self.users = (0..<12).compactMap { UserID("user-\($0)") }
        for _ in 0..<3 { self.addNode() }
    }

    private func addNode() {
        // One of them, also when it has died and another one has come.
        let node = StormNode(self.database, hearsValues: !self.nodes.contains(where: \.hearsValues))
        self.nodes.append(node)
        self.database.add(node)
        node.connect()
    }

    func run(events: Int, checks: Int) {
        for check in 1...checks {
            for _ in 0..<(events / checks) {
                self.step()
                self.pass(.milliseconds(self.pick(0...40)))
            }
            self.settle()
            self.compare(check)
        }
    }

    private func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self.database.random) }

    private func pass(_ time: Duration) {
        self.scheduler.advance(by: time)
        self.nextBeat -= time
        if self.nextBeat <= .zero {
            self.nextBeat += .seconds(1)
            for node in self.nodes { node.beat() }
        }
        for node in self.nodes.shuffled(using: &self.database.random) { node.pump() }
        self.scheduler.advance(by: .zero)
    }

    /// Nothing else happens until all is told and no seat waits any more.
    private func settle() {
        for node in self.nodes { node.isStill = false }
        for _ in 0..<1_200 {
            for node in self.nodes { node.connect() }
            self.pass(.milliseconds(50))
        }
    }

    private func compare(_ check: Int) {
        let digests = self.nodes.map(\.digest)
        for (node, digest) in zip(self.nodes, digests) {
            if !node.desk.isInside { self.damage.append("\(check): a node is outside") }
            guard digest != digests[0] else { continue }
            let differing = Set(digest).symmetricDifference(digests[0]).sorted().prefix(6)
            self.damage.append("\(check): \(differing.joined(separator: " | "))")
        }
        let open = Set(self.nodes.flatMap(\.lines).map(\.session.text))
        let online = Set(
            self.nodes[0].board.presence.online.flatMap { self.nodes[0].board.presence.lines(of: $0) }.map(\.text))
        if open != online { self.damage.append("\(check): \(open.symmetricDifference(online).count) ghosts") }
        if self.asked != self.answered {
            self.damage.append("\(check): \(self.asked - self.answered) without an answer")
        }
        self.compareEvents(check)
    }

    /// Whichever node writes events down, they are the same ones at the same places, and no place is left out.
    private func compareEvents(_ check: Int) {
        var all: [EventPlace: SharedEvent] = [:]
        for node in self.nodes + self.dead {
            for (place, event) in node.events {
                if let known = all[place], known != event {
                    self.damage.append("\(check): event \(place.number) is \(known) and \(event)")
                }
                all[place] = event
            }
            node.events = [:]
        }
        self.events += all.count
        for (series, places) in Dictionary(grouping: all.keys, by: \.series) {
            let numbers = places.map(\.number)
            let first = self.lastEvents[series, default: 0] + 1
            let last = numbers.max() ?? 0
            if numbers.count != last - first + 1 { self.damage.append("\(check): events are missing before \(last)") }
            self.lastEvents[series] = last
        }
    }

    private func step() {
        switch self.pick(0...999) {
        case 0...2: self.fault()
        case 3...250: self.comeOrGo()
        case 251...650: self.meet()
        default: self.ring()
        }
    }

    private func fault() {
        self.faults += 1
        let node = self.nodes[self.pick(0...2)]
        switch self.pick(0...9) {
        case 0: self.database.crash()
        case 1...3: node.cut()
        case 4...6: node.isStill = true
        case 7: self.kill(node)
        default: for node in self.nodes { node.isStill = false }
        }
        for node in self.nodes where self.pick(0...2) > 0 { node.connect() }
    }

    private func kill(_ node: StormNode) {
        node.cut()
        // What was asked before it was ever inside ends with it.
        self.answered += node.board.early?.count { $0.1 != nil } ?? 0
        node.board.early?.removeAll()
        self.database.remove(node)
        self.nodes.removeAll { $0 === node }
        // Kept alive: its timers are still set. What it does by them does not count.
        node.board.onEvent = { _, _, _ in }
        self.dead.append(node)
        self.addNode()
    }

    private var dead: [StormNode] = []

    private func ask(
        _ change: SharedChange, at node: StormNode, _ then: @escaping (SharedOutcome) -> Void = { _ in }
    ) {
        self.asked += 1
        let isDead = { [unowned self] in self.dead.contains(node) }
        node.board.submit(change) { [unowned self] result in
            self.answered += 1
            guard case .success(let outcome) = result, !isDead() else { return }
            self.done += 1
            then(outcome)
        }
    }

    private func comeOrGo() {
        let node = self.nodes[self.pick(0...2)]
        if node.lines.count < 8 {
            let user = self.users[self.pick(0...self.users.count - 1)]
            let line = Line(user, SessionID(RandomToken(using: &self.database.random)))
            self.ask(.opened(line, ProfileSummary(DisplayName(of: user))), at: node) { _ in node.opened(line) }
        } else {
            let line = node.lines[self.pick(0...node.lines.count - 1)]
            self.ask(.closed(line, saidGoodbye: self.pick(0...1) == 0), at: node) { _ in node.closed(line) }
        }
    }

    private func meet() {
        let node = self.nodes[self.pick(0...2)]
        guard let line = node.lines.randomElement(using: &self.database.random) else { return }
        let room = self.rooms[self.pick(0...self.rooms.count - 1)]
        switch self.pick(0...9) {
        case 0...5:
            let entry = SharedChange.RoomEntry(
                replaced: nil, proof: nil, rule: self.pick(0...9) == 0 ? .invitation : .open)
            self.ask(.join(room, line, entry), at: node)
        case 6: self.ask(.leave(room, line), at: node)
        case 7: self.ask(.knock(room, line), at: node)
        case 8: self.ask(.admit(self.users[self.pick(0...self.users.count - 1)], room, line), at: node)
        default:
            let length = self.pick(0...20) == 0 ? 20_000 : 20
            let signal = RelayedSignal(
                .room(room), from: line.session, .data, json: [UInt8](repeating: UInt8(ascii: "7"), count: length))
            self.ask(.relay(signal, room, line), at: node)
        }
    }

    private func ring() {
        let node = self.nodes[self.pick(0...2)]
        guard let line = node.lines.randomElement(using: &self.database.random) else { return }
        guard self.pick(0...3) > 0, let call = self.calls.suffix(6).randomElement(using: &self.database.random) else {
            let id = CallID(RandomToken(using: &self.database.random))
            let callee = self.users[self.pick(0...self.users.count - 1)]
            self.calls.append(id)
            return self.ask(.invite(CallInvitation(id, from: line, to: callee, kind: .audio)), at: node)
        }
        switch self.pick(0...9) {
        case 0: self.ask(.take(call, line, replacing: nil, keepsMedia: false), at: node)
        case 1...2: self.ask(.act(call, line, .hangUp), at: node)
        case 3: self.ask(.act(call, line, .acknowledge), at: node)
        default:
            self.ask(.act(call, line, .accept), at: node) { [unowned self] _ in self.won(call, line) }
        }
    }

    private func won(_ call: CallID, _ line: Line) {
        let known = self.winners[call] ?? line
        self.winners[call] = known
        // A seat may move to another line of its user afterwards, never to somebody else.
        if known.user != line.user { self.damage.append("two have taken \(call.text)") }
    }
}
