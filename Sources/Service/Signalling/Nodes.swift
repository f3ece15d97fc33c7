internal import Cluster
internal import Client
internal import Clustering
internal import HTTPServer
internal import Identity
internal import Journal
internal import PostgresLink
internal import Reactor
internal import Switchboard
internal import Vocabulary
internal import Web

/// The other nodes on the same database: what they say reaches the part it is for, and what this one says reaches them. Without a
/// database that others can use there are none. Lives on the home loop.
final class Nodes {
    let errands: Errands
    /// Told what a user has read where this node wakes devices: through which number, and how much is unread elsewhere.
    var onRead: (UserID, ConversationID, UInt64, UInt64) -> Void = { _, _, _, _ in }
    /// Nil where there are no others.
    let forwarder: RequestForwarder?
    /// The same for uploads.
    let uploads: UploadForwarder?
    /// Those that share a database.
    private let post: PostgresPost?
    /// The other loops of this process, where they share nothing with others.
    private let loop: LoopNode?
    private let board: Switchboard
    private let chat: ChatService
    private let profiles: ProfileService
    private let accounts: Accounts
    private let words: WordKeeper
    private let reactor: Reactor
    private let journal: Journal
    private let linkJournal: LinkJournal

    init(
        _ others: OtherNodes, _ board: Switchboard, _ chat: ChatService, _ profiles: ProfileService,
        _ accounts: Accounts, _ words: WordKeeper, on reactor: Reactor, _ journal: Journal
    ) {
        self.post = others.post(on: reactor)
        self.loop = others.loop(on: reactor)
        self.errands = Errands(self.post as (any Post)? ?? self.loop)
        self.forwarder = self.post.map { post in
            RequestForwarder(as: post.node, on: reactor) { [unowned post] in post.others }
        }
        self.uploads = self.forwarder.map { UploadForwarder(by: $0, on: reactor) }
        self.board = board
        let ledger = self.post.map { post in
            PostgresLedger(
                of: post.node, runningOn: others.place(on: reactor), besides: Set(others.names), to: board,
                over: post.links, on: reactor)
        }
        self.post?.ledger = ledger
        if let ledger: any Ledger = ledger?.desk ?? self.loop { board.follow(ledger) }
        self.chat = chat
        self.profiles = profiles
        self.accounts = accounts
        self.words = words
        self.reactor = reactor
        self.journal = journal
        self.linkJournal = LinkJournal(journal, on: reactor)
    }

    func start() {
        defer { self.errands.open() }
        if let loop = self.loop { self.start(loop) }
        guard let post = self.post else { return }
        post.onNews = { [unowned self] news in for item in news { self.heard(item) } }
        post.onGap = { [unowned self] in self.missed() }
        post.onChange = { [journal, forwarder] change in
            journal.note(change)
            if case .missed(let node) = change { forwarder?.lost(node) }
        }
        post.links.onChange = { [linkJournal] in linkJournal.note($0) }
        post.ledger?.desk.onChange = { [journal] in journal.noteLedger(isInside: $0) }
        self.chat.join(post)
        post.start()
    }

    /// What other loops of this process have done comes before whatever is asked now.
    func catchUp() { self.loop?.fetch() }

    private func start(_ loop: LoopNode) {
        loop.onNews = { [unowned self] news in for item in news { self.heard(item) } }
        self.chat.join(loop)
        loop.start(self.board)
    }

    /// - Parameter listener: where this node listens, without TLS.
    func isFound(at listener: SocketAddress) { self.post?.isFound(at: NodeAddress(listening: listener)) }
    func isFound(at url: ServerURL) { self.post?.isFound(at: .known("\(url)")) }

    /// All nodes, this one first.
    var view: [SignallingView.Node] {
        guard let post = self.post else { return [] }
        let lines = self.board.linesByNode
        let own = SignallingView.Node(
            name: post.node, address: nil, connections: lines[post.node] ?? 0, isThis: true,
            isShared: post.ledger?.desk.isInside ?? false)
        let others = post.others.map { node, address in
            SignallingView.Node(
                name: node, address: address, connections: lines[node] ?? 0, isThis: false,
                isShared: post.ledger?.desk.knows(node) ?? false)
        }
        return [own] + others.sorted { $0.name.text < $1.name.text }
    }

    /// Has another node end in an orderly way. False when there is none of this name.
    func drain(_ node: RandomToken) -> Bool {
        guard let post = self.post, post.others[node] != nil else { return false }
        self.board.drain(node)
        return true
    }

    /// What only one node does is done there, whichever node is asked. False where that is this one.
    func passToDuty(_ exchange: HTTPExchange) -> Bool {
        guard let post = self.post, let forwarder = self.forwarder, post.isAmongOthers, !self.errands.isOurs else {
            return false
        }
        if !ForwardedRequest.was(exchange.request), let holder = post.dutyHolder,
            let server = forwarder.server(where: { $0 == holder })
        {
            forwarder.pass(exchange, to: server, orElse: Self.askAgain)
        } else {
            Self.askAgain(exchange)
        }
        return true
    }

    /// The node that had the duty is gone: in a few seconds another one has it.
    private static func askAgain(_ exchange: HTTPExchange) {
        var response = HTTPResponse.error(.serviceUnavailable, "try again later")
        response.head.fields.set(.retryAfter, to: "1")
        exchange.respond(response)
    }

    /// A connection that another node wants.
    func accept(_ exchange: HTTPExchange) {
        guard let links = self.post?.links else { return exchange.respond(.error(.notFound, "not found")) }
        NodeLinkRoute.accept(exchange, links)
    }

    private var anyPost: (any Post)? { self.post ?? self.loop }

    /// A user has read something here.
    func read(_ id: ConversationID, by user: UserID, through number: UInt64, badge: UInt64) {
        if self.errands.isOurs { return self.onRead(user, id, number, badge) }
        self.anyPost?.publish(.read(id, user, through: number, badge: badge))
    }

    /// This node lets somebody in no more, or again.
    func publish(_ change: IdentityChange) { self.post?.publish(.access(NodeNews.Access(change))) }

    func publishWords() { self.post?.publish(.words) }

    func publish(_ news: AttemptNews) {
        self.post?.publish(.attempt(word: news.word.rawValue, account: news.account, address: "\(news.address)"))
    }

    func close(_ done: @escaping () -> Void) {
        guard let post = self.post else { return done() }
        post.close(done)
    }

    private func heard(_ news: NodeNews) {
        switch news {
        case .entry:
            self.chat.heard(news)
            self.errands.callHere()
        case .receipt, .typing, .block, .told: self.chat.heard(news)
        case .profile(let user): self.profiles.changedElsewhere(user)
        case .access(let access): if let change = IdentityChange(access) { self.accounts.heard(change) }
        case .read(let id, let user, let number, let badge):
            if self.errands.isOurs { self.onRead(user, id, number, badge) }
        case .attempt(let word, let account, let address):
            if let news = AttemptNews(word, account, address) { self.accounts.heard(news) }
        case .errand: self.errands.callHere()
        case .words: self.reloadWords()
        }
    }

    /// A failure is repaired by the next change or gap.
    private func reloadWords() { self.reactor.perform({ [words] in await words.reload() }, completion: { _ in }) }

    private func missed() {
        self.chat.missedNews()
        self.errands.callHere()
        self.reloadWords()
        // The accounts tell the journal themselves when they fail; the next gap is another chance.
        self.reactor.perform({ [accounts] in try? await accounts.recall() }, completion: { _ in })
    }
}

extension AttemptNews {
    fileprivate init?(_ word: String, _ account: String?, _ address: String) {
        guard let word = Word(rawValue: word), let address = IPAddress(address) else { return nil }
        self.init(word, account: account, from: address)
    }
}

extension NodeNews.Access {
    fileprivate init(_ change: IdentityChange) {
        switch change {
        case .tokenRevoked(let id): self.init("token", id)
        case .familyEnded(let family): self.init("family", family.text)
        case .userRevoked(let user, let time): self.init("revoked", user.text, until: time)
        case .banned(let user, let end): self.init("banned", user.text, until: end)
        case .unbanned(let user): self.init("unbanned", user.text)
        case .deleted(let user): self.init("deleted", user.text)
        }
    }
}

extension IdentityChange {
    fileprivate init?(_ access: NodeNews.Access) {
        let user = UserID(access.subject)
        switch (access.word, user, access.until) {
        case ("token", _, _): self = .tokenRevoked(tokenID: access.subject)
        case ("family", _, _):
            guard let family = RandomToken(access.subject) else { return nil }
            self = .familyEnded(family)
        case ("revoked", let user?, let time?): self = .userRevoked(user, upTo: time)
        case ("banned", let user?, let end?): self = .banned(user, until: end)
        case ("unbanned", let user?, _): self = .unbanned(user)
        case ("deleted", let user?, _): self = .deleted(user)
        default: return nil
        }
    }
}

extension Journal {
    fileprivate func noteLedger(isInside: Bool) {
        if isInside {
            self.info(.nodeInside, "presence, rooms and calls are shared with the other nodes")
        } else {
            self.warning(
                .nodeOutside, "presence, rooms and calls are not shared with other nodes until they are reached again")
        }
    }

    fileprivate func note(_ change: PostgresPost.Change) {
        switch change {
        case .lost(let why):
            self.warning(.nodesLost, "other nodes are not heard: news between them come late", [.error: .plain(why)])
        case .back: self.info(.nodesBack, "other nodes are heard again")
        case .met(let node): self.info(.nodeMet, "another node uses the same database", [.node: .plain(node.text)])
        case .missed(let node): self.warning(.nodeMissed, "another node says nothing", [.node: .plain(node.text)])
        }
    }
}

extension LogName {
    static let nodesLost = LogName("nodes.lost")
    static let nodesBack = LogName("nodes.back")
    static let nodeMet = LogName("node.met")
    static let nodeInside = LogName("node.inside")
    static let nodeOutside = LogName("node.outside")
    static let nodeMissed = LogName("node.missed")
}

extension LogKey {
    static let node = LogKey("node")
}
