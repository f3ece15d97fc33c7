internal import Bytes
internal import Cluster
internal import Hashing
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
        let names = (0..<count).map { Self.name(of: "\(place) \($0)", isLasting: address != nil) }
        if let address {
            self = .database(address, names: names, place: place)
        } else {
            self = count > 1 ? .loops(LoopExchange(names, on: group)) : .none
        }
    }

    /// New in each run; its first six letters, by which others know what lies on its disk, are those of the runs before.
    private static func name(of place: String, isLasting: Bool) -> RandomToken {
        var random = SystemRandomNumberGenerator()
        let digest = Digest.sha256.hash("node \(place)").prefix(15)
        guard isLasting, let owner = RandomToken(Base64.encode(Array(digest), as: .url)) else {
            return RandomToken(using: &random)
        }
        return RandomToken(taggedBy: owner, using: &random)
    }

    /// How the names begin of what lies on this machine's disk; nil where there is no other.
    var tag: RandomToken? {
        guard case .database(_, let names, _) = self else { return nil }
        return names.first
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
