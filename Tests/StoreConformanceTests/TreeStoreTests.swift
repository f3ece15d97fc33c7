import Keeping
import MemoryStore
import RealtimeTree
import TestSupport
import Testing

@Suite("The rows of a tree")
struct TreeStoreTests {
    private func tree(_ json: String) throws -> TreeNode { try TreeParser.parse(Array(json.utf8).span) }

    /// Writes as the door does, and shows what is kept.
    private func write(_ store: TestStore, _ path: String, _ json: String, over before: TreeNode) async throws
        -> TreeNode
    {
        let write = TreeWrite(try #require(TreeTarget(path)), try self.tree(json))
        let after = write.applied(to: before)
        var commit = CommitTree(by: "one")
        commit.changes = [TreeRowChanges(from: before, to: after, by: write)]
        #expect(try await store.ask(commit))
        return after
    }

    private func rows(of store: TestStore) async throws -> [TreeRow] {
        var rows: [TreeRow] = []
        while true {
            let page = try await store.ask(ListTreeRows(after: rows.last?.path, limit: 2))
            rows += page
            if page.count < 2 { return rows }
        }
    }

    @Test(
        "L01 every store keeps what was written, and nothing of what it took the place of", arguments: Engine.allCases)
    func keeps(engine: Engine) async throws {
        let store = try TestStore(engine)
        try await store.ask(ClaimTree("one"))
        var tree = TreeNode.nothing
        for (path, json) in [
            ("a", #"{"b":{"c":1,".priority":"p"},"!":true,"é😀":"\u0000"}"#), ("a/b/c/d", "2"), ("ab", "3"), ("a0", "4"),
            ("a/b", "null"), ("a", "{\"b\":1.5}"), ("", #"{"x":{"y":1},"a":2}"#), ("x/y", "null"), ("a", "-1e300"),
        ] {
            tree = try await self.write(store, path, json, over: tree)
            var expected: [TreeRow] = []
            TreeRow.append(tree, at: "", to: &expected)
            let ordered = expected.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
            #expect(try await self.rows(of: store) == ordered, "\(path)")
        }
    }

    @Test("A server that has lost the tree to another writes nothing more", arguments: Engine.allCases)
    func fencing(engine: Engine) async throws {
        let store = try TestStore(engine)
        try await store.ask(ClaimTree("one"))
        let tree = try await self.write(store, "a", "1", over: .nothing)
        try await store.ask(ClaimTree("other"))
        let write = TreeWrite(try #require(TreeTarget("a")), try self.tree("2"))
        var commit = CommitTree(by: "one")
        commit.changes = [TreeRowChanges(from: tree, to: write.applied(to: tree), by: write)]
        commit.left = [LeftWrite(session: "s", path: "a", number: 1, value: [], auth: [])]
        #expect(try await !store.ask(commit))
        #expect(try await self.rows(of: store) == [TreeRow(path: "a", value: Array("n3ff0000000000000".utf8))])
        #expect(try await store.ask(ListLeftWrites()).isEmpty)
    }

    @Test("L05 what sessions left is kept in its order until it is withdrawn or written", arguments: Engine.allCases)
    func leftWrites(engine: Engine) async throws {
        let store = try TestStore(engine)
        try await store.ask(ClaimTree("one"))
        func left(_ session: String, _ path: String, _ number: Int64) -> LeftWrite {
            LeftWrite(session: session, path: path, number: number, value: Array("null".utf8), auth: [1])
        }
        var commit = CommitTree(by: "one")
        commit.left = [
            left("s", "a/b", 2), left("s", "a", 1), left("s", "ab", 3), left("t", "a", 4), left("s", "a/b", 5),
        ]
        #expect(try await store.ask(commit))
        #expect(try await store.ask(ListLeftWrites()).map(\.number) == [1, 3, 4, 5])
        var withdrawal = CommitTree(by: "one")
        withdrawal.withdrawn = [("s", "a")]
        #expect(try await store.ask(withdrawal))
        #expect(try await store.ask(ListLeftWrites()) == [left("s", "ab", 3), left("t", "a", 4)])
        var end = CommitTree(by: "one")
        end.endedSessions = ["s"]
        #expect(try await store.ask(end))
        #expect(try await store.ask(ListLeftWrites()).map(\.session) == ["t"])
    }
}
