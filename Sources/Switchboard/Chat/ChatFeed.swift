internal import Clustering
internal import Conversing
internal import Keeping
internal import Reactor
internal import Vocabulary

/// Tells listeners what is written in their conversations, in the order of its numbers, whichever node wrote it.
///
/// Alone, it tells what this node wrote as the store has answered. Beside other nodes it hears of their entries by number, and reads
/// them; what it missed it finds by comparing numbers, at once when something was lost and every ten seconds anyway.
final class ChatFeed {
    /// An entry that is to be told.
    private final class News {
        let outcome: ChangeOutcome
        /// Hears nothing of what it said itself.
        let speaker: (any ChatListener)?
        private var done: (() -> Void)?

        init(_ outcome: ChangeOutcome, except speaker: (any ChatListener)? = nil, _ done: (() -> Void)? = nil) {
            self.outcome = outcome
            self.speaker = speaker
            self.done = done
        }

        func finish() { self.done.take()?() }
    }

    private typealias Cursor = ConversationCursor<News>

    private var audience = Audience()
    private var cursors: [ConversationID: Cursor] = [:]
    private var post: (any Post)?
    private let store: any Store
    private let reactor: Reactor
    /// Of users who ask just now what they are in: who came and went meanwhile.
    private var movements: [UserID: Movements] = [:]
    private var sweep = Sweep()
    /// Told when the store does not do its work.
    var onStoreFailure: (StoreError) -> Void = { _ in }

    private struct Movements {
        var asking = 0
        var list: [(head: ConversationHead, came: Bool)] = []
        /// What a later answer said they are in, which came before an earlier one.
        var confirmed: Set<ConversationID> = []
    }

    private struct Sweep {
        static let interval = Duration.seconds(10)
        static let portion = 1000
        var isUnderWay = false
        var isWanted = false
        var readsMemberships = false
    }

    init(_ store: any Store, on reactor: Reactor) {
        self.store = store
        self.reactor = reactor
    }
}

// MARK: - Who listens

extension ChatFeed {
    func listeners(to id: ConversationID) -> some Sequence<any ChatListener> { self.audience.listeners(to: id) }
    func listeners(of user: UserID) -> [any ChatListener] { self.audience.listeners(of: user) }
    func hears(_ listener: any ChatListener, _ id: ConversationID) -> Bool { self.audience.hears(listener, id) }
    var listening: [UserID] { self.audience.listening }
    func remove(_ listener: any ChatListener) { self.audience.remove(listener) }

    /// A user is about to ask the store what they are in; followed by `asked`.
    func willAsk(_ user: UserID) {
        if self.post != nil { self.movements[user, default: Movements()].asking += 1 }
    }

    func asked(_ user: UserID) {
        guard var movements = self.movements[user] else { return }
        movements.asking -= 1
        self.movements[user] = movements.asking > 0 ? movements : nil
    }

    /// - Parameter heads: as the store has just said; between `willAsk` and `asked`.
    func add(_ listener: any ChatListener, to heads: [ConversationHead]) {
        var heads = heads
        for (head, came) in self.movements[listener.user]?.list ?? [] { heads.move(head, came: came) }
        guard self.post != nil else { return self.audience.add(listener, to: heads) }
        // This is one answer; another one is on its way, from the store's other thread.
        if let asking = self.movements[listener.user]?.asking, asking > 1 {
            self.movements[listener.user]?.confirmed.formUnion(heads.map(\.id))
        }
        for place in heads.indices { heads[place] = self.place(listener, heads[place]) }
        self.audience.add(listener, to: heads)
        for head in heads { self.turn(head.id) { $0.advance(&$1) } }
    }

    /// How far the listener was told.
    func heads(of listener: any ChatListener) -> [ConversationHead] {
        self.audience.heads(of: listener).map { head in
            ConversationHead(head.id, max(head.number, self.cursors[head.id]?.told ?? 0))
        }
    }

    /// A listener that was told by another node up to there. What its user came to meanwhile is looked for.
    func takeOver(_ listener: any ChatListener, from heads: [ConversationHead]) {
        self.willAsk(listener.user)
        self.add(listener, to: heads)
        self.asked(listener.user)
        self.compareNumbers(heads.map(\.id)[...]) { [unowned self] in self.compareMemberships([listener.user]) {} }
    }

    /// Something moves in one conversation: the listener asks for the rest itself.
    func wait(_ listener: any ChatListener, in id: ConversationID) {
        self.audience.add(listener, to: [ConversationHead(id, 0)])
        if self.post != nil, self.cursors[id] == nil { self.cursors[id] = Cursor(told: nil) }
    }

    /// Whether all that is written there is read here.
    private func isFollowed(_ id: ConversationID) -> Bool {
        self.audience.hasListeners(to: id) || self.cursors[id]?.isFetching == true
    }

    /// Before somebody listens who knows a conversation up to `head`, or further when they have heard more since.
    private func place(_ listener: (any ChatListener)?, _ head: ConversationHead) -> ConversationHead {
        guard var cursor = self.cursors[head.id], self.isFollowed(head.id) else {
            self.cursors[head.id] = Cursor(told: head.number)
            return head
        }
        if let told = cursor.told, head.number < told {
            let all = ConversationHead(head.id, told)
            if let listener, self.audience.hears(listener, head.id) { return all }
            self.audience.know(all)
        }
        cursor.rewind(to: head.number)
        self.cursors[head.id] = cursor
        return head
    }

    private func came(_ users: [UserID], with outcome: ChangeOutcome) {
        let head = ConversationHead(outcome.conversation, outcome.entry.number - 1)
        for user in users {
            self.movements[user]?.list.append((head, true))
            let wasFollowed = self.isFollowed(head.id)
            let isNews = self.audience.came(user, to: head)
            // What was told while nobody listened is as old as the last who did.
            guard isNews, self.post != nil, !wasFollowed else { continue }
            guard let told = self.cursors[head.id]?.told, told >= head.number else {
                self.cursors[head.id] = Cursor(told: head.number)
                continue
            }
        }
    }

    private func went(_ user: UserID, with outcome: ChangeOutcome) {
        self.movements[user]?.list.append((ConversationHead(outcome.conversation, outcome.entry.number), false))
        self.audience.went(user, from: ConversationHead(outcome.conversation, outcome.entry.number))
    }
}

extension [ConversationHead] {
    /// What was said before the list was made is in it.
    fileprivate mutating func move(_ head: ConversationHead, came: Bool) {
        let place = self.firstIndex { $0.id == head.id }
        if came {
            if place == nil { self.append(head) }
        } else if let place, self[place].number < head.number {
            self.remove(at: place)
        }
    }
}

// MARK: - What is written

extension ChatFeed {
    /// This node wrote something. `done` comes when all who listen here were told, of what came before it too.
    func wrote(_ outcome: ChangeOutcome, except speaker: (any ChatListener)?, _ done: @escaping () -> Void) {
        guard let post = self.post else {
            self.tell(News(outcome, except: speaker), isFirst: true)
            return done()
        }
        let moves = !outcome.came.isEmpty
        post.publish(.entry(outcome.conversation, outcome.entry.number, movesMembers: moves))
        if let cursor = self.cursors[outcome.conversation], outcome.entry.number <= cursor.furthest { return done() }
        self.came(outcome.came, with: outcome)
        let news = News(outcome, except: speaker, done)
        var isNews = false
        self.turn(outcome.conversation) { isNews = $0.wrote(outcome.entry.number, news, &$1) }
        if !isNews { news.finish() }
    }

    private func tell(_ news: News, isFirst: Bool) {
        let outcome = news.outcome
        if isFirst { self.came(outcome.came, with: outcome) }
        let told = ChatNews(outcome)
        let head = ConversationHead(outcome.conversation, outcome.entry.number)
        for listener in self.audience.listeners(to: head) where listener !== news.speaker { listener.hear(told) }
        if isFirst, let user = outcome.went { self.went(user, with: outcome) }
        news.finish()
    }

    /// Asks a conversation's cursor something, and does what it says. Nothing where nobody listens.
    private func turn(_ id: ConversationID, _ ask: (inout Cursor, inout [Cursor.Order]) -> Void) {
        guard var cursor = self.cursors.removeValue(forKey: id) else { return }
        var orders: [Cursor.Order] = []
        ask(&cursor, &orders)
        self.cursors[id] = cursor
        for order in orders {
            switch order {
            case .tell(let news, let isFirst): self.tell(news, isFirst: isFirst)
            case .fetch(let after, let through): self.fetch(id, after: after, through: through)
            }
        }
    }

    private func fetch(_ id: ConversationID, after: UInt64, through: UInt64) {
        self.read(NewEntries(of: id, after: after, through: through)) { [unowned self] page in
            guard let page else {
                var waiting: [News] = []
                self.turn(id) { cursor, _ in waiting = cursor.failed() }
                // They are written, whatever else could not be read.
                for news in waiting { news.finish() }
                return
            }
            let news = page.outcomes.map { ($0.entry.number, News($0)) }
            self.turn(id) { $0.fetched(news, after: after, through: page.end, &$1) }
        }
    }

    private func read<Request: StoreRequest>(_ request: Request, _ answer: @escaping (Request.Answer?) -> Void) {
        self.store.send(
            request,
            self.reactor.returning { [weak self] result in
                guard let self else { return }
                if case .failure(let error) = result { self.onStoreFailure(error) }
                answer(try? result.get())
            })
    }
}

// MARK: - Other nodes

extension ChatFeed {
    var hasPeers: Bool { self.post?.hasPeers ?? false }

    func publish(_ news: NodeNews) { self.post?.publish(news) }

    /// From now on others write as well.
    func join(_ post: any Post) {
        self.post = post
        self.sweepLater()
    }

    func heard(_ id: ConversationID, _ number: UInt64, movesMembers: Bool) {
        if !self.isFollowed(id) {
            // Whoever came may listen here. What is late and was told before brings nobody back.
            guard movesMembers, number > self.cursors[id]?.furthest ?? 0 else { return }
            self.cursors[id] = Cursor(told: number - 1)
        }
        self.turn(id) { $0.heard(number, &$1) }
    }

    /// Something may have been missed.
    func lookAtEverything() {
        self.sweep.readsMemberships = true
        self.look()
    }

    private func sweepLater() {
        self.reactor.schedule(after: Sweep.interval) { [weak self] in
            guard let self else { return }
            self.forget()
            if self.hasPeers { self.look() }
            self.sweepLater()
        }
    }

    /// Where nobody listens any more.
    private func forget() { self.cursors = self.cursors.filter { self.isFollowed($0.key) } }

    private func look() {
        self.sweep.isWanted = true
        guard !self.sweep.isUnderWay else { return }
        self.sweep.isUnderWay = true
        self.sweep.isWanted = false
        let readsMemberships = self.sweep.readsMemberships
        self.sweep.readsMemberships = false
        let followed = self.cursors.keys.filter { self.isFollowed($0) }
        self.compareNumbers(followed[...]) { [unowned self] in
            let users = readsMemberships ? self.audience.listening : []
            self.compareMemberships(users[...]) { [unowned self] in
                self.sweep.isUnderWay = false
                if self.sweep.isWanted { self.look() }
            }
        }
    }

    private func compareNumbers(_ ids: ArraySlice<ConversationID>, _ done: @escaping () -> Void) {
        guard !ids.isEmpty else { return done() }
        let portion = ids.prefix(Sweep.portion)
        self.read(LatestNumbers(of: Array(portion))) { [unowned self] heads in
            for head in heads ?? [] { self.turn(head.id) { $0.heard(head.number, &$1) } }
            self.compareNumbers(ids.dropFirst(portion.count), done)
        }
    }

    /// - Parameter suspects: conversations that their user may have left.
    private func compareMemberships(
        _ users: ArraySlice<UserID>, suspects: Set<ConversationID> = [], _ done: @escaping () -> Void
    ) {
        guard let user = users.first else { return done() }
        self.willAsk(user)
        self.read(MembershipHeads(of: user)) { [unowned self] heads in
            if let heads { self.compare(user, heads, suspects: suspects) }
            self.asked(user)
            self.compareMemberships(users.dropFirst(), done)
        }
    }

    private func compare(
        _ user: UserID, _ memberships: [MembershipHeads.Membership], suspects: Set<ConversationID>
    ) {
        let since = Dictionary(memberships.map { ($0.head.id, $0.since) }) { first, _ in first }
        var heads = memberships.map(\.head)
        for (head, came) in self.movements[user]?.list ?? [] { heads.move(head, came: came) }
        let before = self.audience.conversations(of: user)
        for head in heads where !before.ofAll.contains(head.id) {
            // The entry that brought them in is among the last.
            let known = max(head.number - min(head.number, Self.recent), since[head.id] ?? head.number)
            self.audience.came(user, to: self.place(nil, ConversationHead(head.id, known)), isEstimate: true)
            self.turn(head.id) { $0.heard(head.number, &$1) }
        }
        let confirmed = self.movements[user]?.confirmed ?? []
        self.left(user, before.ofAny.subtracting(heads.map(\.id)).subtracting(confirmed), suspects: suspects)
    }

    /// The store says that a user is no longer a member, and no entry said so here. Such an entry, and what was written before it, may
    /// be younger than the numbers that were compared: so these are compared again, and what is missing is told, before the user's
    /// listeners are taken out.
    private func left(_ user: UserID, _ ids: Set<ConversationID>, suspects: Set<ConversationID>) {
        let gone = ids.filter { suspects.contains($0) && self.cursors[$0]?.isFetching != true }
        for id in gone {
            self.audience.went(user, from: ConversationHead(id, .max), heard: self.cursors[id]?.told ?? 0)
        }
        let rest = ids.subtracting(gone)
        guard !rest.isEmpty else { return }
        self.compareNumbers(Array(rest)[...]) { [unowned self] in
            self.compareMemberships([user], suspects: rest) {}
        }
    }

    private static let recent: UInt64 = 20
}
