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
    ///
    /// - Parameter place: the data directory's name.
    case database(PostgresAddress, names: [RandomToken], place: String)

    /// - Parameters:
    ///   - count: on how many loops sessions live.
    ///   - place: the data directory's name.
    init(_ address: PostgresAddress?, loops count: Int, of group: EventLoopGroup, place: String) {
        var random = SystemRandomNumberGenerator()
        let names = (0..<count).map { _ in RandomToken(using: &random) }
        if let address {
            self = .database(address, names: names, place: place)
        } else {
            self = count > 1 ? .loops(LoopExchange(names, on: group)) : .none
        }
    }

    /// What the loops are called in this run; none where there are no other nodes.
    var names: [RandomToken] {
        switch self {
        case .none: []
        case .loops(let exchange): exchange.names
        case .database(_, let names, _): names
        }
    }

    var areThere: Bool { if case .none = self { false } else { true } }

    func post(on reactor: Reactor) -> PostgresPost? {
        guard case .database(let address, let names, _) = self else { return nil }
        return PostgresPost(address, as: names[reactor.loop.index], on: reactor)
    }

    /// What the node of this loop runs on.
    func place(on reactor: Reactor) -> String {
        guard case .database(_, _, let place) = self else { return "" }
        return "\(place) \(reactor.loop.index)"
    }

    func loop(on reactor: Reactor) -> LoopNode? {
        guard case .loops(let exchange) = self else { return nil }
        return exchange.node(on: reactor)
    }
}
