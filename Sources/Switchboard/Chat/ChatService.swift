internal import Clustering
package import Conversing
internal import Hashing
internal import JSON
internal import Pacing
package import Operations
package import Reactor
internal import SocketServer
package import Keeping
package import Vocabulary

/// Passes requests to the store, and what the store has kept to all subscribers.
///
/// A user has one heavy question under way at a time. It lives on the loop of the sockets. The store's answers come back in the order of its commits, and news leave in that
/// order; no subscriber hears of what is not on the disk.
package final class ChatService {
    package typealias Completion<Value> = (Result<Value, RequestError>) -> Void

    private let store: any Store
    let reactor: Reactor
    let settings: ConversationSettings
    private let clock: () -> WallTime
    let feed: ChatFeed
    var subscriptions: [SessionID: ChatSubscription] = [:]
    var typing: TypingMachine
    var typingAlarm: (token: TimerToken, deadline: Instant)?
    private var random = BufferedRandom()
    private let turns = UserTurns()
    private var contacts = ContactLimiter()
    /// Each takes an operator's time.
    private var reports = AttemptLimiter<UserID>(
        .init(free: 10, firstDelay: .seconds(60), maximumDelay: .seconds(600), forgetsAfter: .seconds(3600)))
    private var quota: MessageQuota
    private let receipts: ReceiptTeller
    /// Asked before a message is sent; nil where there is none.
    package var gate: (any ChatGate)?
    /// Looks for an operator's words.
    package var filter = WordFilter()
    /// Whether the disk takes more messages.
    package var hasRoom: () -> Bool = { true }
    /// Told that something new is on the disk, once all subscribers were.
    package var onEntry: (ChangeOutcome) -> Void = { _ in }
    /// Told how far a user has read a conversation on one of their devices, and what waits for them in all.
    package var onRead: (UserID, ConversationID, Marked) -> Void = { _, _, _ in }
    /// Told who is blocked by whom, or no longer.
    package var onBlock: (UserID, UserID, Bool) -> Void = { _, _, _ in }
    /// Told who began or stopped typing where.
    package var onTyping: (ConversationID, UserID, Bool) -> Void = { _, _, _ in }
    /// Told when the store does not do its work.
    package var onStoreFailure: (StoreError) -> Void = { _ in } {
        didSet { self.feed.onStoreFailure = self.onStoreFailure }
    }

    package init(
        _ store: any Store, on reactor: Reactor, settings: ConversationSettings = ConversationSettings(),
        clock: @escaping () -> WallTime
    ) {
        self.store = store
        self.reactor = reactor
        self.feed = ChatFeed(store, on: reactor)
        self.receipts = ReceiptTeller(self.feed, on: reactor)
        self.settings = settings
        self.clock = clock
        self.typing = TypingMachine(settings: settings)
        self.quota = MessageQuota(settings)
    }

    package var now: WallTime { self.clock() }
    var instant: Instant { Instant(milliseconds: Int64(clamping: self.reactor.now)) }

    /// None that a command line would take for an option.
    package func newID() -> ConversationID {
        while true {
            let id = ConversationID(RandomToken(using: &self.random))
            if !id.text.hasPrefix("-") { return id }
        }
    }

    /// The store's answer, on this loop and in the words of the switchboard.
    private func returning<Value: Sendable>(
        _ completion: @escaping Completion<Value>
    ) -> @Sendable (Result<Value, StoreError>) -> Void {
        self.reactor.returning { [unowned self] result in
            switch result {
            case .success(let value): completion(.success(value))
            case .failure(let error): completion(.failure(self.failure(error)))
            }
        }
    }

    private func ruling<Value: Sendable>(
        _ completion: @escaping Completion<Value>
    ) -> @Sendable (Result<Result<Value, ConversationRefusal>, StoreError>) -> Void {
        self.returning { result in
            completion(result.flatMap { verdict in verdict.mapError { RequestError($0) } })
        }
    }

    private func failure(_ error: StoreError) -> RequestError {
        self.onStoreFailure(error)
        return RequestError(.unavailable, "the store does not take it now", retryAfter: .seconds(1))
    }
}

// MARK: - Writing

extension ChatService {
    /// Answers when it is safe. By then all subscribers were told.
    ///
    /// - Parameter isByServer: what the server says has no limits.
    package func change(
        _ request: ChangeRequest, from guest: Guest? = nil, isByServer: Bool = false,
        _ completion: @escaping Completion<ChangeOutcome>
    ) {
        guard !isByServer else {
            return self.judge(request, completion) { [unowned self] in self.write(request, guest, completion) }
        }
        do throws(RequestError) {
            var request = request
            let flagged = try self.filter.judge(&request)
            let completion = self.reporting(flagged, try self.charging(request, completion))
            self.judge(request, completion) { [request] in self.approach(request, guest, completion) }
        } catch {
            completion(.failure(error))
        }
    }

    /// What a user says is written for as long as there is room for it, and counts.
    private func charging(
        _ request: ChangeRequest, _ completion: @escaping Completion<ChangeOutcome>
    ) throws(RequestError) -> Completion<ChangeOutcome> {
        guard !request.change.hasWords || self.hasRoom() else {
            throw RequestError(.unavailable, "the disk has no room for more messages", retryAfter: .seconds(60))
        }
        let claim = try self.quota.claim(request, at: self.instant)
        return { [unowned self] result in
            self.quota.settle(claim, result)
            completion(result)
        }
    }

    /// What has a word of the operator's is reported once it is there.
    private func reporting(
        _ flagged: String?, _ completion: @escaping Completion<ChangeOutcome>
    ) -> Completion<ChangeOutcome> {
        guard let flagged else { return completion }
        return { [unowned self] result in
            if case .success(let outcome) = result, !outcome.isRepeated { self.flag(outcome.reported, flagged) }
            completion(result)
        }
    }

    func flag(_ target: ReportTarget, _ word: String) {
        var report = SendReport(target, by: Self.speaker, .other, "it has the word: \(word)", at: self.now)
        report.isByServer = true
        self.ask(report) { _ in }
    }

    /// In whose name the operators act.
    package static let speaker = UserID("parley:operator") ?? { preconditionFailure("no user id") }()

    private func judge(
        _ request: ChangeRequest, _ completion: @escaping Completion<ChangeOutcome>, _ write: @escaping () -> Void
    ) {
        guard let gate = self.gate, request.change.hasWords else { return write() }
        gate.judge(request) { refusal in
            guard let refusal else { return write() }
            completion(.failure(refusal))
        }
    }

    private func approach(
        _ request: ChangeRequest, _ guest: Guest?, _ completion: @escaping Completion<ChangeOutcome>
    ) {
        var request = request
        let begins = if case .user = request.address { true } else { false }
        let named: [UserID] = if case .invite(let users) = request.change { users } else { [] }
        let claim = self.contacts.claim(by: request.actor, begins: begins, bringing: named, at: self.instant)
        request.approach = claim.approach
        self.write(request, guest, self.settling(claim, completion))
    }

    private func settling(
        _ claim: ContactLimiter.Claim, _ completion: @escaping Completion<ChangeOutcome>
    ) -> Completion<ChangeOutcome> {
        { [unowned self] result in
            self.contacts.settle(claim, result)
            completion(result)
        }
    }

    /// What the server itself has to say for a user, to somebody who is known: no hook is asked, and no client waits.
    package func note(_ request: ChangeRequest) {
        var request = request
        request.approach = Approach()
        self.write(request, nil) { _ in }
    }

    /// Takes a deleted user out of their conversations, a portion at a time, and tells the others.
    package func erase(_ user: UserID, after end: ConversationKey? = nil, _ completion: @escaping Completion<Void>) {
        var request = EraseUser(user, at: self.now)
        request.end = end
        self.fetch(request) { [unowned self] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let portion):
                for outcome in portion.outcomes { self.tell(outcome, from: nil) }
                guard !portion.isDone else { return completion(.success(())) }
                self.erase(user, after: portion.end, completion)
            }
        }
    }

    package func create(
        _ request: CreationRequest, from guest: Guest? = nil, isByServer: Bool = false,
        _ completion: @escaping Completion<ChangeOutcome>
    ) {
        guard !isByServer else { return self.write(request, guest, completion) }
        let flagged: String?
        do throws(RequestError) {
            flagged = try request.title.flatMap { title throws(RequestError) in try self.filter.judge(name: title) }
        } catch {
            return completion(.failure(error))
        }
        let completion = self.reporting(flagged, completion)
        var request = request
        let brought = request.kind.isByPeople ? request.members : []
        let claim = self.contacts.claim(by: request.creator, begins: true, bringing: brought, at: self.instant)
        request.approach = claim.approach
        self.write(request, guest, self.settling(claim, completion))
    }

    private func write<Request: StoreRequest>(
        _ request: Request, _ guest: Guest?, _ completion: @escaping Completion<ChangeOutcome>
    ) where Request.Answer == Verdict<ChangeOutcome> {
        self.ask(request) { [unowned self] result in
            guard case .success(let outcome) = result, !outcome.isRepeated else { return completion(result) }
            self.tell(outcome, from: guest) { completion(result) }
        }
    }

    private func tell(_ outcome: ChangeOutcome, from guest: Guest?, _ done: @escaping () -> Void = {}) {
        if let guest { self.stopTyping(guest, in: outcome.conversation) }
        let speaker = guest.flatMap { self.subscriptions[$0.session] }
        self.feed.wrote(outcome, except: speaker?.hasEcho == false ? speaker : nil, done)
        self.onEntry(outcome)
    }

    /// How far a device got. The others in the conversation hear of it, unless they are too many.
    package func mark(_ request: MarkRequest, _ completion: @escaping Completion<Marked>) {
        self.ask(request) { [unowned self] result in
            if case .success(let marked) = result, marked.isNews {
                self.tell(marked, request)
                if request.read != nil { self.onRead(request.user, request.conversation, marked) }
            }
            completion(result)
        }
    }

    /// To one of its members alone.
    func tell(_ news: ChatNews, to user: UserID, in id: ConversationID) {
        for listener in self.feed.listeners(to: id) where listener.user == user { listener.hear(news) }
    }

    private static let maximumReceivers = 256

    private func tell(_ marked: Marked, _ request: MarkRequest) {
        let receipt = ChatNews(.chatReceipt) { $0.receipt(marked, request, isOwn: false) }
        let own = ChatNews(.chatReceipt) { $0.receipt(marked, request, isOwn: true) }
        let place = ReceiptPacer.Place(user: request.user, conversation: request.conversation)
        self.receipts.tell(own, marked.memberCount <= Self.maximumReceivers ? receipt : nil, at: place)
    }

    func tell(_ own: ChatNews, to user: UserID, receipt others: ChatNews?, in id: ConversationID) {
        self.receipts.tellHere(own, others, at: .init(user: user, conversation: id))
    }
}

// MARK: - What is only asked of the store

extension ChatService {
    /// Something that may be refused.
    ///
    /// - Parameter isPatient: it waits behind many others of the same user; for what one connection asks once at a time.
    package func ask<Request: StoreRequest, Value: Sendable>(
        _ request: Request, isPatient: Bool = false, _ completion: @escaping Completion<Value>
    ) where Request.Answer == Verdict<Value> {
        self.inTurn(request, isPatient, completion) { [store] completion in
            store.send(request, self.ruling(completion))
        }
    }

    /// Something that everybody may ask.
    package func fetch<Request: StoreRequest>(
        _ request: Request, isPatient: Bool = false, _ completion: @escaping Completion<Request.Answer>
    ) {
        self.inTurn(request, isPatient, completion) { [store] completion in
            store.send(request, self.returning(completion))
        }
    }

    package func search(_ request: SearchRequest, _ completion: @escaping Completion<EntryPage>) {
        self.inTurn(request, false, completion) { [store] completion in
            store.search(request, self.ruling(completion))
        }
    }

    /// Heavy questions of one user that wait for another one, of clients and of what is patient.
    private static let (maximumWaiting, maximumPatient) = (10, 1000)

    private func inTurn<Request: StoreRequest, Value>(
        _ request: Request, _ isPatient: Bool, _ completion: @escaping Completion<Value>,
        _ send: @escaping (@escaping Completion<Value>) -> Void
    ) {
        guard Request.isHeavy, let user = request.asker else { return send(completion) }
        let maximum = isPatient ? Self.maximumPatient : Self.maximumWaiting
        let isTaken = self.turns.enter(user, maximumWaiting: maximum) { [unowned self] in
            send { result in
                completion(result)
                self.turns.leave(user)
            }
        }
        if !isTaken {
            completion(.failure(RequestError(.rateLimited, "too many questions at once", retryAfter: .seconds(1))))
        }
    }

    package func report(_ request: SendReport, _ completion: @escaping Completion<Int64>) {
        do throws(AttemptLimiter<UserID>.Refusal) {
            try self.reports.began(request.reporter, at: self.instant)
        } catch {
            let refusal = RequestError(.rateLimited, "you have reported much lately", retryAfter: error.retryAfter)
            return completion(.failure(refusal))
        }
        self.ask(request, completion)
    }

    package func setBlocked(
        _ isBlocked: Bool, _ other: UserID, by user: UserID, _ completion: @escaping Completion<Void>
    ) {
        self.ask(SetBlocked(isBlocked, other, by: user)) { [unowned self] result in
            if case .success = result {
                self.onBlock(other, user, isBlocked)
                self.feed.publish(.block(other, by: user, isOn: isBlocked))
            }
            completion(result)
        }
    }
}

// MARK: - Listening

extension ChatService {
    /// What the device missed. From there on it hears everything: both pass through the store in one line.
    package func sync(
        _ request: SyncRequest, _ guest: Guest, hasEcho: Bool, _ completion: @escaping Completion<Synced>
    ) {
        self.feed.willAsk(request.user)
        self.fetch(request) { [unowned self] result in
            defer { self.feed.asked(request.user) }
            // A client that has gone in the meantime would be kept for ever.
            if case .success(let synced) = result, !guest.socket.isGone {
                let subscription = self.subscriptions[guest.session] ?? ChatSubscription(guest, hasEcho: hasEcho)
                subscription.hasEcho = hasEcho
                self.subscriptions[guest.session] = subscription
                self.feed.add(subscription, to: synced.heads)
            }
            completion(result)
        }
    }

    /// The same for a listener of another kind, which says itself when it has had enough.
    package func listen(
        _ listener: any ChatListener, _ request: SyncRequest, isAlive: @escaping () -> Bool,
        _ completion: @escaping Completion<Synced>
    ) {
        self.feed.willAsk(request.user)
        self.fetch(request, isPatient: true) { [unowned self] result in
            defer { self.feed.asked(request.user) }
            if case .success(let synced) = result, isAlive() { self.feed.add(listener, to: synced.heads) }
            completion(result)
        }
    }

    /// Something moves in one conversation: the listener is told, and asks for what it may see itself.
    package func wait(_ listener: any ChatListener, in id: ConversationID) { self.feed.wait(listener, in: id) }

    /// The listener is in these conversations, and was told up to there.
    package func listen(_ listener: any ChatListener, from heads: [ConversationHead]) {
        self.feed.takeOver(listener, from: heads)
    }

    package func stopListening(_ listener: any ChatListener) { self.feed.remove(listener) }

    /// The line broke. It may come back and is told what it missed; what it was typing is forgotten.
    package func lost(_ guest: Guest) {
        for place in self.typing.lineLost(guest.session) { self.tellTyping(place, guest.user, isOn: false) }
    }

    /// How far the line was told what is said, and whether it hears itself; nil where it does not listen.
    package func place(of guest: Guest) -> (heads: [ConversationHead], hasEcho: Bool)? {
        self.subscriptions[guest.session].map { (self.feed.heads(of: $0), $0.hasEcho) }
    }

    /// The line was told by another node up to there.
    package func takeOver(_ guest: Guest, from heads: [ConversationHead], hasEcho: Bool) {
        let subscription = ChatSubscription(guest, hasEcho: hasEcho)
        self.subscriptions[guest.session] = subscription
        self.feed.takeOver(subscription, from: heads)
    }

    package func left(_ guest: Guest) {
        self.lost(guest)
        if let subscription = self.subscriptions.removeValue(forKey: guest.session) {
            self.feed.remove(subscription)
        }
    }
}

// MARK: - Who is who

extension ChatService {
    /// Tells streams that a user is known by something else now, and says which lines have to be told.
    func tell(_ profile: Profile, in conversations: [ConversationID]) -> Set<SessionID> {
        let news = ChatNews(.profile) { $0.profile(profile) }
        var (told, lines) = (Set<ObjectIdentifier>(), Set<SessionID>())
        let listeners = conversations.flatMap { Array(self.feed.listeners(to: $0)) }
        for listener in listeners + self.feed.listeners(of: profile.user) {
            if let subscription = listener as? ChatSubscription {
                lines.insert(subscription.guest.session)
            } else if told.insert(ObjectIdentifier(listener)).inserted {
                listener.hear(news)
            }
        }
        return lines
    }
}

extension RequestError {
    init(_ refusal: ConversationRefusal) {
        switch refusal {
        case .unknown: self.init(.notFound, "there is no such conversation")
        case .notMember: self.init(.notMember, "you are not in this conversation, or a user you name is not")
        case .forbidden: self.init(.forbidden, "your role here does not go so far")
        case .blocked: self.init(.blocked, "they do not want to hear from you")
        case .silenced(let until):
            self.init(.silenced, "you may only listen until \(until.milliseconds) ms since 1970")
        case .tooFast(let wait):
            let seconds = max(1, Int((wait / .seconds(1)).rounded(.up)))
            self.init(.slowMode, "members wait between two messages here; wait \(seconds) s", retryAfter: wait)
        case .noFile: self.init(.notFound, "there is no such file, or it is not yours to show")
        case .noMessage: self.init(.notFound, "there is no such message")
        case .tooLong: self.init(.badRequest, "a message is too long")
        case .tooManyBlocked: self.init(.conflict, "you block as many people as one may")
        case .tooManyPins: self.init(.conflict, "no more messages can be pinned here")
        case .tooManyReactions: self.init(.conflict, "no more different reactions fit under this message")
        case .recalled: self.init(.conflict, "the message was taken back")
        case .tooLate: self.init(.tooLate, "it is too late to change this message")
        case .dissolved: self.init(.conflict, "the conversation is dissolved")
        case .full: self.init(.roomFull, "no more fit into this conversation")
        case .taken: self.init(.conflict, "it is so already, or the name is taken")
        case .removed: self.init(.forbidden, "you were sent away; who leads here can bring you back")
        case .unknownUser: self.init(.notFound, "nobody here is known by this id")
        case .tooManyConversations: self.init(.conflict, "you are in as many conversations as one may be")
        case .tooManyReports: self.init(.conflict, "as many of your reports are open as may be")
        case .tooSoon:
            self.init(.rateLimited, "you have begun many conversations just now", retryAfter: .seconds(1))
        }
    }
}
