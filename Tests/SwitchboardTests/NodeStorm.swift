import Clustering
import Conversing
import Keeping
import Operations
import Reactor
import SQLiteStore
import TestSupport
import Vocabulary

@testable import Switchboard

/// A way between nodes that loses, doubles and mixes up what they say, and tells nobody.
private final class LossyWay {
    final class End: Post {
        var onNews: ([NodeNews]) -> Void = { _ in }
        var onGap: () -> Void = {}
        var onDuty: () -> Void = {}
        var onDutyLost: () -> Void = {}
        let isOnDuty = true
        unowned let way: LossyWay

        init(_ way: LossyWay) { self.way = way }

        var hasPeers: Bool { true }

        func publish(_ news: NodeNews) { self.way.carry(news, from: self) }
    }

    private(set) var ends: [End] = []
    private var random: SeededRandom
    private let reactor: Reactor

    init(_ count: Int, seed: UInt64, on reactor: Reactor) {
        self.random = SeededRandom(seed: seed)
        self.reactor = reactor
        self.ends = (0..<count).map { _ in End(self) }
    }

    private func carry(_ news: NodeNews, from sender: End) {
        for end in self.ends where end !== sender {
            let copies = [0, 1, 1, 1, 1, 1, 1, 2].randomElement(using: &self.random) ?? 1
            for _ in 0..<copies {
                let delay = Duration.milliseconds(Int.random(in: 0...3, using: &self.random))
                self.reactor.schedule(after: delay) { end.onNews([news]) }
            }
        }
    }
}

/// A device of a user at one node, which checks what it hears.
private final class NodeEar: ChatListener {
    let user: UserID
    private(set) var last: [ConversationID: UInt64] = [:]
    /// What it must hear next of where it is.
    private var isIn: Set<ConversationID> = []
    private(set) var damage: [String] = []
    private(set) var count = 0
    private var early: [ChangeOutcome]? = []

    init(_ user: UserID) { self.user = user }

    func hear(_ news: ChatNews) {
        guard let outcome = news.outcome else { return }
        if self.early != nil { self.early?.append(outcome) } else { self.take(outcome) }
    }

    /// What it was told at the beginning; what it hears before comes behind it.
    func synced(_ heads: [ConversationHead]) {
        for head in heads {
            self.last[head.id] = head.number
            self.isIn.insert(head.id)
        }
        let early = self.early ?? []
        self.early = nil
        for outcome in early { self.take(outcome) }
    }

    private func take(_ outcome: ChangeOutcome) {
        self.count += 1
        let (id, number) = (outcome.conversation, outcome.entry.number)
        if self.isIn.contains(id), let last = self.last[id], number != last + 1 {
            self.damage.append("\(self.user): \(number) of \(id) after \(last)")
        }
        if number <= self.last[id] ?? 0 { self.damage.append("\(self.user): \(number) of \(id) again") }
        self.last[id] = number
        if outcome.went == self.user { self.isIn.remove(id) } else { self.isIn.insert(id) }
    }

    /// - Parameter heads: of all it is in.
    func missing(_ heads: [ConversationHead]) -> String? {
        for head in heads where self.last[head.id] != head.number {
            return "\(self.user) has \(self.last[head.id] ?? 0) of \(head.number) in \(head.id)"
        }
        return nil
    }
}

/// People on three nodes who write, come and go, while what nodes tell each other is lost, doubled and mixed up.
final class NodeStorm: @unchecked Sendable {
    // Unchecked because all that changes is touched on the loop only.
    struct Report: Sendable {
        var damage: [String] = []
        var heard = 0
        var written = 0
    }

    private static let people = (0..<9).compactMap { UserID("user\($0)") }
    private static let nodes = 3

    private let store: SQLiteStore
    private let group: EventLoopGroup
    private let seed: UInt64
    private var random: SeededRandom
    private var desks: [ChatService] = []
    private var way: LossyWay?
    private var ears: [(ear: NodeEar, node: Int)] = []
    private var places: [ConversationID] = []
    private var underWay = 0
    private var report = Report()
    private var done: ((Report) -> Void)?

    init(seed: UInt64, path: String) throws {
        self.seed = seed
        self.random = SeededRandom(seed: seed)
        self.store = try SQLiteStore(path: path)
        self.group = try EventLoopGroup(count: 1)
    }

    func run(operations: Int) async -> Report {
        let report = await withCheckedContinuation { continuation in
            self.group.loops[0].execute { reactor in
                self.done = { continuation.resume(returning: $0) }
                let way = LossyWay(Self.nodes, seed: self.seed, on: reactor)
                self.way = way
                self.desks = way.ends.map { end in
                    let desk = ChatService(self.store, on: reactor) { ChatStorm.now }
                    end.onNews = { [unowned desk] news in for item in news { desk.heard(item) } }
                    desk.join(end)
                    return desk
                }
                for _ in 0..<24 { self.connect() }
                self.step(operations, reactor)
            }
        }
        await withCheckedContinuation { continuation in
            self.group.loops[0].execute { _ in
                for (ear, node) in self.ears { self.desks[node].stopListening(ear) }
                continuation.resume()
            }
        }
        self.store.close()
        self.group.shutDown()
        return report
    }

    private func step(_ left: Int, _ reactor: Reactor) {
        guard left > 0 else { return self.settle(reactor, until: reactor.now + 20_000) }
        for _ in 0..<Int.random(in: 1...8, using: &self.random) { self.act() }
        reactor.schedule(after: .milliseconds(Int.random(in: 0...2, using: &self.random))) {
            self.step(left - 1, reactor)
        }
    }

    private var person: UserID { Self.people[Int.random(in: Self.people.indices, using: &self.random)] }

    private func act() {
        let desk = self.desks[Int.random(in: 0..<Self.nodes, using: &self.random)]
        let (actor, other) = (self.person, self.person)
        let new = ConversationID(RandomToken(using: &self.random))
        let hello = ConversationChange.post(Draft(.text, MessageBody(proven: Array(#"{"text":"a"}"#.utf8))))
        let place = self.places.randomElement(using: &self.random)
        switch (Int.random(in: 0..<40, using: &self.random), place) {
        case (0, _) where self.places.count < 40:
            self.places.append(new)
            let kind = Bool.random(using: &self.random) ? ConversationKind.room : .group
            let request = CreationRequest(new, kind, by: actor, with: [other, self.person], at: ChatStorm.now)
            self.began { done in desk.create(request, isByServer: true) { done(try? $0.get()) } }
        case (1...5, _): self.change(.user(other, new: new), hello, by: actor, at: desk)
        case (6...7, let place?): self.change(.id(place), .invite([other]), by: actor, at: desk)
        case (8, let place?): self.change(.id(place), .leave, by: actor, at: desk)
        case (9, let place?): self.change(.id(place), .join, by: actor, at: desk)
        case (10, let place?): self.change(.id(place), .remove(other), by: actor, at: desk)
        case (11, _):
            guard let (ear, node) = self.ears.popLast() else { return }
            self.desks[node].stopListening(ear)
            self.take(ear)
            self.connect()
        case (12, _): self.ears.shuffle(using: &self.random)
        case (_, let place?): self.change(.id(place), hello, by: actor, at: desk)
        default: break
        }
    }

    private func change(
        _ address: ConversationAddress, _ change: ConversationChange, by actor: UserID, at desk: ChatService
    ) {
        let request = ChangeRequest(address, change, by: actor, at: ChatStorm.now)
        self.began { done in desk.change(request, isByServer: true) { done(try? $0.get()) } }
    }

    private func began(_ ask: (@escaping (ChangeOutcome?) -> Void) -> Void) {
        self.underWay += 1
        ask { outcome in
            self.underWay -= 1
            if outcome != nil { self.report.written += 1 }
        }
    }

    private func connect() {
        let (ear, node) = (NodeEar(self.person), Int.random(in: 0..<Self.nodes, using: &self.random))
        guard let device = DeviceID("phone") else { return }
        self.underWay += 1
        self.desks[node].listen(ear, SyncRequest(ear.user, on: device), isAlive: { true }) { result in
            self.underWay -= 1
            guard case .success(let synced) = result else { return }
            ear.synced(synced.heads)
            self.ears.append((ear, node))
        }
    }

    private func take(_ ear: NodeEar) {
        self.report.damage += ear.damage
        self.report.heard += ear.count
    }

    /// Every node looks for what it missed, until everybody has everything.
    private func settle(_ reactor: Reactor, until end: UInt64) {
        for desk in self.desks { desk.missedNews() }
        reactor.schedule(after: .milliseconds(50)) {
            self.compare(self.ears[...], []) { missing in
                guard self.underWay > 0 || !missing.isEmpty, reactor.now < end else {
                    self.report.damage += missing
                    for (ear, _) in self.ears { self.take(ear) }
                    self.done?(self.report)
                    return
                }
                self.settle(reactor, until: end)
            }
        }
    }

    private func compare(
        _ ears: ArraySlice<(ear: NodeEar, node: Int)>, _ missing: [String], _ done: @escaping ([String]) -> Void
    ) {
        guard let (ear, _) = ears.first else { return done(missing) }
        self.desks[0].fetch(MembershipHeads(of: ear.user)) { result in
            let heads = (try? result.get())?.map(\.head) ?? []
            self.compare(ears.dropFirst(), missing + (ear.missing(heads).map { [$0] } ?? []), done)
        }
    }
}
