import RealtimeTree
import TestSupport
import Testing

@Suite("What a viewer of the tree has open")
struct TreeOutlineTests {
    private var tree = TreeNode.nothing
    private var listens = TreeListens()
    private var outline = TreeOutline()

    init() { self.listens.add(1, .root, TreeQuery(), tag: nil, of: .nothing) }

    private static func path(_ text: String) throws -> TreePath { try #require(TreePath(text)) }

    /// Writes as a client does, and tells the outline what it comes to.
    private mutating func put(_ path: String, _ json: String) throws {
        let node = try TreeParser.parse(Array(json.utf8).span)
        try self.write(TreeWrite(TreeTarget(try Self.path(path)), node))
    }

    private mutating func patch(_ path: String, _ json: String) throws {
        let path = try Self.path(path)
        let places = try TreeParser.patch(Array(json.utf8).span, at: path, in: self.tree, now: 1)
        try self.write(TreeWrite(merging: places, at: path))
    }

    private mutating func write(_ write: TreeWrite) throws {
        let after = write.applied(to: self.tree)
        for news in self.listens.news(of: write, from: self.tree, to: after) { self.outline.heard(news) }
        self.tree = after
    }

    private mutating func open(_ path: String, limit: Int = 100) throws {
        try self.outline.open(try Self.path(path), limit: limit)
    }

    /// `a: 0=k, 2=m; gone l`
    private mutating func changes() -> [String] {
        self.outline.takeChanges(in: self.tree).map { change in
            let rows = change.rows.map { "\($0.index)=\($0.row.key.text)" }.joined(separator: " ")
            let gone = change.gone.map { " -\($0.text)" }.joined()
            return "\(change.path.text)\(change.isWhole ? " all" : ""): \(rows)\(gone)"
        }
    }

    @Test("is shown whole at first, and then only what changed")
    mutating func changed() throws {
        try self.put("rooms", #"{"a":{"n":1},"b":2,"c":3}"#)
        try self.open("rooms")
        #expect(self.outline.isDue)
        #expect(self.changes() == ["rooms all: 0=a 1=b 2=c"])
        #expect(!self.outline.isDue && self.changes().isEmpty)
        try self.put("rooms/a/n", "2")
        #expect(self.outline.isDue)
        #expect(self.changes() == ["rooms: 0=a"])
        try self.patch("rooms", #"{"b":null,"aa":1,"10":5}"#)
        #expect(self.changes() == ["rooms: 0=10 2=aa -b"])
        try self.put("other", "1")
        #expect(!self.outline.isDue)
    }

    @Test("is compared with what was shown when all of it was written")
    mutating func replaced() throws {
        try self.put("rooms", #"{"a":1,"b":2}"#)
        try self.open("rooms")
        try self.open("rooms/a")
        #expect(self.changes() == ["rooms all: 0=a 1=b", "rooms/a all: "])
        try self.put("rooms", #"{"a":1,"b":3,"c":4}"#)
        #expect(self.changes() == ["rooms: 1=b 2=c"])
        try self.put("", #"{"rooms":{"a":{"x":1}}}"#)
        #expect(self.changes() == ["rooms: 0=a -b -c", "rooms/a: 0=x"])
        try self.put("", "null")
        #expect(self.changes() == ["rooms:  -a", "rooms/a:  -x"])
    }

    @Test("tells of the first children alone, and of which move up")
    mutating func limited() throws {
        try self.put("l", #"{"a":1,"b":2,"c":3,"d":4}"#)
        try self.open("l", limit: 2)
        #expect(self.changes() == ["l all: 0=a 1=b"])
        try self.put("l/d", "5")
        #expect(self.changes().isEmpty)
        try self.put("l/a", "null")
        #expect(self.changes() == ["l: 1=c -a"])
        try self.put("l/0", "null")
        #expect(self.changes().isEmpty)
        try self.put("l/0", "1")
        #expect(self.changes() == ["l: 0=0 -c"])
        try self.open("l", limit: 3)
        #expect(self.changes() == ["l all: 0=0 1=b 2=c"])
    }

    @Test("is as much as may be open, and what is closed leaves room")
    mutating func bounded() throws {
        for number in 0..<TreeOutline.maximumPlaces { try self.open("p/\(number)", limit: 1) }
        #expect(throws: TreeOutline.Refusal.tooManyPlaces) { try self.open("q") }
        try self.open("p/1", limit: 2)
        self.outline.close(try Self.path("p"))
        for number in 0..<5 { try self.open("q/\(number)", limit: .max) }
        #expect(throws: TreeOutline.Refusal.tooManyRows) { try self.open("r", limit: 1) }
        try self.open("q/4", limit: .min)
        try self.open("r", limit: 999)
    }

    @Test("shows a long text by its beginning, without cutting a character")
    mutating func longTexts() throws {
        try self.put("t", #"{"a":"\#(String(repeating: "é", count: 151))","b":"short"}"#)
        try self.open("t")
        let rows = try #require(self.outline.takeChanges(in: self.tree).first?.rows)
        #expect(rows[0].row.summary == .text(beginning: String(repeating: "é", count: 150), bytes: 302))
        #expect(rows[1].row.summary == .value(.text("short")))
    }

    @Test("is what the tree is, whatever is written")
    mutating func sameAsTree() throws {
        var random = SeededRandom(seed: 7)
        var shown: [String: [String]] = ["": [], "a": [], "a/b": []]
        for place in shown.keys { try self.open(place, limit: 3) }
        let keys = ["a", "b", "c", "d", "0"]
        for _ in 0..<2000 {
            let path = (0..<Int.random(in: 0...3, using: &random)).map { _ in keys.randomElement(using: &random) ?? "a"
            }
            let value =
                Bool.random(using: &random) ? "\(Int.random(in: 0...3, using: &random))" : #"{"b":{"c":1},"d":2}"#
            try self.put(path.joined(separator: "/"), Int.random(in: 0...3, using: &random) == 0 ? "null" : value)
            guard Bool.random(using: &random) else { continue }
            for change in self.outline.takeChanges(in: self.tree) {
                var rows = (shown[change.path.text] ?? []).filter { key in !change.gone.contains { $0.text == key } }
                for (index, row) in change.rows where !rows.contains(row.key.text) {
                    rows.insert(row.key.text, at: index)
                }
                shown[change.path.text] = rows
            }
            for (place, rows) in shown {
                #expect(rows == self.tree.at(try Self.path(place)).children.prefix(3).map(\.key.text))
            }
        }
    }
}
