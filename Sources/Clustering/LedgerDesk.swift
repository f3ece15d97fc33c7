package import Vocabulary

/// How a node reaches the place where entries get their numbers.
package protocol LedgerWire: AnyObject {
    /// In this life from now on. The entry that says so comes back like all others.
    ///
    /// - Parameter knowsAll: the node was inside before; after a crash of everything it goes before those that have just begun.
    func sayHello(life: UInt64, knowsAll: Bool)
    /// Behind all that there are, together.
    func append(_ contents: [LedgerEntry.Content], life: UInt64)
    /// - Parameter position: what the sender had heard by then; the receiver goes on to there first.
    func send(_ letter: [UInt8], to node: RandomToken, at position: LedgerPosition)
    /// Whether it left by a way of its own, which does not wait for the end of the turn.
    func sendDirectly(_ letter: [UInt8], to node: RandomToken, at position: LedgerPosition) -> Bool
    func give(_ snapshot: LedgerSnapshot, _ state: [UInt8], to node: RandomToken)
    /// This node can give snapshots.
    func sayReady()
    /// What was appended in this turn leaves at its end.
    func callAtEndOfTurn()
    func callSoon(_ body: @escaping () -> Void)
    /// By the clock of this node.
    var now: Instant { get }
}

extension LedgerWire {
    package func sendDirectly(_ letter: [UInt8], to node: RandomToken, at position: LedgerPosition) -> Bool { false }
}

/// A node's place in the ledger: gathers its changes, carries out everybody's in their order, and comes back when it fell out.
package final class LedgerDesk: Ledger {
    /// Told when this node comes in and falls out.
    package var onChange: (Bool) -> Void = { _ in }

    private unowned let reader: any LedgerReader
    private unowned let wire: any LedgerWire
    private let siblings: Set<RandomToken>
    private var machine: LedgerMachine
    private var isConnected = false
    private var lastSerial: UInt64 = 0
    /// Changes of this turn.
    private var waiting: [[UInt8]] = []
    private var letters: [(node: RandomToken, bytes: [UInt8])] = []
    private var isGathered = false
    /// Own changes that are on their way.
    private var inFlight = 0
    /// There was nobody else when the connection broke.
    private var isIsland = false
    private var saidHello: Instant?
    private var hasBeenInside = false
    /// Since when nothing was heard of a member.
    private var missing: [RandomToken: Instant] = [:]

    /// Beyond that the way is too slow for more.
    private static let mostWaiting = 10_000
    private static let snapshotTimeout = Duration.milliseconds(1_900)

    /// - Parameter siblings: nodes of the same process, which end with this one.
    package init(
        of node: RandomToken, besides siblings: Set<RandomToken> = [], on wire: any LedgerWire,
        to reader: any LedgerReader
    ) {
        self.siblings = siblings
        self.machine = LedgerMachine(node)
        self.wire = wire
        self.reader = reader
    }

    package var node: RandomToken { self.machine.node }
    package var rank: Int { self.machine.rank }
    package var isInside: Bool { self.machine.isInside }

    package func knows(_ node: RandomToken) -> Bool { self.machine.members[node]?.isInside == true }

    package var isAlone: Bool {
        (self.machine.isAlone || self.isIsland) && self.inFlight == 0 && self.waiting.isEmpty
    }

    package var othersGoOn: Bool {
        !self.isAlone && self.machine.members.keys.contains { $0 != self.node && !self.siblings.contains($0) }
    }

    package func append(_ change: any LedgerValue) -> UInt64? {
        guard self.machine.isInside, self.waiting.count + self.inFlight < Self.mostWaiting else { return nil }
        self.lastSerial += 1
        self.waiting.append(change.ledgerBytes)
        self.gather()
        return self.lastSerial
    }

    @discardableResult
    package func send(_ letter: any LedgerValue, to node: RandomToken) -> Bool {
        let bytes = letter.ledgerBytes
        // What waits for the end of the turn stays in front.
        if self.letters.isEmpty, self.wire.sendDirectly(bytes, to: node, at: self.position) { return true }
        guard self.machine.isInside else { return false }
        self.letters.append((node, bytes))
        self.gather()
        return true
    }

    private func gather() {
        guard !self.isGathered else { return }
        self.isGathered = true
        self.wire.callAtEndOfTurn()
    }

    package func turnEnded() {
        self.isGathered = false
        guard self.isConnected, self.machine.isInside else { return }
        let (changes, letters) = (self.waiting, self.letters)
        (self.waiting, self.letters) = ([], [])
        self.inFlight += changes.count
        let first = self.lastSerial - UInt64(changes.count) + 1
        if !changes.isEmpty { self.say(LedgerEntry.contents(changes, from: first)) }
        for (node, bytes) in letters { self.wire.send(bytes, to: node, at: self.position) }
    }

    /// What is said now comes behind this.
    private var position: LedgerPosition {
        let isBusy = self.inFlight > 0 || !self.waiting.isEmpty
        return LedgerPosition(entry: self.machine.number, serial: isBusy ? self.lastSerial : 0)
    }

    /// Whether everything that another node had heard when it said something was carried out here. Where no entry is heard at all,
    /// none is waited for.
    package func hasReached(_ position: LedgerPosition, of node: RandomToken) -> Bool {
        guard self.isConnected else { return true }
        return self.machine.isInside && position.entry <= self.machine.number
            && position.serial <= (self.machine.members[node]?.serial ?? 0)
    }

    private func say(_ contents: [LedgerEntry.Content]) { self.wire.append(contents, life: self.machine.life) }
}

// MARK: - Coming and going

extension LedgerDesk {
    /// From now on entries are heard.
    package func connected() {
        self.isConnected = true
        self.sayHello()
    }

    package func disconnected() {
        self.isIsland = self.isIsland || (self.machine.isAlone && self.inFlight == 0)
        self.isConnected = false
        self.change { machine, orders in machine.lost(&orders) }
    }

    private func sayHello() {
        self.change { machine, orders in machine.saysHello(&orders) }
        self.saidHello = self.wire.now
        self.wire.sayHello(life: self.machine.life, knowsAll: self.hasBeenInside)
    }

    package func heard(_ payload: String) {
        guard let entry = LedgerEntry(payload) else { return }
        self.change { machine, orders in machine.heard(entry, &orders) }
    }

    package func received(_ snapshot: LedgerSnapshot, _ state: [UInt8]) {
        guard self.machine.waits(for: snapshot), self.reader.adopt(state) else { return }
        self.change { machine, orders in machine.adopted(snapshot, &orders) }
    }

    /// Every second: who is there says so, who is outside tries again, and who says nothing is given up.
    package func beat(_ peers: PeerBook) {
        guard self.isConnected else { return }
        let now = self.wire.now
        if self.machine.isInside {
            self.wire.sayReady()
            self.giveUp(peers, at: now)
        } else if self.saidHello.map({ $0 + Self.snapshotTimeout < now }) ?? true {
            self.sayHello()
        }
    }

    private func giveUp(_ peers: PeerBook, at now: Instant) {
        for member in self.machine.members.keys where member != self.node {
            guard !peers.knows(member) else {
                self.missing[member] = nil
                continue
            }
            let since = self.missing[member, default: now]
            self.missing[member] = since
            if since + PeerBook.silence <= now { self.isSilent(member) }
        }
    }

    /// Nothing was heard of it for too long.
    package func isSilent(_ member: RandomToken) {
        guard let life = self.machine.members[member]?.life, self.isConnected, self.machine.isInside else { return }
        self.say([.gone(member, life: life)])
    }

    /// The others need not wait for this node's silence.
    package func leave() {
        guard self.isConnected else { return }
        self.turnEnded()
        self.say([.gone(self.node, life: self.machine.life)])
        self.isConnected = false
        self.change { machine, orders in machine.lost(&orders) }
    }
}

// MARK: - Carrying out

extension LedgerDesk {
    private func change(_ event: (inout LedgerMachine, inout [LedgerMachine.Order]) -> Void) {
        var orders: [LedgerMachine.Order] = []
        event(&self.machine, &orders)
        for order in orders { self.carryOut(order) }
    }

    private func carryOut(_ order: LedgerMachine.Order) {
        switch order {
        case .apply(let change, let node, let serial, let time):
            if node == self.node { self.inFlight -= 1 }
            self.reader.carryOut(change, of: node, serial: serial, at: time)
        case .nodeGone(let node, let time): self.reader.nodeGone(node, at: time)
        case .giveSnapshot(let node, let snapshot): self.wire.give(snapshot, self.reader.writeSnapshot(), to: node)
        case .entered(let isFirst, let time):
            let mayHaveMissed = isFirst && self.hasBeenInside && !self.isIsland
            (self.isIsland, self.saidHello, self.missing, self.hasBeenInside) = (false, nil, [:], true)
            if !isFirst { self.say([.here]) }
            self.wire.sayReady()
            self.reader.enteredLedger(mayHaveMissed: mayHaveMissed, at: time)
            self.onChange(true)
        case .fellOut:
            (self.inFlight, self.waiting, self.letters) = (0, [], [])
            self.reader.fellOutOfLedger()
            self.onChange(false)
            self.comeBack()
        }
    }

    /// The others have given this node up, while it stood still.
    private func comeBack() {
        self.saidHello = nil
        self.wire.callSoon { [weak self] in
            guard let self, self.isConnected, !self.machine.isInside, self.saidHello == nil else { return }
            self.sayHello()
        }
    }
}
