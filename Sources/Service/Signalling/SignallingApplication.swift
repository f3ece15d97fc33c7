internal import HTTPServer
internal import Calling
internal import Conversing
internal import ICEServers
internal import Identity
internal import Journal
internal import Operations
internal import Reactor
internal import Secure
internal import SocketServer
internal import Keeping
internal import Switchboard
internal import Vocabulary

/// Lets people in through the entrance that claims them, hands what they say back to it, and tells the switchboard who
/// comes and goes.
final class SignallingApplication: SocketApplication {
    let board: Switchboard
    private let chat: ChatService
    private let sessions: SignedInSessions
    let native: NativeEntrance
    /// The doors' first, then our own.
    private let entrances: [any Entrance]
    /// The same conversations over HTTP.
    let api: APIRoutes.Desk
    let doorDependencies: DoorDependencies
    private let doors: [any Door]
    /// Whether what only one loop of this process does is done here.
    private let isHome: Bool
    private let housekeeper: Housekeeper?
    private let eraser: AccountEraser
    private let profiles: ProfileService
    private let disk: DiskReserve
    private let secondSignIn: SecondSignIn
    private let metrics: ServiceMetrics
    let nodes: Nodes
    /// Nil where there is one node.
    private var places: PlaceDesk?
    private let reactor: Reactor
    /// What doors want to hear of, on the home loop.
    private let listeners: [(ChangeOutcome) -> Void]
    /// Calls that went on when the last run ended.
    private var underWay: [CallUnderWay] = []
    /// Nil where no other program wants to hear of what is said.
    let webhooks: WebhookSender?
    private let events: HookEvents?
    /// Nil where no device is woken.
    let push: PushRoutes.Desk?

    struct Dependencies: Sendable {
        let group: EventLoopGroup
        let configuration: ServiceConfiguration
        let accounts: Accounts
        let store: any Store
        /// By which this data directory is known among those that share a database; nil where it is the only one.
        let node: String?
        let others: OtherNodes
        /// In which two talked when the last run ended.
        let calls: [CallUnderWay]
        let files: FileService
        let iceServers: ICEServerKeeper.Reading
        let doors: [any Door]
        let words: WordKeeper
        /// By which push services know this server.
        let pushKey: VAPIDKey?
        let metrics: ServiceMetrics
        let journal: Journal
    }

    /// - Parameter tellHome: called on the other loops with each entry that is written there.
    init(
        _ dependencies: Dependencies, on reactor: Reactor, tellHome: @escaping @Sendable (ChangeOutcome) -> Void
    ) {
        let (configuration, accounts, store) = (dependencies.configuration, dependencies.accounts, dependencies.store)
        let journal = dependencies.journal
        let board = Switchboard(configuration.switchboard, on: reactor, clock: SystemClock.now)
        let chat = ChatService(
            store, on: reactor, settings: configuration.conversationSettings, clock: SystemClock.now)
        let profiles = ProfileService(board, chat)
        self.nodes = Nodes(
            dependencies.others, board, chat, profiles, accounts, dependencies.words, on: reactor, journal)
        let visitors = VisitorLookup(store, on: reactor)
        let allowance = APIAllowance(configuration.switchboard.requests)
        (self.board, self.chat, self.reactor) = (board, chat, reactor)
        self.disk = DiskReserve(dependencies.files.folder)
        (self.secondSignIn, self.metrics) = (configuration.secondSignIn, dependencies.metrics)
        self.api = APIRoutes.Desk(
            chat: chat, profiles: profiles, visitors: visitors, links: dependencies.files.links, allowance: allowance
        ) { board.now }
        self.sessions = SignedInSessions(on: reactor, accounts: accounts, board: board, journal: journal)
        self.native = NativeEntrance(
            .init(
                reactor: reactor, accounts: accounts, board: board, chat: chat, profiles: profiles, visitors: visitors,
                sessions: self.sessions, iceServers: dependencies.iceServers, journal: journal))
        let push = Self.makePush(dependencies, board, self.nodes.errands, on: reactor)
        self.push = push
        let hall = DoorDependencies(
            reactor: reactor, accounts: accounts, board: board, chat: chat, profiles: profiles,
            files: dependencies.files, store: store, allowance: allowance, calls: configuration.switchboard.calls,
            words: dependencies.words, push: push?.sender, errands: self.nodes.errands,
            passToDuty: { [nodes] in nodes.passToDuty($0) }, journal: journal)
        (self.doorDependencies, self.doors) = (hall, dependencies.doors)
        self.entrances = dependencies.doors.compactMap { $0.makeEntrance(hall) } + [self.native]
        let eraser = AccountEraser(store, chat, on: reactor)
        (self.eraser, self.profiles) = (eraser, profiles)
        self.isHome = reactor.loop.index == 0
        self.housekeeper = self.isHome ? Housekeeper(dependencies, on: reactor) { eraser.resume() } : nil
        (self.webhooks, self.events) = Self.makeHooks(dependencies, self.nodes.errands, on: reactor)
        self.listeners = self.isHome ? dependencies.doors.compactMap { $0.makeEntryListener(hall) } : []
        self.addGates(dependencies)
        self.addErrands()
        self.observe(dependencies, tellHome: tellHome)
        self.underWay = self.isHome ? dependencies.calls : []
        self.share(areThereOthers: dependencies.others.areThere)
    }

    /// What the switchboard asks when other nodes have their part in it.
    private func share(areThereOthers: Bool) {
        if self.secondSignIn == .replace { self.board.onOpened = { [sessions] in sessions.replaced(by: $0) } }
        self.board.onEntered = { [unowned self] in
            if self.board.hasOtherNodes { self.events?.entered() }
            self.resumeCalls()
        }
        self.board.onSnapshot = { [events] in events?.otherEnters() }
        self.board.onForeignBlock = { [chat] user, other, answer in
            // Where the store has no time, nobody is kept from calling.
            chat.fetch(ListBlocked(by: other)) { answer((try? $0.get())?.contains(user) ?? false) }
        }
        guard areThereOthers else { return self.resumeCalls() }
        self.places = PlaceDesk(self.board, self.chat, self.sessions, self.native, on: self.reactor)
    }

    /// Two who talked when the last run ended, unless other nodes know them.
    private func resumeCalls() {
        let hours = CallHours(now: self.board.sharedNow)
        self.board.resume(self.underWay.map { hours.running($0) })
        self.underWay = []
    }

    /// Who has a say in what people say.
    private func addGates(_ dependencies: Dependencies) {
        let (hooks, hall) = (dependencies.configuration.hooks, self.doorDependencies)
        self.chat.filter = dependencies.words.filter
        let hook = hooks.preSend.map { url in
            PreSendHook(url, hooks, dependencies.store, on: hall.reactor, dependencies.journal)
        }
        self.chat.gate = ChatGates(dependencies.doors.compactMap { $0.makeGate(hall) }, then: hook)
    }

    private func addErrands() {
        let errands = self.nodes.errands
        if let webhooks { errands.add(begin: { webhooks.begin() }, call: { webhooks.wake() }) }
        if let events { errands.add(begin: { events.begin() }) }
        if let service = self.push?.service { errands.add(begin: { service.begin() }, call: { service.wake() }) }
    }

    /// Who tells another program, and who writes down what it is told beside entries; nil where there is nothing to tell.
    private static func makeHooks(
        _ dependencies: Dependencies, _ errands: Errands, on reactor: Reactor
    ) -> (WebhookSender?, HookEvents?) {
        let (hooks, store, journal) = (dependencies.configuration.hooks, dependencies.store, dependencies.journal)
        guard let url = hooks.webhook else { return (nil, nil) }
        let sender = WebhookSender(url, hooks, store, errands, on: reactor, dependencies.metrics, journal)
        guard reactor.loop.index == 0, !hooks.topics.isEmpty else { return (sender, nil) }
        return (sender, HookEvents(hooks.topics, store, errands, on: reactor, journal))
    }

    private static func makePush(
        _ dependencies: Dependencies, _ board: Switchboard, _ errands: Errands, on reactor: Reactor
    ) -> PushRoutes.Desk? {
        guard let key = dependencies.pushKey else { return nil }
        let (configuration, store) = (dependencies.configuration, dependencies.store)
        let sinks = PushSinks(
            configuration.push, key, reaching: AddressPolicy(allowed: configuration.outgoingNetworks),
            on: dependencies.group, home: reactor, dependencies.journal)
        let sender = PushSender(sinks, store, on: reactor, dependencies.metrics.push)
        let service = PushService(
            sender, configuration.push, store, board, errands, on: reactor, dependencies.journal)
        let calls = CallPushes(
            sender, configuration.push, ringTime: configuration.switchboard.calls.ringTime, store, on: reactor)
        board.onCallPush = { [weak board] invitation, name in
            calls.ring(invitation, callerName: name) { board?.pushed(invitation.id, $0) }
        }
        board.onCallPushWithdrawn = { calls.withdraw($0) }
        return PushRoutes.Desk(
            service: service, sender: sender, store: store, publicKey: key.publicText, kinds: sinks.kinds)
    }

    /// What the last run did not.
    func deliverWhatIsLeft() {
        self.nodes.start()
        guard self.isHome else { return }
        for door in self.doors { door.begin(self.doorDependencies) }
    }

    /// An entry that was written on another loop.
    func heard(_ outcome: ChangeOutcome) { for listener in self.listeners { listener(outcome) } }

    /// What happens in one part and others have to know.
    ///
    /// - Parameter tellHome: brings an entry to the doors, which are on the home loop.
    private func observe(_ dependencies: Dependencies, tellHome: @escaping (ChangeOutcome) -> Void) {
        let (metrics, journal) = (dependencies.metrics, dependencies.journal)
        self.chat.onEntry = { [webhooks, push, isHome, listeners] outcome in
            if outcome.entry.sort == .message, !outcome.isRepeated { metrics.messages.increment() }
            // Where another node does it, it hears of the entry anyway.
            webhooks?.wake()
            if outcome.entry.sort == .message { push?.service.wake() }
            if isHome { for listener in listeners { listener(outcome) } } else { tellHome(outcome) }
        }
        if let push {
            self.nodes.onRead = { user, id, number, badge in
                push.service.read(id, by: user, through: number, badge: badge)
            }
            self.chat.onRead = { [nodes] user, id, marked in
                nodes.read(id, by: user, through: marked.read, badge: marked.badge)
            }
        }
        let disk = self.disk
        self.chat.hasRoom = { [board] in disk.hasRoom(at: board.now) }
        self.chat.onBlock = { [board] other, user, isBlocked in board.blocked(other, by: user, isBlocked) }
        self.chat.onStoreFailure = { error in
            journal.error(.chatNotStored, "database error in chat", [.error: .error(error)])
        }
        self.observeCalls(dependencies)
    }

    private func observeCalls(_ dependencies: Dependencies) {
        let (store, node, chat) = (dependencies.store, dependencies.node, self.chat)
        let (metrics, journal) = (dependencies.metrics, dependencies.journal)
        self.board.onEvent = { [board, events] event, place, origin in
            events?.happened(event, at: place, isKnownHereAlone: origin == .alone)
            guard origin.isOurs else { return }
            switch event {
            case .callStarted: metrics.callsStarted.increment()
            case .callAnswered(let call):
                metrics.callsAnswered.increment()
                var kept = CallHours(now: board.sharedNow).stored(call)
                kept.node = node
                store.send(KeepCall(kept)) { Self.recorded($0, journal) }
            case .callEnded(let record):
                metrics.callsEnded[record.outcome].increment()
                store.send(RecordCall(CallHours(now: board.sharedNow).stored(record))) { Self.recorded($0, journal) }
                chat.note(record.message(in: chat.newID(), at: chat.now))
            case .cameOnline, .wentOffline, .room: break
            }
        }
    }

    private static func recorded(_ result: Result<Void, StoreError>, _ journal: Journal) {
        guard case .failure(let error) = result else { return }
        journal.error(.callNotRecorded, "database error: a call was not recorded", [.error: .error(error)])
    }

    var view: SignallingView {
        let people = self.board.peopleOnline.map {
            SignallingView.Person(user: $0.user, name: $0.name, connections: $0.lines)
        }
        return SignallingView(
            people: people,
            rooms: self.board.roomSizes.map {
                SignallingView.Room(name: $0.room, members: $0.members, access: $0.rule.word)
            }, nodes: self.nodes.view)
    }

    /// What is asked of those who come into a room from now on. Nil when it is done, or why it is not.
    func protect(_ room: RoomName, _ key: RoomKey, _ answer: @escaping (RequestError?) -> Void) {
        self.board.protect(room, key) { result in
            switch result {
            case .success(true): answer(nil)
            case .success(false): answer(RequestError(.notFound, "no room of this name is open"))
            case .failure(let error): answer(error)
            }
        }
    }

    /// Nil when it is done, or why it is not.
    func remove(
        _ user: UserID, from room: RoomName, isBanned: Bool, _ answer: @escaping (RequestError?) -> Void
    ) {
        self.board.remove(user, from: room, isBanned: isBanned, by: nil) { result in
            if case .failure(let error) = result { answer(error) } else { answer(nil) }
        }
    }

    /// What waits on this loop until clients read it.
    var queuedBytes: Int { self.sessions.queuedBytes }
    /// Who waits on this loop to be let in.
    var newcomers: Int { self.reactor.newcomersWaiting }

    /// - Parameters:
    ///   - queuedBytes: on all loops.
    ///   - newcomers: on all loops.
    func levels(queuedBytes: Int, newcomers: Int) -> ServiceMetrics.Levels {
        let sizes = self.board.roomSizes
        return ServiceMetrics.Levels(
            usersOnline: self.board.onlineCount, calls: self.board.callCount, rooms: sizes.count,
            roomMembers: sizes.reduce(0) { $0 + $1.members }, queuedBytes: queuedBytes,
            newcomers: newcomers)
    }

    /// Something was revoked: clients that live by it go.
    func identityChanged(_ change: IdentityChange) {
        self.api.standing.end(change.reason) { change.ends($0) }
        guard let user = change.sentAway else { return self.sessions.identityChanged(change) }
        // Clients hear that their seats ended, and then why.
        var hasEnded = false
        func end() {
            if !hasEnded { self.sessions.identityChanged(change) }
            hasEnded = true
        }
        let timeout = self.reactor.schedule(after: Self.seatsTimeout) { end() }
        self.board.sentAway(user) { [reactor] _ in
            reactor.cancel(timeout)
            end()
        }
        self.nodes.catchUp()
    }

    /// For the other nodes to carry out the end of the seats; then the sessions end anyway.
    private static let seatsTimeout = Duration.milliseconds(500)

    /// An account was deleted, and its sessions have ended.
    func deleted(_ changed: ChangedProfile) {
        if changed.isNews { self.profiles.tell(changed) }
        self.eraser.erase(changed.profile.user)
    }

    /// Sends clients to the other nodes, where there are any.
    func depart(within time: Duration, _ done: @escaping () -> Void) {
        guard self.board.hasOtherNodes else { return done() }
        _ = Departure(of: self.sessions, self.board, within: time, on: self.reactor, done)
    }

    /// Says goodbye to all who ring or are rung, before the server goes.
    func stop(_ done: @escaping () -> Void) {
        self.board.stop()
        self.events?.finish()
        defer { self.nodes.close(done) }
        self.api.standing.end(RequestError(.unavailable, "the server stops")) { _ in true }
    }
}

// MARK: - Arriving

extension SignallingApplication {
    func arrived(_ arrival: SocketArrival) {
        self.nodes.catchUp()
        let start = ContinuousClock.now
        let entrance = self.entrances.first { $0.claims(arrival) } ?? self.native
        entrance.identify(arrival) { [unowned self] result in
            switch result {
            case .failure(let refusal): arrival.refuse(refusal.text)
            case .success(let visitor): self.admit(visitor, arrival, by: entrance, since: start)
            }
        }
    }

    private func admit(
        _ visitor: Visitor, _ arrival: SocketArrival, by entrance: any Entrance, since start: ContinuousClock.Instant
    ) {
        let identity = visitor.identity
        guard self.secondSignIn != .refuse || !self.board.hasLine(of: identity.user) else {
            return arrival.refuse(RequestError.Code.conflict.rawValue)
        }
        guard identity.isForOneUse else {
            return self.letIn(visitor, arrival, by: entrance, since: start)
        }
        let (reactor, accounts) = (self.doorDependencies.reactor, self.doorDependencies.accounts)
        reactor.perform(
            { () async -> Bool in
                do throws(IdentityRefusal) {
                    try await accounts.use(identity)
                    return true
                } catch {
                    return false
                }
            },
            completion: { isFirst in
                guard isFirst else { return arrival.refuse(RequestError.Code.unauthorized.rawValue) }
                self.letIn(visitor, arrival, by: entrance, since: start)
            })
    }

    /// The client hears nothing before its sign-in has its place in the order of all nodes: once it is welcomed it can be called from any.
    private func letIn(
        _ visitor: Visitor, _ arrival: SocketArrival, by entrance: any Entrance, since start: ContinuousClock.Instant
    ) {
        guard let socket = arrival.accept(mayReturn: visitor.mayReturn, isCorked: true) else { return }
        entrance.welcome(socket, visitor)
        let guest = self.board.enter(
            visitor.identity.user, visitor.face, blocking: visitor.blocked, entrance.dialect, socket, visitor.device,
            onOrdered: { socket.uncork() })
        let session = SignedInSession(visitor.identity, guest, by: entrance, among: self.sessions)
        socket.context = session
        self.sessions.add(session)
        self.nodes.catchUp()
        do throws(RequestError) {
            try entrance.entered(session)
        } catch {
            return self.sessions.end(session, error)
        }
        self.metrics.joins.observe(start.duration(to: .now))
        if visitor.hasLostItsPlace { self.metrics.resumes[.missed].increment() }
        self.sessions.checkAgain(session)
    }

    func forward(_ exchange: HTTPExchange, of session: SessionID) -> Bool {
        self.nodes.forwarder?.forward(exchange, of: session) ?? false
    }

    func forwardOldClient(_ exchange: HTTPExchange) -> Bool { self.nodes.passToDuty(exchange) }

    func fetchPlace(_ key: ResumeKey, _ answer: @escaping (HandedPlace?) -> Void) -> Bool {
        self.places?.fetch(key, answer) ?? false
    }

    func tookOver(_ socket: Socket, _ place: HandedPlace, _ arrival: SocketArrival) -> String? {
        self.places?.takeOver(socket, place, arrival)
    }

    func mayReturn(_ socket: Socket, _ arrival: SocketArrival) -> String? {
        guard let session = self.sessions[socket.id] else { return RequestError.Code.unauthorized.rawValue }
        do throws(RequestError) {
            try self.sessions.renew(socket.id, try session.entrance.identity(returning: arrival))
            return nil
        } catch {
            return error.code.rawValue
        }
    }
}

// MARK: - Talking and leaving

extension SignallingApplication {
    func received(_ event: SocketEvent, _ bytes: Span<UInt8>, from socket: Socket) {
        guard let session = socket.context as? SignedInSession else { return }
        self.nodes.catchUp()
        session.entrance.received(event, bytes, from: session)
        self.nodes.catchUp()
    }

    func lost(_ socket: Socket, fellSilent: Bool) {
        guard let session = self.sessions[socket.id] else { return }
        self.metrics.linesLost[fellSilent ? .silent : .broken].increment()
        self.chat.lost(session.guest)
        self.board.lost(session.guest, fellSilent: fellSilent)
    }

    func returned(_ socket: Socket) {
        guard let session = self.sessions[socket.id] else { return }
        self.metrics.resumes[.resumed].increment()
        session.entrance.returned(session)
        self.board.returned(session.guest)
    }

    func left(_ socket: Socket, _ end: SocketEnd) {
        guard let session = self.sessions.remove(socket.id) else { return }
        session.entrance.left(session)
        self.chat.left(session.guest)
        self.board.left(session.guest, saidGoodbye: end != .lineLost)
    }
}

extension ServiceConfiguration {
    fileprivate var conversationSettings: ConversationSettings {
        var settings = ConversationSettings()
        settings.keptFields = DoorList.keptFields
        settings.maximumDailyBytes = self.messageBytesPerDay
        return settings
    }
}

extension LogName {
    static let chatNotStored = LogName("chat.not_stored")
    static let callNotRecorded = LogName("call.not_recorded")
}
