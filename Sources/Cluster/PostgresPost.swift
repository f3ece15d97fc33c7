package import Clustering
internal import Journal
package import PostgresLink
package import Reactor
package import Vocabulary

/// Nodes that share a PostgreSQL find each other by its NOTIFY, and tell each other what happens by the connections between them, or by NOTIFY
/// where one is missing: on a connection of its own, since a commit of data that notifies would wait for all others that do, and once a turn.
///
/// What is not sealed with the secret of the nodes is not believed, whoever may write to the database.
package final class PostgresPost: Post, EndOfTurn {
    package let node: RandomToken
    package var onNews: ([NodeNews]) -> Void = { _ in }
    package var onGap: () -> Void = {}
    /// Told when the connection comes and goes, and which node was met or is heard no more.
    package var onChange: (Change) -> Void = { _ in }

    package enum Change: Sendable {
        case lost(String)
        case back
        case met(RandomToken)
        case missed(RandomToken)
    }

    package let links: NodeLinks
    private let reactor: Reactor
    private let link: PostgresLink
    private var peers = PeerBook()
    private var number: UInt64 = 0
    private var waiting: [NodeNews] = []
    private var isGathered = false
    /// As long as it does not listen, nobody has to hear it either.
    private var isListening = false
    private var isLost = false
    private var timer: TimerToken?
    private var duty: ContinuousClock.Instant?
    /// Whether something is done here that only one node does, on duty or because there is no other.
    private var doesErrands = true
    /// Whether there were others when the database was heard for the last time.
    package private(set) var isAmongOthers = false
    private let mayHaveDuty: Bool
    /// Which node has the duty, as the database said last; nil where none has.
    package private(set) var dutyHolder: RandomToken?
    /// The order of what all nodes do, on the same connection.
    package var ledger: PostgresLedger?
    private var lastBeat: Instant
    /// Where the others find this node.
    private var address: NodeAddress?
    /// Called when the duty comes to this node.
    package var onDuty: () -> Void = {}
    package var onDutyLost: () -> Void = {}

    private static let channel = "parley"
    private static let notify = "SELECT pg_notify('\(channel)', $1)"

    /// - Parameter mayHaveDuty: whether this loop can do what only one node does; the others of its process leave it to that one.
    package init(
        _ address: PostgresAddress, as node: RandomToken, mayHaveDuty: Bool = true, over links: NodeLinks,
        on reactor: Reactor
    ) {
        self.node = node
        self.mayHaveDuty = mayHaveDuty
        self.links = links
        self.reactor = reactor
        self.lastBeat = reactor.instant
        self.link = PostgresLink(address, PostgresOptions(), on: reactor)
    }

    package var hasPeers: Bool { !self.peers.isEmpty }

    /// The other nodes, and where they are.
    package var others: [RandomToken: String?] { self.peers.addresses }

    /// From now on the others are told where this node is.
    package func isFound(at address: NodeAddress) {
        self.address = address
        if self.isListening { self.askWhere() }
    }

    /// Whether this node does what only one does at a time. A node that stood still looks at its clock first, so it never believes
    /// that for longer than the database does.
    package var isOnDuty: Bool { self.duty.map { ContinuousClock.now < $0 } ?? false }

    package func start() {
        self.link.onUp = { [unowned self] in self.up($0) }
        self.link.onDown = { [unowned self] error, _ in self.down(error) }
        self.links.onNews = { [unowned self] in self.onNews($0) }
        self.links.onGap = { [unowned self] in self.missed() }
        self.link.start()
        self.beat()
    }

    /// The others need not wait for more. `done` is called once they were told so, or cannot be.
    package func close(_ done: @escaping () -> Void) {
        self.timer.take().map { self.reactor.cancel($0) }
        self.links.close()
        if self.isListening {
            self.ledger?.leave()
            self.link.connection?.send(Duty.leave, [.text(self.node.text)]) { _ in }
            self.send(NodeFrame(self.node, self.next(), isLast: true).json)
        }
        self.duty = nil
        self.isListening = false
        guard let connection = self.link.connection else {
            self.link.close()
            return done()
        }
        var whenDone: (() -> Void)? = done
        let finish = { whenDone.take()?() ?? () }
        self.reactor.schedule(after: Self.closeTimeout, finish)
        connection.sync { [link] _ in
            link.close()
            finish()
        }
    }

    /// A database that does not answer must not hold up the end.
    private static let closeTimeout = Duration.seconds(1)

    package func publish(_ news: NodeNews) {
        // Not connected, or no other node is known yet right after a reconnect: the number that is left out says so later.
        guard self.hasPeers, self.isListening else { return self.leaveOut() }
        self.waiting.append(news)
        guard !self.isGathered else { return }
        self.isGathered = true
        self.reactor.atEndOfTurn(self)
    }

    package func turnEnded() {
        self.isGathered = false
        let news = self.waiting
        self.waiting = []
        guard self.isListening else { return self.leaveOut() }
        if self.publishDirectly(news) { return }
        for frame in NodeFrame.frames(news, of: self.node, numbered: self.next) {
            guard frame.count <= NodeFrame.maximumBytes else { continue }
            self.send(frame)
        }
        self.end()
    }

    /// Each by the connection to it; false where one of them is not there.
    private func publishDirectly(_ news: [NodeNews]) -> Bool {
        let nodes = self.peers.addresses.keys
        guard nodes.allSatisfy({ self.links.isLinked(to: $0) }) else { return false }
        for frame in NodeFrame.frames(news, of: self.node, numbered: { 0 }) {
            // What is too long for any frame is read.
            guard frame.count <= NodeFrame.maximumBytes else {
                self.leaveOut()
                continue
            }
            for node in nodes { self.links.send(frame, .news, to: node, at: .start) }
        }
        return true
    }

    private func missed() {
        self.links.metrics.gaps.increment()
        self.onGap()
    }

    private func leaveOut() { _ = self.next() }

    private func next() -> UInt64 {
        self.number += 1
        return self.number
    }

    private func send(_ frame: [UInt8]) {
        let text = self.links.seal.seal(String(decoding: frame, as: UTF8.self), on: Self.channel)
        self.link.connection?.send(Self.notify, [.text(text)]) { _ in }
    }

    /// What could not be sent breaks the connection, or leaves a number out: either is noticed.
    private func end() { self.link.connection?.sync { _ in } }
}

// MARK: - The connection

extension PostgresPost {
    private func up(_ connection: PostgresConnection) {
        connection.onNotify = { [unowned self] in self.heard($0) }
        // What is told is written somewhere else: nobody waits for the disk.
        connection.send("SET synchronous_commit = off") { _ in }
        connection.send("LISTEN \(Self.channel)") { _ in }
        connection.send("LISTEN \"\(self.links.channel)\"") { _ in }
        connection.sync { [weak self, weak connection] error in
            guard let self, let connection, error == nil, self.link.connection === connection else { return }
            self.listens()
        }
    }

    private func listens() {
        self.isListening = true
        if self.isLost { self.onChange(.back) }
        self.isLost = false
        self.claimDuty()
        self.askWhere()
        self.greet()
        if let connection = self.link.connection { self.ledger?.connected(connection) }
        self.links.flush()
        self.missed()
    }

    private func down(_ error: PostgresError) {
        if !self.isLost { self.onChange(.lost("\(error)")) }
        (self.isListening, self.isLost) = (false, true)
        self.peers.forget()
        self.ledger?.disconnected()
    }

    /// As the database sees this node, the others will.
    private func askWhere() {
        guard case .port? = self.address else { return }
        self.link.connection?.send("SELECT host(inet_client_addr())") { [weak self] result in
            guard let self, case .success(let rows) = result, rows.count == 1 else { return }
            self.address?.set(host: rows.text(0, 0) ?? "127.0.0.1")
        }
    }

    private func greet() {
        self.send(NodeFrame(self.node, self.next(), address: self.address?.text).json)
        self.end()
    }
}

// MARK: - The others

extension PostgresPost {
    private func heard(_ notification: PostgresNotification) {
        guard notification.channel == Self.channel else { return self.ledger?.received(notification.payload) ?? () }
        if LedgerEntry.isOne(notification.payload) { return self.ledger?.heard(notification.payload) ?? () }
        guard let frame = self.frame(notification.payload) else { return }
        defer {
            if frame.isLast { self.links.forget(frame.node) }
            self.links.metrics.nodes.set(self.peers.count)
        }
        switch self.peers.heard(frame, at: self.reactor.instant) {
        case .old: return
        case .next: self.onNews(frame.news)
        case .gap:
            self.onNews(frame.news)
            self.missed()
        case .first: self.met(frame)
        }
    }

    /// What another node has said.
    private func frame(_ payload: String) -> NodeFrame? {
        guard let text = self.links.seal.open(payload, on: Self.channel) else {
            let claimed = NodeFrame(Array(payload.utf8.dropLast(NodeSeal.textBytes)).span)?.node
            self.links.distrusts(claimed)
            return nil
        }
        let frame = NodeFrame(Array(text.utf8).span)
        return frame?.node == self.node ? nil : frame
    }

    /// From its answer on it tells us everything; what it said before has to be read.
    private func met(_ frame: NodeFrame) {
        if !frame.isLast {
            self.isAmongOthers = true
            self.greet()
            self.onChange(.met(frame.node))
        }
        self.onNews(frame.news)
        self.missed()
    }

    /// Says every second that it is here, and looks who else is.
    private func beat() {
        self.timer = self.reactor.schedule(after: PeerBook.beat) { [unowned self] in
            self.lookForOthers()
            self.links.beat(self.peers.addresses)
            self.lookAtDuty()
            if self.isListening {
                self.claimDuty()
                self.greet()
                self.ledger?.beat(self.peers)
            }
            self.beat()
        }
    }

    /// A node that stood still itself has no right to say that others did.
    private func lookForOthers() {
        let now = self.reactor.instant
        if self.lastBeat + PeerBook.beat * 2 < now { self.peers.excuse(at: now) }
        self.lastBeat = now
        let silent = self.peers.clockAdvanced(to: now)
        for node in silent {
            self.onChange(.missed(node))
            self.ledger?.isSilent(node)
        }
        self.links.metrics.nodes.set(self.peers.count)
        if !silent.isEmpty { self.missed() }
    }
}

// MARK: - What only one node does

extension PostgresPost {
    private enum Duty {
        static let life = Duration.seconds(5)
        static let claim = """
            INSERT INTO parley.duties AS d (name, node, until) VALUES ('errands', $1, clock_timestamp() + INTERVAL '5 s')
            ON CONFLICT (name) DO UPDATE SET node = EXCLUDED.node, until = EXCLUDED.until
            WHERE d.node = EXCLUDED.node OR d.until < clock_timestamp() RETURNING 1
            """
        static let holder = "SELECT node FROM parley.duties WHERE name = 'errands' AND until > clock_timestamp()"
        static let leave = "DELETE FROM parley.duties WHERE node = $1"
    }

    /// By the database's clock; ours began to count before the question left.
    private func claimDuty() {
        let asked = ContinuousClock.now
        if self.mayHaveDuty {
            self.link.connection?.send(Duty.claim, [.text(self.node.text)]) { [weak self] result in
                if case .success(let rows) = result, rows.count == 1 { self?.hasDuty(since: asked) }
            }
        }
        self.link.connection?.send(Duty.holder) { [weak self] result in
            guard let self, case .success(let rows) = result else { return }
            self.dutyHolder = rows.count == 1 ? rows.text(0, 0).flatMap { RandomToken($0) } : nil
        }
    }

    private func hasDuty(since asked: ContinuousClock.Instant) {
        let wasOnDuty = self.isOnDuty
        self.duty = asked + Duty.life
        guard !wasOnDuty, self.isOnDuty else { return }
        self.doesErrands = true
        self.onDuty()
    }

    /// A node that is alone goes on without the database's word.
    private func lookAtDuty() {
        if self.isListening { self.isAmongOthers = self.hasPeers }
        guard self.isAmongOthers else { return self.doesErrands = true }
        guard self.doesErrands, !self.isOnDuty else { return }
        self.doesErrands = false
        self.onDutyLost()
    }
}
