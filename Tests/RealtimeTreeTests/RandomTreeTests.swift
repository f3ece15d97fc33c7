import TestSupport
import Testing

@testable import RealtimeTree

@Suite("A tree under operations by chance")
struct RandomTreeTests {
    private static let operations = 5000

    /// What a client that listens has by now, as it puts together what it hears.
    private struct Listener {
        let path: [String]
        let query: ModelQuery
        var known: TreeNode
    }

    private struct World {
        var chance: RandomTree
        var tree = TreeNode.nothing
        var model = ModelNode.nothing
        var rows: [String: [UInt8]] = [:]
        var listens = TreeListens()
        var listeners: [Int: Listener] = [:]
        var next = 0
    }

    @Test(
        "L03 L04 What listeners put together is what a simple model finds, after each of many writes by chance",
        arguments: LongTests.seeds(4, long: 200))
    func agrees(seed: UInt64) throws {
        var world = World(chance: RandomTree(seed: seed))
        for step in 0..<Self.operations {
            try Self.write(&world)
            if world.chance.chance(1, in: 8) || world.listeners.isEmpty { Self.turnOver(&world) }
            guard Self.isRight(&world, step) else { return }
        }
    }

    private static func tree(_ path: [String]) -> TreePath { TreePath(path.compactMap { TreeKey($0) }) }

    private static func write(_ world: inout World) throws {
        let before = world.tree
        let write = try self.make(&world)
        let after = write.applied(to: before)
        let changes = TreeRowChanges(from: before, to: after, by: write)
        self.keep(changes, &world.rows)
        world.tree = after
        for news in world.listens.news(of: write, from: before, to: after) { self.hear(news, &world) }
    }

    private static func make(_ world: inout World) throws -> TreeWrite {
        let path = world.chance.path()
        switch Int.random(in: 0..<6, using: &world.chance.random) {
        case 0: return try self.merge(path, &world)
        case 1:
            let priority = world.chance.priority()
            world.model = world.model.settingPriority(path, priority)
            return TreeWrite(
                TreeTarget(self.tree(path), isPriority: true), priority.map { TreeNode($0) } ?? .nothing)
        default:
            let node = world.chance.node()
            world.model = world.model.setting(path, node)
            return TreeWrite(TreeTarget(self.tree(path)), try TreeNode(node.json))
        }
    }

    private static func merge(_ base: [String], _ world: inout World) throws -> TreeWrite {
        var places: [[String]: ModelNode] = [:]
        for _ in 0..<3 {
            let path = [world.chance.key()] + world.chance.path(atMost: 1)
            if places.keys.contains(where: { $0.starts(with: path) || path.starts(with: $0) }) { continue }
            places[path] = world.chance.node(2)
        }
        let members = places.map { "\(ModelNode.quoted($0.key.joined(separator: "/"))):\($0.value.json)" }
        for (path, node) in places { world.model = world.model.setting(base + path, node) }
        let json = Array("{\(members.joined(separator: ","))}".utf8)
        let parsed = try TreeParser.patch(json.span, at: self.tree(base), in: world.tree, now: 0)
        return TreeWrite(merging: parsed, at: self.tree(base))
    }

    private static func keep(_ changes: TreeRowChanges, _ rows: inout [String: [UInt8]]) {
        for path in changes.cleared.map(\.text) {
            rows = rows.filter { !path.isEmpty && $0.key != path && !$0.key.hasPrefix("\(path)/") }
        }
        for path in changes.removed { rows[path] = nil }
        for row in changes.put { rows[row.path] = row.value }
    }

    private static func turnOver(_ world: inout World) {
        if world.listeners.count >= 8, let old = world.listeners.keys.min(), let listener = world.listeners[old] {
            world.listens.remove(old, self.tree(listener.path), listener.query.query)
            world.listeners[old] = nil
        }
        world.next += 1
        let (path, query) = (world.chance.path(atMost: 2), world.chance.query())
        let node = query.query.filter(world.tree.at(self.tree(path)))
        world.listens.add(world.next, self.tree(path), query.query, tag: world.next, of: world.tree)
        world.listeners[world.next] = Listener(path: path, query: query, known: node)
    }

    private static func hear(_ news: TreeNews, _ world: inout World) {
        for number in news.whole {
            guard let path = world.listeners[number]?.path else { continue }
            self.apply(news.change, news.path.dropping(path.count), &world.listeners[number])
        }
        for view in news.views {
            #expect(view.tag == view.connection)
            self.apply(news.change, news.path.dropping(view.place.count), &world.listeners[view.connection])
        }
    }

    private static func apply(_ change: TreeNews.Change, _ path: TreePath, _ listener: inout Listener?) {
        guard var known = listener?.known else { return }
        switch change {
        case .set(let node): known = known.setting(path, to: node)
        case .merge(let places):
            for (inner, node) in places { known = known.setting(path.appending(inner), to: node) }
        }
        listener?.known = known
    }

    private static func isRight(_ world: inout World, _ step: Int) -> Bool {
        for (number, listener) in world.listeners {
            let found = world.model.at(listener.path).found(listener.query)
            guard listener.known.model == found.node else {
                Issue.record("step \(step), listener \(number) at \(listener.path), \(listener.query)")
                return false
            }
            guard listener.known.children.count == found.node.children.count else {
                Issue.record("step \(step): \(listener.known.text) has another count")
                return false
            }
        }
        guard step.isMultiple(of: 20) else { return true }
        return self.isKept(world, step)
    }

    private static func isKept(_ world: World, _ step: Int) -> Bool {
        var rows: [TreeRow] = []
        TreeRow.append(world.tree, at: "", to: &rows)
        let kept = Dictionary(rows.map { ($0.path, $0.value) }) { $1 }
        guard kept == world.rows, world.tree.model == world.model else {
            Issue.record("step \(step): \(world.tree.text) instead of \(world.model.json)")
            return false
        }
        var restored = TreeNode.nothing
        let ordered = rows.filter { !$0.path.hasSuffix(".priority") } + rows.filter { $0.path.hasSuffix(".priority") }
        for row in ordered where !row.restore(into: &restored) {
            Issue.record("step \(step): \(row) makes no sense")
            return false
        }
        guard restored == world.tree, restored.hash == world.tree.hash,
            (try? TreeNode(world.tree.text)) == world.tree,
            world.tree.byteCount(at: .root) == rows.reduce(0, { $0 + $1.path.utf8.count + $1.value.count })
        else {
            Issue.record("step \(step): \(world.tree.text) is another tree after it was kept")
            return false
        }
        return true
    }

    @Test("L04 A query finds what a model finds by sorting everything", arguments: LongTests.seeds(4, long: 50))
    func queries(seed: UInt64) throws {
        var chance = RandomTree(seed: seed &+ 1000)
        for _ in 0..<2000 {
            let (node, query) = (chance.node(2), chance.query())
            let tree = try TreeNode(node.json)
            let found = query.query.filter(tree)
            #expect(found.model == node.found(query).node, "\(node.json) \(query)")
        }
    }
}
