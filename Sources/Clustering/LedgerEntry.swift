internal import Bytes
package import Vocabulary

/// What a node has all nodes do, in an order that is the same for all. The database puts a number and the time in front of it.
///
///     =17 1795506000123456 Zk3… 1 do 40 <base64 of changes>
///     =18 1795506000123999 Qb7… 2 hello first
///     =19 1795506000124999 Qb7… 2 here
///     =20 1795506004123999 Qb7… 2 gone Zk3… 1
package struct LedgerEntry: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// The node wants to know all there is, and speaks from here on. It is the first where no other is there.
        case hello(isFirst: Bool)
        /// It has taken over the snapshot that it asked for, and can give one.
        case here
        /// This node is there no more; nothing that it says in this life counts any longer.
        case gone(RandomToken, life: UInt64)
        /// What it has done, from this number of its own on, one after the other without a gap.
        case changes([[UInt8]], from: UInt64)
        /// A part of a change that is too long for one entry; the last one has no more behind it.
        case part([UInt8], of: UInt64, isLast: Bool)
    }

    package let number: UInt64
    /// By the database's clock: the clock of all machines.
    package let time: Instant
    package let node: RandomToken
    /// How often the node has begun anew.
    package let life: UInt64
    package let content: Content

    /// What is sent; the rest is added on the way.
    package static func text(_ content: Content, of node: RandomToken, life: UInt64) -> String {
        let head = "\(node.text) \(life)"
        switch content {
        case .hello(let isFirst): return "\(head) hello\(isFirst ? " first" : "")"
        case .here: return "\(head) here"
        case .gone(let other, let itsLife): return "\(head) gone \(other.text) \(itsLife)"
        case .changes(let changes, let first):
            return "\(head) do \(first) \(Base64.encode(Self.joined(changes)))"
        case .part(let bytes, let serial, let isLast):
            return "\(head) part \(serial) \(isLast ? "last" : "more") \(Base64.encode(bytes))"
        }
    }

    /// Bytes of changes that fit into a notification with everything around them.
    package static let maximumBytes = 5_600

    /// What is to be sent of these changes: as few entries as they fit into.
    ///
    /// - Parameter first: the number of the first of them.
    package static func contents(_ changes: [[UInt8]], from first: UInt64) -> [Content] {
        var (contents, gathered, bytes) = ([Content](), [[UInt8]](), 0)
        var serial = first
        func close() {
            if !gathered.isEmpty { contents.append(.changes(gathered, from: serial - UInt64(gathered.count))) }
            (gathered, bytes) = ([], 0)
        }
        for change in changes {
            if bytes + change.count + 2 > Self.maximumBytes { close() }
            if change.count + 2 > Self.maximumBytes {
                contents += Self.parts(change, of: serial)
            } else {
                gathered.append(change)
                bytes += change.count + 2
            }
            serial += 1
        }
        close()
        return contents
    }

    private static func parts(_ change: [UInt8], of serial: UInt64) -> [Content] {
        stride(from: 0, to: change.count, by: Self.maximumBytes).map { start in
            let end = min(start + Self.maximumBytes, change.count)
            return .part(Array(change[start..<end]), of: serial, isLast: end == change.count)
        }
    }

    private static func joined(_ changes: [[UInt8]]) -> [UInt8] {
        var writer = ByteWriter()
        for change in changes {
            writer.write(UInt16(change.count))
            writer.write(contentsOf: change)
        }
        return writer.bytes
    }
}

extension LedgerEntry {
    /// Whether this is one; else it is something else that nodes say.
    package static func isOne(_ payload: String) -> Bool { payload.utf8.first == UInt8(ascii: "=") }

    /// Nil for what is none, and for what a later version says.
    package init?(_ payload: String) {
        var words = payload.dropFirst().split(separator: " ", omittingEmptySubsequences: false)[...]
        guard Self.isOne(payload), let number = words.popFirst().flatMap({ UInt64($0) }),
            let time = words.popFirst().flatMap({ Int64($0) }),
            let node = words.popFirst().flatMap({ RandomToken(String($0)) }),
            let life = words.popFirst().flatMap({ UInt64($0) }), let content = Content(&words)
        else { return nil }
        self.number = number
        self.time = Instant(microseconds: time)
        self.node = node
        self.life = life
        self.content = content
    }
}

extension LedgerEntry.Content {
    fileprivate init?(_ words: inout ArraySlice<Substring>) {
        switch words.popFirst() {
        case "hello": self = .hello(isFirst: words.first == "first")
        case "here": self = .here
        case "gone":
            guard let node = words.popFirst().flatMap({ RandomToken(String($0)) }),
                let life = words.popFirst().flatMap({ UInt64($0) })
            else { return nil }
            self = .gone(node, life: life)
        case "do":
            guard let first = words.popFirst().flatMap({ UInt64($0) }),
                let bytes = try? Base64.decode(String(words.popFirst() ?? "")), let changes = Self.split(bytes)
            else { return nil }
            self = .changes(changes, from: first)
        case "part":
            guard let serial = words.popFirst().flatMap({ UInt64($0) }), let more = words.popFirst(),
                let bytes = try? Base64.decode(String(words.popFirst() ?? ""))
            else { return nil }
            self = .part(bytes, of: serial, isLast: more == "last")
        default: return nil
        }
    }

    private static func split(_ bytes: [UInt8]) -> [[UInt8]]? {
        var reader = ByteReader(bytes.span)
        var changes: [[UInt8]] = []
        while !reader.isAtEnd {
            guard let count = try? reader.read(UInt16.self), let change = try? reader.array(Int(count)) else {
                return nil
            }
            changes.append(change)
        }
        return changes
    }
}

extension Instant {
    fileprivate init(microseconds: Int64) {
        let (nanoseconds, overflow) = microseconds.multipliedReportingOverflow(by: 1_000)
        self.init(nanoseconds: overflow ? .max : nanoseconds)
    }
}
