internal import Vocabulary

/// The requests in flight to other nodes, by node, so that they fail at once when a node is lost.
struct ForwardedCalls {
    struct ID {
        fileprivate let node: RandomToken
        fileprivate let number: UInt64
    }

    private(set) var count = 0
    private var byNode: [RandomToken: [UInt64: () -> Void]] = [:]
    private var last: UInt64 = 0

    /// - Parameter fail: answers the client instead of the node.
    mutating func add(to node: RandomToken, fail: @escaping () -> Void) -> ID {
        self.count += 1
        self.last += 1
        self.byNode[node, default: [:]][self.last] = fail
        return ID(node: node, number: self.last)
    }

    /// It fails in another way from now on.
    mutating func update(_ id: ID, fail: @escaping () -> Void) {
        if self.byNode[id.node]?[id.number] != nil { self.byNode[id.node]?[id.number] = fail }
    }

    mutating func remove(_ id: ID) {
        guard self.byNode[id.node]?.removeValue(forKey: id.number) != nil else { return }
        self.count -= 1
        if self.byNode[id.node]?.isEmpty == true { self.byNode[id.node] = nil }
    }

    /// How each request in flight to the node fails.
    func failures(of node: RandomToken) -> [() -> Void] { self.byNode[node].map { Array($0.values) } ?? [] }
}
