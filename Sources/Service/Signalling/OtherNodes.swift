internal import Cluster
internal import PostgresLink
internal import Reactor
internal import Vocabulary

/// With whom the loops of this process share presence, rooms, calls and conversations.
enum OtherNodes: Sendable {
    case none
    /// Sessions live on several loops.
    case loops(LoopExchange)
    /// Other servers may use the same database. Each loop on which sessions live is one of its nodes.
    case database(PostgresAddress, names: [RandomToken])

    /// - Parameter count: on how many loops sessions live.
    init(_ address: PostgresAddress?, loops count: Int, of group: EventLoopGroup) {
        var random = SystemRandomNumberGenerator()
        let names = (0..<count).map { _ in RandomToken(using: &random) }
        if let address {
            self = .database(address, names: names)
        } else {
            self = count > 1 ? .loops(LoopExchange(names, on: group)) : .none
        }
    }

    /// What the loops are called in this run; none where there is nobody to be told apart from.
    var names: [RandomToken] {
        switch self {
        case .none: []
        case .loops(let exchange): exchange.names
        case .database(_, let names): names
        }
    }

    var areThere: Bool { if case .none = self { false } else { true } }

    func post(on reactor: Reactor) -> PostgresPost? {
        guard case .database(let address, let names) = self else { return nil }
        return PostgresPost(address, as: names[reactor.loop.index], on: reactor)
    }

    func loop(on reactor: Reactor) -> LoopNode? {
        guard case .loops(let exchange) = self else { return nil }
        return exchange.node(on: reactor)
    }
}
