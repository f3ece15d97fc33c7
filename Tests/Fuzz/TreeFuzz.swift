import JSON
import RealtimeTree
import Service

/// Frames of the realtime tree's WebSocket protocol, a line each, and what their requests carry.
enum TreeWireFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        var segments = TreeSegments()
        for line in input.split(separator: 10, maxSplits: 64, omittingEmptySubsequences: false) {
            let frame = Array(line)
            TreeViewerFuzz.check(frame)
            guard let whole = try? segments.add(frame.span) else { continue }
            guard case .request(_, _, let body)? = TreeWireMessage(whole.span) else { continue }
            self.check(body)
        }
    }

    private static func check(_ body: [UInt8]) {
        guard let object = try? JSONObject(body.span) else { return }
        let data = object["d", .raw] ?? []
        let node = (try? TreeParser.parse(data.span, now: 1)) ?? .nothing
        TreeFuzz.check(node)
        if object.value("q") != nil, let query = try? TreeQueryReader.query(object.object("q")) {
            TreeFuzz.check(query, node)
        }
        guard let target = TreeTarget(object["p", .text] ?? "") else { return }
        demand(TreeTarget(target.text) == target, "a path that is another one when it is written: \(target.text)")
        guard let places = try? TreeParser.patch(data.span, at: target.path, in: node, now: 1) else { return }
        let write = TreeWrite(merging: places, at: target.path)
        guard (try? write.check()) != nil else { return }
        TreeFuzz.check(write.applied(to: node))
    }
}

/// What the page asks for whose user looks at the tree.
private enum TreeViewerFuzz {
    static func check(_ frame: [UInt8]) {
        guard case .open(let path, let limit)? = TreeViewerMessage(frame.span) else { return }
        demand(TreePath(path.text) == path, "a path that is another one when it is written: \(path.text)")
        var outline = TreeOutline()
        guard (try? outline.open(path, limit: limit)) != nil else { return }
        let tree = TreeNode.nothing.setting(path, to: TreeNode(.number(1)))
        demand(outline.takeChanges(in: tree).count == 1, "nothing is shown of an open place")
        demand(!outline.isDue && outline.takeChanges(in: tree).isEmpty, "something is shown twice")
    }
}

/// What pages send in parts to the realtime tree, a query each line.
enum TreePollingFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        var parts = TreeParts()
        for line in input.split(separator: 10, maxSplits: 64) {
            guard let messages = try? parts.add(query: String(decoding: line, as: UTF8.self)) else { return }
            for message in messages { _ = TreeWireMessage(message.span) }
        }
    }
}

/// Rules of the realtime tree, and questions to those that are some.
enum TreeRulesFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        guard let rules = try? TreeRules(String(decoding: input, as: UTF8.self)) else { return }
        guard let path = TreePath("a/b/c"),
            let data = try? TreeParser.parse(Array(#"{"a":{"b":{"c":"text"}}}"#.utf8).span)
        else { return }
        _ = rules.allowsRead(path, by: data, of: data, now: 1)
        let write = TreeWrite(TreeTarget(path), TreeNode(.number(1)))
        _ = rules.allowsWrite(write, by: .nothing, from: data, to: write.applied(to: data), now: 1)
    }
}

private enum TreeFuzz {
    static func check(_ node: TreeNode) {
        let json = JSONWriter.bytes { $0.tree(node, .export) }
        var rows: [TreeRow] = []
        TreeRow.append(node, at: "", to: &rows)
        if rows.count < 40_000, (try? TreeWrite(TreeTarget(.root), node).check()) != nil {
            demand((try? TreeParser.parse(json.span)) == node, "what was written is another value")
        }
        var restored = TreeNode.nothing
        let ordered = rows.filter { !$0.path.hasSuffix(".priority") } + rows.filter { $0.path.hasSuffix(".priority") }
        for row in ordered { demand(row.restore(into: &restored), "a row that makes no sense: \(row.path)") }
        demand(restored == node && restored.hash == node.hash, "another tree after it was kept")
    }

    static func check(_ query: TreeQuery, _ node: TreeNode) {
        let found = query.filter(node)
        guard !query.isWhole else { return }
        demand(found.children.count <= query.limit ?? .max, "more than the limit")
        demand(found.children.allSatisfy { node.child($0.key) == $0.value }, "something that is not there")
    }
}
