internal import Conversing
internal import ICEServers
internal import Identity
internal import Journal
internal import Operations
internal import Reactor
internal import SocketServer
internal import Keeping
internal import Switchboard
internal import Vocabulary

/// Lets people in through the entrance that claims them, hands what they say back to it, and tells the switchboard who
/// comes and goes.
final class SignallingApplication: SocketApplication {
    private let board: Switchboard
    private let chat: ChatService
    private let sessions: SignedInSessions
    let native: NativeEntrance
    /// The doors' first, then our own.
    private let entrances: [any Entrance]
    /// The same conversations over HTTP.
    let api: APIRoutes.Desk
    let doorDependencies: DoorDependencies
    private let housekeeper: Housekeeper
    private let eraser: AccountEraser
    private let profiles: ProfileService
    private let disk: DiskReserve
    /// Nil where no other program wants to hear of what is said.
    let webhooks: WebhookSender?

    struct Dependencies: Sendable {
        let configuration: ServiceConfiguration
        let accounts: Accounts
        let store: any Store
        let files: FileService
        let iceServers: ICEServerKeeper.Reading
        let doors: [any Door]
        let journal: Journal
    }

    init(_ dependencies: Dependencies, on reactor: Reactor) {
        let (configuration, accounts, store) = (dependencies.configuration, dependencies.accounts, dependencies.store)
        let journal = dependencies.journal
        let board = Switchboard(configuration.switchboard, on: reactor, clock: SystemClock.now)
        var settings = ConversationSettings()
        settings.keptFields = DoorList.keptFields
        settings.maximumDailyBytes = configuration.messageBytesPerDay
        let chat = ChatService(store, on: reactor, settings: settings, clock: SystemClock.now)
        let profiles = ProfileService(board, chat)
        let faces = ProfileCache(store, on: reactor)
        let allowance = APIAllowance(configuration.switchboard.requests)
        self.board = board
        self.chat = chat
        self.disk = DiskReserve(dependencies.files.folder)
        self.api = APIRoutes.Desk(
            chat: chat, profiles: profiles, faces: faces, links: dependencies.files.links, allowance: allowance
        ) { board.now }
        self.sessions = SignedInSessions(on: reactor, accounts: accounts, board: board, journal: journal)
        self.native = NativeEntrance(
            .init(
                reactor: reactor, accounts: accounts, board: board, chat: chat, profiles: profiles, faces: faces,
                sessions: self.sessions, iceServers: dependencies.iceServers, journal: journal))
        let hall = DoorDependencies(
            reactor: reactor, accounts: accounts, board: board, chat: chat, files: dependencies.files, store: store,
            allowance: allowance, calls: configuration.switchboard.calls)
        self.doorDependencies = hall
        self.entrances = dependencies.doors.compactMap { $0.makeEntrance(hall) } + [self.native]
        let eraser = AccountEraser(store, chat, on: reactor)
        self.eraser = eraser
        self.profiles = profiles
        self.housekeeper = Housekeeper(dependencies, on: reactor) { eraser.resume() }
        let hooks = configuration.hooks
        self.webhooks = hooks.webhook.map { WebhookSender($0, hooks, store, on: reactor, journal) }
        self.chat.gate = hooks.preSend.map { PreSendHook($0, hooks, on: reactor, journal) }
        self.observe(store, listeners: dependencies.doors.compactMap { $0.makeEntryListener(hall) }, journal: journal)
    }

    /// What happens in one part and others have to know.
    private func observe(_ store: any Store, listeners: [(ChangeOutcome) -> Void], journal: Journal) {
        self.chat.onEntry = { [webhooks] outcome in
            webhooks?.wake()
            for listener in listeners { listener(outcome) }
        }
        let disk = self.disk
        self.chat.hasRoom = { [board] in disk.hasRoom(at: board.now) }
        self.chat.onBlock = { [board] other, user, isBlocked in board.blocked(other, by: user, isBlocked) }
        self.chat.onStoreFailure = { error in
            journal.error(.chatNotStored, "database error in chat", [.error: .error(error)])
        }
        self.board.onCallEnded = { [board, chat] record in
            store.send(RecordCall(StoredCall(record, now: board.now))) { result in
                guard case .failure(let error) = result else { return }
                journal.error(.callNotRecorded, "database error: a call was not recorded", [.error: .error(error)])
            }
            chat.note(record.message(in: chat.newID(), at: chat.now))
        }
    }

    var view: SignallingView {
        let people = self.board.peopleOnline.map {
            SignallingView.Person(user: $0.user, name: $0.name, connections: $0.lines)
        }
        return SignallingView(
            people: people, rooms: self.board.roomSizes.map { SignallingView.Room(name: $0.room, members: $0.members) })
    }

    /// Something was revoked: clients that live by it go.
    func identityChanged(_ change: IdentityChange) {
        if let user = change.sentAway { self.board.sentAway(user) }
        self.sessions.identityChanged(change)
        self.api.standing.end(change.reason) { change.ends($0) }
    }

    /// An account was deleted, and its sessions have ended.
    func deleted(_ changed: ChangedProfile) {
        if changed.isNews { self.profiles.tell(changed) }
        self.eraser.erase(changed.profile.user)
    }

    /// Says goodbye to all who are in a call, before the server goes.
    func stop() {
        self.board.stop()
        self.api.standing.end(RequestError(.unavailable, "the server stops")) { _ in true }
    }
}

// MARK: - Arriving

extension SignallingApplication {
    func arrived(_ arrival: SocketArrival) {
        let entrance = self.entrances.first { $0.claims(arrival) } ?? self.native
        entrance.identify(arrival) { [unowned self] result in
            switch result {
            case .failure(let refusal): arrival.refuse(refusal.text)
            case .success(let visitor):
                // A client with a good token gets in, also when the store has no time.
                self.chat.fetch(ListBlocked(by: visitor.identity.user)) { blocked in
                    self.admit(visitor, arrival, blocking: try? blocked.get(), by: entrance)
                }
            }
        }
    }

    private func admit(
        _ visitor: Visitor, _ arrival: SocketArrival, blocking blocked: [UserID]?, by entrance: any Entrance
    ) {
        guard let socket = arrival.accept(mayReturn: visitor.mayReturn) else { return }
        entrance.welcome(socket, visitor)
        let guest = self.board.enter(
            visitor.identity.user, visitor.face, blocking: blocked, entrance.dialect, socket, visitor.device)
        let session = SignedInSession(visitor.identity, guest, by: entrance)
        socket.context = session
        self.sessions.add(session)
        do throws(RequestError) {
            try entrance.entered(session)
        } catch {
            return self.sessions.end(session, error)
        }
        self.sessions.checkAgain(session)
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
        session.entrance.received(event, bytes, from: session)
    }

    func lost(_ socket: Socket, fellSilent: Bool) {
        guard let session = self.sessions[socket.id] else { return }
        self.chat.lost(session.guest)
        self.board.lost(session.guest, fellSilent: fellSilent)
    }

    func returned(_ socket: Socket) {
        guard let session = self.sessions[socket.id] else { return }
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

extension LogName {
    static let chatNotStored = LogName("chat.not_stored")
    static let callNotRecorded = LogName("call.not_recorded")
}
