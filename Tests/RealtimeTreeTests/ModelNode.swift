import JSON

@testable import RealtimeTree

/// The tree as simply as it can be said: dictionaries, and everything sorted anew for each question.
struct ModelNode: Equatable {
    var scalar: TreeScalar?
    var children: [String: ModelNode] = [:]
    var priority: TreeScalar?

    static let nothing = ModelNode()

    var isNothing: Bool { self.scalar == nil && self.children.isEmpty }

    func at(_ path: [String]) -> ModelNode {
        path.reduce(self) { $0.children[$1] ?? .nothing }
    }

    func setting(_ path: [String], _ node: ModelNode) -> ModelNode {
        guard let key = path.first else { return node.isNothing ? .nothing : node }
        let child = (self.children[key] ?? .nothing).setting(Array(path.dropFirst()), node)
        var changed = self
        if child.isNothing {
            changed.children[key] = nil
        } else {
            changed.children[key] = child
            changed.scalar = nil
        }
        return changed.isNothing ? .nothing : changed
    }

    func settingPriority(_ path: [String], _ priority: TreeScalar?) -> ModelNode {
        var node = self.at(path)
        guard !node.isNothing else { return self }
        node.priority = priority
        return self.setting(path, node)
    }

    var json: String {
        var members = self.children.map { "\(Self.quoted($0.key)):\($0.value.json)" }
        if let scalar {
            guard let priority else { return Self.text(scalar) }
            return "{\".value\":\(Self.text(scalar)),\".priority\":\(Self.text(priority))}"
        }
        if members.isEmpty { return "null" }
        if let priority { members.append("\".priority\":\(Self.text(priority))") }
        return "{\(members.joined(separator: ","))}"
    }

    static func quoted(_ text: String) -> String {
        String(decoding: JSONWriter.bytes { $0.string(text) }, as: UTF8.self)
    }

    static func text(_ scalar: TreeScalar) -> String {
        String(decoding: JSONWriter.bytes { $0.scalar(scalar) }, as: UTF8.self)
    }
}

// MARK: - Queries

extension ModelNode {
    /// Numbers that are compared one after the other.
    typealias Place = [Double]

    static func place(of key: String) -> Place {
        if key == "[MIN_NAME]" { return [-1] }
        if key == "[MAX_NAME]" { return [9] }
        if let number = Int32(key), !key.hasPrefix("+") { return [0, Double(number), Double(key.count)] }
        return [1] + key.utf16.map { Double($0) }
    }

    static func place(of scalar: TreeScalar?, isObject: Bool = false) -> Place {
        switch scalar {
        case nil: isObject ? [5] : [0]
        case .bool(let value): [value ? 2 : 1]
        case .number(let number): [3, number]
        case .text(let text): [4] + text.utf16.map { Double($0) }
        }
    }

    private func place(_ order: TreeOrder) -> Place {
        switch order {
        case .key: [0]
        case .value: Self.place(of: self.scalar, isObject: !self.children.isEmpty)
        case .priority: Self.place(of: self.priority)
        case .child(let path): self.at(path.keys.map(\.text)).place(.value)
        }
    }

    private static func isBefore(_ one: (Place, Place), _ other: (Place, Place)) -> Bool {
        if one.0 != other.0 { return one.0.lexicographicallyPrecedes(other.0) }
        return one.1.lexicographicallyPrecedes(other.1)
    }

    /// What a query finds, and in which order.
    func found(_ query: ModelQuery) -> (keys: [String], node: ModelNode) {
        if query.isWhole { return ([], self) }
        guard self.scalar == nil else { return ([], .nothing) }
        let places = self.children.mapValues { $0.place(query.order) }
        func whole(_ key: String) -> (Place, Place) { (places[key] ?? [], Self.place(of: key)) }
        var keys = self.children.keys.sorted { Self.isBefore(whole($0), whole($1)) }
        if let start = query.start {
            keys.removeAll { key in
                let isAtStart = whole(key) == start.place
                return Self.isBefore(whole(key), start.place) || (isAtStart && !start.isInclusive)
            }
        }
        if let end = query.end {
            keys.removeAll { key in
                let isAtEnd = whole(key) == end.place
                return Self.isBefore(end.place, whole(key)) || (isAtEnd && !end.isInclusive)
            }
        }
        if let limit = query.limit { keys = Array(query.isFromEnd ? keys.suffix(limit) : keys.prefix(limit)) }
        var node = ModelNode(children: self.children.filter { keys.contains($0.key) }, priority: self.priority)
        if node.isNothing { node = .nothing }
        return (keys, node)
    }
}

/// A query in the words of the model, and the same as the tree has it.
struct ModelQuery {
    struct Bound {
        let place: (ModelNode.Place, ModelNode.Place)
        let isInclusive: Bool
    }

    var order = TreeOrder.priority
    var start: Bound?
    var end: Bound?
    var limit: Int?
    var isFromEnd = false
    var query = TreeQuery()

    var isWhole: Bool { self.start == nil && self.end == nil && self.limit == nil }
}

extension TreeNode {
    /// In the words of the model.
    var model: ModelNode {
        switch self.content {
        case .nothing: return .nothing
        case .leaf(let scalar): return ModelNode(scalar: scalar, priority: self.priority)
        case .children(let children):
            var node = ModelNode(priority: self.priority)
            for (key, child) in children { node.children[key.text] = child.model }
            return node
        }
    }
}
