internal import Bytes
internal import Cluster
internal import Clustering
internal import Hashing
internal import Identity
internal import PostgresLink
internal import Reactor
internal import Vocabulary

/// With whom the loops of this process share presence, rooms, calls and conversations.
enum OtherNodes: Sendable {
    case none
    /// Sessions live on several loops.
    case loops(LoopExchange)
    /// Other servers may use the same database. Each loop on which sessions live is one of its nodes.
    case database(Database)

    struct Database: Sendable {
        let address: PostgresAddress
        let names: [RandomToken]
        /// The data directory's name.
        let place: String
        /// By which nodes know each other.
        let key: [UInt8]
        let metrics: ClusterMetrics
    }

    /// - Parameters:
    ///   - homes: the loops on which sessions live.
    ///   - place: the data directory's name.
    ///   - secret: by which nodes know each other.
    init(
        _ address: PostgresAddress?, _ homes: [EventLoop], of group: EventLoopGroup, place: String,
        _ secret: ServerSecret, _ metrics: ServiceMetrics
    ) {
        let names = homes.indices.map { Self.name(of: "\(place) \($0)", isLasting: address != nil) }
        if let address {
            let key = secret.key(for: "nodes, version \(NodeProtocol.version)")
            self = .database(Database(address: address, names: names, place: place, key: key, metrics: metrics.cluster))
        } else {
            self = homes.count > 1 ? .loops(LoopExchange(names, on: group)) : .none
        }
        metrics.set(nodes: self.names.map(\.text))
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
        guard case .database(let database) = self else { return nil }
        return database.names.first
    }

    /// What the loops are called in this run; none where there are no other nodes.
    var names: [RandomToken] {
        switch self {
        case .none: []
        case .loops(let exchange): exchange.names
        case .database(let database): database.names
        }
    }

    var areThere: Bool { if case .none = self { false } else { true } }

    func post(on reactor: Reactor) -> PostgresPost? {
        guard case .database(let database) = self else { return nil }
        let node = database.names[reactor.loop.index]
        let links = NodeLinks(of: node, key: database.key, database.metrics, on: reactor)
        links.dial = { NodeLinkRoute.dial($0, at: $1, on: reactor, $2) }
        return PostgresPost(
            database.address, as: node, mayHaveDuty: reactor.loop.index == 0, over: links, on: reactor)
    }

    /// What the node of this loop runs on.
    func place(on reactor: Reactor) -> String {
        guard case .database(let database) = self else { return "" }
        return "\(database.place) \(reactor.loop.index)"
    }

    func loop(on reactor: Reactor) -> LoopNode? {
        guard case .loops(let exchange) = self else { return nil }
        return exchange.node(on: reactor)
    }
}
