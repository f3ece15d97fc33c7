internal import BinaryCoding
internal import Bytes
package import Clustering
internal import Hashing
internal import PostgresLink
package import Reactor
package import Vocabulary

/// One order for what all nodes do, by a database: a row counts the entries, and its NOTIFY brings them to all nodes in the order of
/// their commits. They are not kept; a node that has missed some asks another one how everything stands.
///
/// Changes of one turn leave together, in one transaction. Letters go by the connections between nodes (`NodeLinks`), or with the changes where
/// there is none.
package final class PostgresLedger: LedgerWire, EndOfTurn {
    package let node: RandomToken
    package private(set) lazy var desk = LedgerDesk(
        of: self.node, besides: self.siblings, on: self, to: self.reader)

    private let place: String
    private let siblings: Set<RandomToken>
    private unowned let reader: any LedgerReader
    private let links: NodeLinks
    private let seal: EntrySeal
    private let reactor: Reactor
    private var connection: PostgresConnection?
    /// Of letters that come in several.
    private var parts: [RandomToken: [UInt8]] = [:]
    private var lastPart: UInt64 = 0
    /// The last part of each other node, so that none counts twice.
    private var heardParts: [RandomToken: UInt64] = [:]
    private var isEnding = false
    private var isGathered = false

    /// - Parameters:
    ///   - place: what the node runs on, which it alone has; a later run on it is the same node.
    ///   - siblings: nodes of the same process.
    package init(
        of node: RandomToken, runningOn place: String, besides siblings: Set<RandomToken>,
        to reader: any LedgerReader, over links: NodeLinks, on reactor: Reactor
    ) {
        self.links = links
        self.seal = EntrySeal(links.seal)
        self.siblings = siblings
        self.place = place
        self.node = node
        self.reader = reader
        self.reactor = reactor
        links.onLetter = { [unowned reader] in reader.received($0) }
        links.notify = { [unowned self] in self.notify($0, to: $1) }
        links.hasReached = { [unowned self] in self.desk.hasReached($0, of: $1) }
    }

    package var now: Instant { self.reactor.instant }
    package func callAtEndOfTurn() { self.reactor.atEndOfTurn(self) }
    package func callSoon(_ body: @escaping () -> Void) { self.reactor.schedule(after: .zero, body) }

    package func turnEnded() {
        (self.isEnding, self.isGathered) = (true, false)
        self.desk.turnEnded()
        self.end()
        self.isEnding = false
    }

    func heard(_ payload: String) {
        guard let entry = self.seal.opened(payload) else { return self.links.distrusts(nil) }
        self.desk.heard(entry)
        self.links.advanced()
    }

    /// The connection listens.
    func connected(_ connection: PostgresConnection) {
        self.connection = connection
        self.desk.connected()
    }

    func disconnected() {
        self.connection = nil
        self.parts = [:]
        self.desk.disconnected()
        self.links.advanced()
    }

    func beat(_ peers: PeerBook) {
        self.desk.beat(peers)
        self.end()
    }

    func isSilent(_ node: RandomToken) {
        self.desk.isSilent(node)
        self.end()
    }

    func leave() {
        self.desk.leave()
        self.send("DELETE FROM parley.nodes WHERE node = $1", [.text(self.node.text)])
        self.end()
        self.connection = nil
    }

    /// What fails breaks the connection, or leaves the node outside: either is noticed.
    private func send(_ text: String, _ values: [PostgresValue]) { self.connection?.send(text, values) { _ in } }
    private func end() { self.connection?.sync { _ in } }
}

// MARK: - What a desk says

extension PostgresLedger {
    package func sayHello(life: UInt64, knowsAll: Bool) {
        self.send(
            "SELECT parley.hello($1, $2, CAST($3 AS BIGINT) = 1, $4, $5)",
            [
                .text(self.node.text), .integer(Int64(life)), .integer(knowsAll ? 1 : 0), .text(self.place),
                .text(self.seal.code(of: "\(self.node.text) \(life) hello")),
            ])
        self.end()
    }

    package func append(_ contents: [LedgerEntry.Content], life: UInt64) {
        for content in contents {
            let text = self.seal.sealed(LedgerEntry.text(content, of: self.node, life: life))
            self.send("SELECT parley.append($1)", [.text(text)])
        }
    }

    package func sayReady() {
        let isHere = "UPDATE parley.nodes SET ready = TRUE, seen = clock_timestamp() WHERE node = $1"
        self.send(isHere, [.text(self.node.text)])
        self.end()
    }

    private static let notify = "SELECT pg_notify($1, $2)"

    package func send(_ letter: [UInt8], to node: RandomToken, at position: LedgerPosition) {
        self.links.send(letter, .letter, to: node, at: position)
    }

    package func sendDirectly(_ letter: [UInt8], to node: RandomToken, at position: LedgerPosition) -> Bool {
        guard self.links.isLinked(to: node) else { return false }
        self.links.send(letter, .letter, to: node, at: position)
        return true
    }

    /// Each part has a number: it counts once, and of two notifications that are the same in one transaction only one is sent.
    private func notify(_ message: [UInt8], to node: RandomToken) -> Bool {
        guard self.connection != nil else { return false }
        var start = 0
        repeat {
            let end = min(start + LedgerEntry.maximumBytes, message.count)
            let word = end == message.count ? "last" : "more"
            self.lastPart += 1
            self.tell("\(word) \(self.node.text) \(self.lastPart) \(Base64.encode(message[start..<end]))", to: node)
            start = end
        } while start < message.count
        guard !self.isEnding, !self.isGathered else { return true }
        self.isGathered = true
        self.reactor.atEndOfTurn(self)
        return true
    }

    private func tell(_ text: String, to node: RandomToken) {
        let channel = NodeLinks.channel(of: node)
        self.send(Self.notify, [.text(channel), .text(self.links.seal.seal(text, on: channel))])
    }

    /// Bytes of a row of a snapshot.
    private static let snapshotPartBytes = 512 << 10

    package func give(_ snapshot: LedgerSnapshot, _ state: [UInt8], to node: RandomToken) {
        let (all, name) = (snapshot.encoded + state, "\(node.text)-\(snapshot.life)")
        for (part, start) in stride(from: 0, to: all.count, by: Self.snapshotPartBytes).enumerated() {
            let body = Array(all[start..<min(start + Self.snapshotPartBytes, all.count)])
            self.send(
                "INSERT INTO parley.parcels VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                [.text(name), .integer(Int64(part)), .bytes(body)])
        }
        self.tell("snapshot \(self.node.text) \(name) \(Self.digest(of: all))", to: node)
        self.end()
    }
}

// MARK: - What is for this node alone

extension PostgresLedger {
    func received(_ payload: String) {
        guard let text = self.links.seal.open(payload, on: self.links.channel) else { return self.links.distrusts(nil) }
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { String($0) }
        guard words.count == 4, let sender = RandomToken(words[1]) else { return }
        if words[0] == "snapshot" { return self.fetchSnapshot(words[2], digest: words[3]) }
        guard let number = UInt64(words[2]), let bytes = try? Base64.decode(words[3]) else { return }
        self.received(part: bytes, number, isLast: words[0] == "last", of: sender)
    }

    private func received(part bytes: [UInt8], _ number: UInt64, isLast: Bool, of sender: RandomToken) {
        if self.heardParts.count >= Self.mostSenders { self.heardParts = [:] }
        guard number > self.heardParts[sender, default: 0] else { return }
        self.heardParts[sender] = number
        self.parts[sender, default: []] += bytes
        guard isLast, let whole = self.parts.removeValue(forKey: sender),
            let message = try? NodeMessage(decoding: whole.span)
        else { return }
        self.links.received(message, from: sender)
    }

    private static let mostSenders = 1_024

    /// The rows are only what they were given as, whoever may write to them.
    private static func digest(of bytes: [UInt8]) -> String { Base64.encode(Digest.sha256.hash(bytes), as: .url) }

    private func fetchSnapshot(_ name: String, digest: String) {
        self.connection?.send("DELETE FROM parley.parcels WHERE name = $1 RETURNING part, body", [.text(name)]) {
            [weak self] result in
            guard let self, case .success(let rows) = result else { return }
            let body = Self.body(of: rows)
            guard Self.digest(of: body) == digest else { return }
            self.received(snapshot: body)
        }
        self.end()
    }

    private static func body(of rows: PostgresRows) -> [UInt8] {
        let parts = (0..<rows.count).map { (rows.integer($0, 0) ?? 0, rows.bytes($0, 1) ?? []) }
        return parts.sorted { $0.0 < $1.0 }.flatMap(\.1)
    }

    private func received(snapshot bytes: [UInt8]) {
        var reader = ByteReader(bytes.span)
        // Without one the node says hello anew.
        guard let snapshot = try? reader.take(LedgerSnapshot.self) else { return }
        self.desk.received(snapshot, Array(bytes[reader.offset...]))
        self.links.advanced()
    }
}
