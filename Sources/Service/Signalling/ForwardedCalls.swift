internal import Vocabulary

/// What is on its way to other nodes, by node: nothing that was passed on waits for a node that is gone.
struct ForwardedCalls {
    struct ID {
        fileprivate let node: RandomToken
        fileprivate let number: UInt64
    }

    private(set) var count = 0
    private var byNode: [RandomToken: [UInt64: () -> Void]] = [:]
    private var last: UInt64 = 0

    /// - Parameter giveUp: answers the client instead of the node.
    mutating func add(to node: RandomToken, giveUp: @escaping () -> Void) -> ID {
        self.count += 1
        self.last += 1
        self.byNode[node, default: [:]][self.last] = giveUp
        return ID(node: node, number: self.last)
    }

    /// From now on it is given up in another way.
    mutating func update(_ id: ID, giveUp: @escaping () -> Void) {
        if self.byNode[id.node]?[id.number] != nil { self.byNode[id.node]?[id.number] = giveUp }
    }

    mutating func remove(_ id: ID) {
        guard self.byNode[id.node]?.removeValue(forKey: id.number) != nil else { return }
        self.count -= 1
        if self.byNode[id.node]?.isEmpty == true { self.byNode[id.node] = nil }
    }

    func calls(to node: RandomToken) -> [() -> Void] { self.byNode[node].map { Array($0.values) } ?? [] }
}
