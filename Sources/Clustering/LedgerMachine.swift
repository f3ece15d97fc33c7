internal import BinaryCoding
package import Bytes
package import Vocabulary

/// Where one node stands in the order of everything that all nodes do.
///
///     outside ──says hello──▶ joining ──is the first, or has the snapshot──▶ inside
///        ▲                       │  ▲                                          │
///        │                       │  └──no snapshot in time── says hello anew   │
///        └───the connection broke, or the others gave it up────────────────────┘
///
/// Whoever is inside hears every entry and carries it out, each at the same place between the others, so that all are in the same
/// state without asking each other. Who stands still is given up by an entry like any other: what it says afterwards counts for nobody, and
/// it learns that from the same list.
package struct LedgerMachine: Sendable {
    package enum Order: Hashable, Sendable {
        /// A change of some node is next.
        case apply([UInt8], of: RandomToken, serial: UInt64, at: Instant)
        /// Everything that the node held is lost.
        case nodeGone(RandomToken, at: Instant)
        /// Write down how everything stands now, for this node.
        case giveSnapshot(to: RandomToken, LedgerSnapshot)
        /// We are inside. The first one goes on with what it has; another one was given everything.
        case entered(isFirst: Bool, at: Instant)
        /// We are outside: what waits for its place will not get it.
        case fellOut
    }

    private enum State: Sendable {
        /// Can become: joining.
        case outside
        /// `from`: the entry that the snapshot stands at, once it was heard. Can become: inside, outside.
        case joining(from: UInt64?, waiting: [LedgerEntry])
        /// Can become: outside.
        case inside
    }

    package let node: RandomToken
    /// How often it has said hello.
    package private(set) var life: UInt64 = 0
    private var state = State.outside
    /// Those whose words count, with the life in which they do.
    package private(set) var members: [RandomToken: LedgerMember] = [:]
    /// No entry is earlier than the one before it, whatever a clock says.
    package private(set) var time = Instant(nanoseconds: 0)
    /// Of the last entry that was carried out.
    package private(set) var number: UInt64 = 0
    private var parts: [RandomToken: [UInt8]] = [:]

    package init(_ node: RandomToken) { self.node = node }

    package var isInside: Bool {
        if case .inside = self.state { true } else { false }
    }

    /// How many members that carry out changes come before this one.
    package var rank: Int {
        let inside = self.members.filter(\.value.isInside).keys
        return inside.contains(self.node) ? inside.count { $0.text < self.node.text } : inside.count
    }

    /// Nobody else is there whose order would matter.
    package var isAlone: Bool { self.isInside && self.members.count == 1 }

    /// The node says hello, in a new life.
    package mutating func saysHello(_ orders: inout [Order]) {
        if self.isInside { orders.append(.fellOut) }
        self.life += 1
        self.state = .joining(from: nil, waiting: [])
        self.parts = [:]
    }

    /// The connection broke: what is said now is not heard.
    package mutating func lost(_ orders: inout [Order]) {
        if self.isInside { orders.append(.fellOut) }
        self.state = .outside
    }

    package mutating func heard(_ entry: LedgerEntry, _ orders: inout [Order]) {
        switch self.state {
        case .outside: return
        case .inside: self.take(entry, &orders)
        case .joining(nil, _):
            guard entry.node == self.node, entry.life == self.life, case .hello(let isFirst) = entry.content else {
                return
            }
            if isFirst { return self.becomeFirst(entry, &orders) }
            self.state = .joining(from: entry.number, waiting: [])
        case .joining(.some(let start), var waiting):
            waiting.append(entry)
            self.state = .joining(from: start, waiting: waiting)
        }
    }

    /// Whether this is what it waits for: everything as it stood at its hello.
    package func waits(for snapshot: LedgerSnapshot) -> Bool {
        guard case .joining(snapshot.number, _) = self.state else { return false }
        return snapshot.life == self.life
    }

    /// What the snapshot says was taken over; what was heard meanwhile comes behind it.
    package mutating func adopted(_ snapshot: LedgerSnapshot, _ orders: inout [Order]) {
        guard self.waits(for: snapshot), case .joining(_, let waiting) = self.state else { return }
        self.members = snapshot.members
        (self.number, self.time) = (snapshot.number, snapshot.time)
        self.state = .inside
        orders.append(.entered(isFirst: false, at: self.time))
        for entry in waiting where self.isInside { self.take(entry, &orders) }
    }

    /// Goes on with what it has; what it believed of others is over.
    private mutating func becomeFirst(_ entry: LedgerEntry, _ orders: inout [Order]) {
        self.advance(to: entry.time)
        self.number = entry.number
        for other in self.members.keys where other != self.node { orders.append(.nodeGone(other, at: self.time)) }
        self.members = [self.node: LedgerMember(life: self.life, isInside: true)]
        self.state = .inside
        orders.append(.entered(isFirst: true, at: self.time))
    }

    private mutating func advance(to time: Instant) { self.time = max(self.time, time) }

    private mutating func take(_ entry: LedgerEntry, _ orders: inout [Order]) {
        self.advance(to: entry.time)
        self.number = entry.number
        switch entry.content {
        case .hello(let isFirst): self.cameIn(entry, isFirst, &orders)
        case .gone(let other, let life): self.gaveUp(other, life, by: entry, &orders)
        case .here: if self.counts(entry) { self.members[entry.node]?.isInside = true }
        case .changes(let changes, let first):
            guard self.counts(entry) else { return }
            for (place, change) in changes.enumerated() {
                self.apply(change, of: entry.node, serial: first &+ UInt64(place), &orders)
            }
        case .part(let bytes, let serial, let isLast):
            guard self.counts(entry), self.isNew(serial, of: entry.node) else { return }
            self.parts[entry.node, default: []] += bytes
            guard isLast, let whole = self.parts.removeValue(forKey: entry.node) else { return }
            self.apply(whole, of: entry.node, serial: serial, &orders)
        }
    }

    private mutating func apply(
        _ change: [UInt8], of node: RandomToken, serial: UInt64, _ orders: inout [Order]
    ) {
        guard self.isNew(serial, of: node) else { return }
        self.members[node]?.serial = serial
        orders.append(.apply(change, of: node, serial: serial, at: self.time))
    }

    /// What a node has said once is not carried out again, whoever repeats it.
    private func isNew(_ serial: UInt64, of node: RandomToken) -> Bool {
        self.members[node].map { serial > $0.serial } ?? false
    }

    /// What was said in an earlier life, or by one who was given up, does not.
    private func counts(_ entry: LedgerEntry) -> Bool { self.members[entry.node]?.life == entry.life }

    private mutating func cameIn(_ entry: LedgerEntry, _ isFirst: Bool, _ orders: inout [Order]) {
        // Each time a node says hello it is in a later life.
        if let known = self.members[entry.node], known.life >= entry.life { return }
        // Somebody found nobody here: we stood still for too long to count.
        if isFirst { return self.fallOut(&orders) }
        if self.members[entry.node] != nil { orders.append(.nodeGone(entry.node, at: self.time)) }
        self.parts[entry.node] = nil
        self.members[entry.node] = nil
        // Of those who wait for a snapshot themselves none is to be had.
        let gives = self.members.filter(\.value.isInside).keys.map(\.text).min()
        self.members[entry.node] = LedgerMember(life: entry.life, isInside: false)
        guard gives == self.node.text else { return }
        let snapshot = LedgerSnapshot(
            number: entry.number, life: entry.life, members: self.members, time: self.time)
        orders.append(.giveSnapshot(to: entry.node, snapshot))
    }

    private mutating func gaveUp(
        _ other: RandomToken, _ life: UInt64, by entry: LedgerEntry, _ orders: inout [Order]
    ) {
        guard self.counts(entry), self.members[other]?.life == life else { return }
        if other == self.node { return self.fallOut(&orders) }
        self.members[other] = nil
        self.parts[other] = nil
        orders.append(.nodeGone(other, at: self.time))
    }

    private mutating func fallOut(_ orders: inout [Order]) {
        self.state = .outside
        orders.append(.fellOut)
    }
}

/// Where a snapshot stands in the order of entries.
package struct LedgerSnapshot: Hashable, Sendable, BinaryCoded {
    /// Of the hello that asked for it.
    package let number: UInt64
    package let life: UInt64
    package let members: [RandomToken: LedgerMember]
    package let time: Instant

    package init(number: UInt64, life: UInt64, members: [RandomToken: LedgerMember], time: Instant) {
        self.number = number
        self.life = life
        self.members = members
        self.time = time
    }

    package func encode(into bytes: inout ByteWriter) { bytes.put(self.number, self.life, self.members, self.time) }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        self.init(
            number: try bytes.take(), life: try bytes.take(), members: try bytes.take(), time: try bytes.take())
    }
}

/// A node whose entries count.
package struct LedgerMember: Hashable, Sendable, BinaryCoded {
    /// That in which they do.
    package let life: UInt64
    /// It carries out changes; before, it waits for a snapshot.
    package internal(set) var isInside: Bool
    /// Of its last change that was carried out.
    package internal(set) var serial: UInt64

    init(life: UInt64, isInside: Bool, serial: UInt64 = 0) {
        self.life = life
        self.isInside = isInside
        self.serial = serial
    }

    package func encode(into bytes: inout ByteWriter) { bytes.put(self.life, self.isInside, self.serial) }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        self.init(life: try bytes.take(), isInside: try bytes.take(), serial: try bytes.take())
    }
}
