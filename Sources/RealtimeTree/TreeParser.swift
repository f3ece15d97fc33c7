internal import JSON

/// Reads what clients write: JSON with the members `.value`, `.priority` and `.sv`, in one walk. What the server has to fill
/// in is filled in at once, from the moment and from what is there.
package struct TreeParser {
    /// Milliseconds since 1970 by the server.
    package let now: Double
    private var leaves = 0

    package init(now: Double) { self.now = now }

    /// - Parameters:
    ///   - before: what is there now.
    ///   - depth: how many keys lead there.
    package static func parse(
        _ json: Span<UInt8>, over before: TreeNode = .nothing, depth: Int = 0, now: Double = 0
    ) throws(TreeError) -> TreeNode {
        var parser = TreeParser(now: now)
        return try parser.document(json, over: before, depth: depth)
    }

    package mutating func document(
        _ json: Span<UInt8>, over before: TreeNode, depth: Int
    ) throws(TreeError) -> TreeNode {
        var scanner = JSONScanner(json, depth: TreeLimits.depth + 8)
        let node = try self.node(&scanner, over: before, depth)
        do throws(JSONError) { try scanner.finish() } catch { throw .notJSON }
        return node
    }

    private mutating func node(
        _ scanner: inout JSONScanner, over before: TreeNode, _ depth: Int
    ) throws(TreeError) -> TreeNode {
        guard depth <= TreeLimits.depth else { throw .tooDeep }
        scanner.skipSpace()
        switch scanner.peek {
        case UInt8(ascii: "{"): return try self.object(&scanner, over: before, depth)
        case UInt8(ascii: "["): return try self.array(&scanner, over: before, depth)
        default:
            guard let scalar = try self.scalar(&scanner) else { return .nothing }
            self.leaves += 1
            guard self.leaves <= TreeLimits.leaves else { throw .tooBig("more than \(TreeLimits.leaves) values") }
            return TreeNode(scalar)
        }
    }

    /// Nil for null.
    private func scalar(_ scanner: inout JSONScanner) throws(TreeError) -> TreeScalar? {
        let value: JSONValue
        do throws(JSONError) { value = try scanner.value() } catch { throw .notJSON }
        let reader = JSONReader(scanner.bytes)
        switch value.kind {
        case .null: return nil
        case .bool: return reader.bool(value).map { .bool($0) }
        case .string:
            guard value.range.count <= TreeLimits.textBytes else { throw .tooBig("a text") }
            return reader.string(value).map { .text($0) }
        case .number: return .number(try Self.number(value, reader))
        case .object, .array: throw .notJSON
        }
    }

    private static func number(_ value: JSONValue, _ reader: borrowing JSONReader) throws(TreeError) -> Double {
        if let whole = reader.integer(value), whole.magnitude < 1 << 53 { return Double(whole) }
        guard let number = Double(String(decoding: reader.raw(value), as: UTF8.self)), number.isFinite else {
            throw .wrongValue("a number must be finite")
        }
        return number == 0 ? 0 : number
    }

    private mutating func array(
        _ scanner: inout JSONScanner, over before: TreeNode, _ depth: Int
    ) throws(TreeError) -> TreeNode {
        _ = scanner.skip(UInt8(ascii: "["))
        var children: [(key: TreeKey, value: TreeNode)] = []
        if scanner.skip(UInt8(ascii: "]")) { return .nothing }
        var index = 0
        repeat {
            let key = TreeKey(index)
            let child = try self.node(&scanner, over: before.child(key), depth + 1)
            if !child.isNothing { children.append((key, child)) }
            index += 1
        } while scanner.skip(UInt8(ascii: ","))
        guard scanner.skip(UInt8(ascii: "]")) else { throw .notJSON }
        return TreeNode(children)
    }

    /// What the members of one object come to.
    private struct Members {
        var children: [(key: TreeKey, value: TreeNode)] = []
        var value: TreeNode?
        var priority: TreeScalar?
        var isServerValue = false
    }

    private mutating func object(
        _ scanner: inout JSONScanner, over before: TreeNode, _ depth: Int
    ) throws(TreeError) -> TreeNode {
        _ = scanner.skip(UInt8(ascii: "{"))
        if scanner.skip(UInt8(ascii: "}")) { return .nothing }
        var members = Members()
        repeat {
            try self.member(&scanner, over: before, depth, &members)
        } while scanner.skip(UInt8(ascii: ","))
        guard scanner.skip(UInt8(ascii: "}")) else { throw .notJSON }
        if members.isServerValue {
            guard members.children.isEmpty else { throw .wrongServerValue }
            return (members.value ?? .nothing).withPriority(members.priority)
        }
        if let value = members.value {
            guard members.children.isEmpty else { throw .wrongValue("'.value' must stand alone or with '.priority'.") }
            return value.withPriority(members.priority)
        }
        return TreeNode(members.children, priority: members.priority)
    }

    private mutating func member(
        _ scanner: inout JSONScanner, over before: TreeNode, _ depth: Int, _ members: inout Members
    ) throws(TreeError) {
        let range: Range<Int>
        do throws(JSONError) { range = try scanner.key() } catch { throw .notJSON }
        let name = JSONReader(scanner.bytes).text(at: range) ?? ""
        switch name {
        case ".priority": members.priority = try self.priority(&scanner)
        case ".value": members.value = try self.value(&scanner, over: before, depth)
        case ".sv":
            members.value = try self.serverValue(&scanner, over: before)
            members.isServerValue = true
        default:
            guard let key = TreeKey(name) else { throw .wrongKey(name) }
            let child = try self.node(&scanner, over: before.child(key), depth + 1)
            members.children.append((key, child))
        }
    }

    private mutating func value(
        _ scanner: inout JSONScanner, over before: TreeNode, _ depth: Int
    ) throws(TreeError) -> TreeNode {
        let node = try self.node(&scanner, over: before, depth)
        if case .children = node.content { throw .wrongValue("'.value' must be no object.") }
        return node
    }

    private mutating func priority(_ scanner: inout JSONScanner) throws(TreeError) -> TreeScalar? {
        scanner.skipSpace()
        guard scanner.peek == UInt8(ascii: "{") else {
            guard let scalar = try self.scalar(&scanner) else { return nil }
            guard scalar.isPriority else { throw .wrongPriority }
            return scalar
        }
        guard scanner.skip(UInt8(ascii: "{")), (try? scanner.key()) != nil,
            let leaf = try self.serverValue(&scanner, over: .nothing).leaf, scanner.skip(UInt8(ascii: "}"))
        else { throw .wrongPriority }
        return leaf
    }

    /// `"timestamp"` or `{"increment":n}`
    private mutating func serverValue(
        _ scanner: inout JSONScanner, over before: TreeNode
    ) throws(TreeError) -> TreeNode {
        self.leaves += 1
        scanner.skipSpace()
        guard scanner.peek == UInt8(ascii: "{") else {
            guard try self.scalar(&scanner) == .text("timestamp") else { throw .wrongServerValue }
            return TreeNode(.number(self.now))
        }
        _ = scanner.skip(UInt8(ascii: "{"))
        guard let range = try? scanner.key(), JSONReader(scanner.bytes).isString(at: range, equalTo: "increment"),
            case .number(let step)? = try self.scalar(&scanner), scanner.skip(UInt8(ascii: "}"))
        else { throw .wrongServerValue }
        var sum = step
        if case .number(let old)? = before.leaf { sum += old }
        guard sum.isFinite else { throw .wrongServerValue }
        return TreeNode(.number(sum == 0 ? 0 : sum))
    }
}

// MARK: - Several places at once

extension TreeParser {
    /// The members of a patch: the names are paths.
    /// - Parameter base: where it is written, in `tree`.
    package static func patch(
        _ json: Span<UInt8>, at base: TreePath, in tree: TreeNode, now: Double
    ) throws(TreeError) -> [(target: TreeTarget, node: TreeNode)] {
        let reader = JSONReader(json)
        guard let document = try? reader.document(depth: TreeLimits.depth + 8) else { throw .notJSON }
        guard document.kind == .object else { throw .notJSON }
        var parser = TreeParser(now: now)
        var found: [(target: TreeTarget, node: TreeNode)] = []
        var members = reader.members(of: document)
        while let member = members.next() {
            let name = reader.text(at: member.key) ?? ""
            guard let target = TreeTarget(name) else { throw .wrongKey(name) }
            let whole = target.below(base)
            let old = whole.isPriority ? .nothing : tree.at(whole.path)
            let node = try parser.document(json.extracting(member.value.range), over: old, depth: whole.path.count)
            found.append((whole, node))
        }
        try self.checkApart(found.map(\.target))
        return found
    }

    /// No two may contain each other.
    private static func checkApart(_ targets: [TreeTarget]) throws(TreeError) {
        let places = targets.map { $0.isPriority ? $0.path.keys.map(\.text) + [".priority"] : $0.path.keys.map(\.text) }
        let sorted = places.sorted { one, other in one.lexicographicallyPrecedes(other) { UTF16Order.isLess($0, $1) } }
        for (one, other) in zip(sorted, sorted.dropFirst()) where other.starts(with: one) { throw .conflictingPaths }
    }
}
