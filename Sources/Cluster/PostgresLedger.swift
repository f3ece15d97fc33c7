internal import BinaryCoding
internal import Bytes
package import Clustering
internal import PostgresLink
package import Reactor
package import Vocabulary

/// One order for what all nodes do, by a database: a row counts the entries, and its NOTIFY brings them to all nodes in the order of
/// their commits. They are not kept; a node that has missed some asks another one how everything stands.
///
/// Changes and letters of one turn leave together, in one transaction, on the connection on which the node listens: so whoever hears a
/// letter has heard before what its sender had heard.
package final class PostgresLedger: LedgerWire, EndOfTurn {
    package let node: RandomToken
    package private(set) lazy var desk = LedgerDesk(
        of: self.node, besides: self.siblings, on: self, to: self.reader)

    private let place: String
    private let siblings: Set<RandomToken>
    private unowned let reader: any LedgerReader
    private let reactor: Reactor
    private var connection: PostgresConnection?
    /// Of letters that come in several.
    private var parts: [RandomToken: [UInt8]] = [:]
    private var lastPart: UInt64 = 0

    /// - Parameters:
    ///   - place: what the node runs on, which it alone has; a later run on it is the same node.
    ///   - siblings: nodes of the same process.
    package init(
        of node: RandomToken, runningOn place: String, besides siblings: Set<RandomToken>,
        to reader: any LedgerReader, on reactor: Reactor
    ) {
        self.siblings = siblings
        self.place = place
        self.node = node
        self.reader = reader
        self.reactor = reactor
    }

    package var now: Instant { self.reactor.instant }
    package func callAtEndOfTurn() { self.reactor.atEndOfTurn(self) }
    package func callSoon(_ body: @escaping () -> Void) { self.reactor.schedule(after: .zero, body) }

    package func turnEnded() {
        self.desk.turnEnded()
        self.end()
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
            "SELECT parley.hello($1, $2, CAST($3 AS BIGINT) = 1, $4)",
            [.text(self.node.text), .integer(Int64(life)), .integer(knowsAll ? 1 : 0), .text(self.place)])
        self.end()
    }

    package func append(_ contents: [LedgerEntry.Content], life: UInt64) {
        for content in contents {
            self.send("SELECT parley.append($1)", [.text(LedgerEntry.text(content, of: self.node, life: life))])
        }
    }

    package func sayReady() {
        let isHere = "UPDATE parley.nodes SET ready = TRUE, seen = clock_timestamp() WHERE node = $1"
        self.send(isHere, [.text(self.node.text)])
        self.end()
    }

    /// Where a node hears what is for it alone.
    static func channel(of node: RandomToken) -> String { "parley_\(node.text)" }

    private static let notify = "SELECT pg_notify($1, $2)"

    /// Each part has a number: of two notifications that are the same in one transaction, only one is sent.
    package func send(_ letter: [UInt8], to node: RandomToken) {
        var start = 0
        repeat {
            let end = min(start + LedgerEntry.maximumBytes, letter.count)
            let word = end == letter.count ? "last" : "more"
            self.lastPart += 1
            let text = "\(word) \(self.node.text) \(self.lastPart) \(Base64.encode(letter[start..<end]))"
            self.send(Self.notify, [.text(Self.channel(of: node)), .text(text)])
            start = end
        } while start < letter.count
    }

    /// Bytes of a row of a snapshot.
    private static let parcelBytes = 512 << 10

    package func give(_ snapshot: LedgerSnapshot, _ state: [UInt8], to node: RandomToken) {
        let (all, name) = (snapshot.encoded + state, "\(node.text)-\(snapshot.life)")
        for (part, start) in stride(from: 0, to: all.count, by: Self.parcelBytes).enumerated() {
            let body = Array(all[start..<min(start + Self.parcelBytes, all.count)])
            self.send(
                "INSERT INTO parley.parcels VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                [.text(name), .integer(Int64(part)), .bytes(body)])
        }
        self.send(Self.notify, [.text(Self.channel(of: node)), .text("snapshot \(self.node.text) \(name)")])
        self.end()
    }
}

// MARK: - What is for this node alone

extension PostgresLedger {
    func received(_ payload: String) {
        let words = payload.split(separator: " ", omittingEmptySubsequences: false)
        if words.count == 3, words[0] == "snapshot" { return self.fetchSnapshot(String(words[2])) }
        guard words.count == 4, let sender = RandomToken(String(words[1])),
            let bytes = try? Base64.decode(String(words[3]))
        else { return }
        self.parts[sender, default: []] += bytes
        guard words[0] == "last", let letter = self.parts.removeValue(forKey: sender) else { return }
        self.reader.received(letter)
    }

    private func fetchSnapshot(_ name: String) {
        self.connection?.send("DELETE FROM parley.parcels WHERE name = $1 RETURNING part, body", [.text(name)]) {
            [weak self] result in
            guard let self, case .success(let rows) = result else { return }
            self.received(snapshot: Self.body(of: rows))
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
    }
}
