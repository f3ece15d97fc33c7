internal import Calling
internal import ICEServers
internal import Identity
internal import JSON
internal import Journal
internal import Reactor
internal import Secure
internal import SocketIO
internal import SocketServer
internal import Store
internal import Switchboard
internal import Vocabulary
internal import Web

/// Signs people in on their sockets, hands what they say to the switchboard, and ends their sessions when their token
/// ends or is called back.
final class SignallingApplication: SocketApplication {
    let reactor: Reactor
    private let accounts: Accounts
    let board: Switchboard
    lazy var servers = ICEServerDesk(
        self.iceServers, on: self.reactor, self.journal
    ) { [unowned self] in self.tellEverybodyOfServers() }
    private let iceServers: ICEServerKeeper.Reading
    private let journal: Journal
    let native = NativeDialect()
    let chat: ChatDesk
    /// The same conversations over HTTP.
    let api: APIRoutes.Desk
    private let profiles: ProfileDesk
    private lazy var requests = NativeRequests(self.board, sessions: self, chat: self.chat, profiles: self.profiles)
    private let flDialect = FLDialect()
    private let flRequests: FLRequests
    private let faces: FaceDesk
    private(set) var sessions: [SessionID: SignedInSession] = [:]
    private let housekeeper: Housekeeper
    /// Nil where no other program wants to hear of what is said.
    let webhooks: WebhookSender?

    /// How long before its end a session is told to bring a fresh token, in milliseconds.
    private static let warning: Int64 = 30_000

    init(
        _ reactor: Reactor, _ accounts: Accounts, _ configuration: ServiceConfiguration,
        _ iceServers: ICEServerKeeper.Reading,
        _ store: any CallStore & ConversationStore & OutboxStore & ProfileStore & RetentionStore & UserStore,
        _ files: FileDesk,
        _ journal: Journal
    ) {
        self.reactor = reactor
        self.accounts = accounts
        self.board = Switchboard(configuration.switchboard, on: reactor, clock: SystemClock.now)
        self.chat = ChatDesk(store, on: reactor, clock: SystemClock.now)
        self.profiles = ProfileDesk(store, self.board, self.chat)
        self.faces = FaceDesk(store, on: reactor)
        self.api = APIRoutes.Desk(
            chat: self.chat, profiles: self.profiles, faces: self.faces,
            allowance: APIAllowance(configuration.switchboard.requests)
        ) { [board] in board.now }
        self.iceServers = iceServers
        self.flRequests = FLRequests(
            self.board, FLChat(self.chat, files, store, on: reactor), on: reactor, configuration.switchboard.calls)
        self.journal = journal
        self.housekeeper = Self.makeHousekeeper(
            reactor, accounts, store, files, configuration, journal)
        let hooks = configuration.hooks
        self.webhooks = hooks.webhook.map { WebhookSender($0, hooks, store, on: reactor, journal) }
        self.chat.gate = hooks.preSend.map { PreSendHook($0, hooks, on: reactor, journal) }
        let replies = OrderReplies(configuration.orderReplies, self.chat)
        self.chat.onEntry = { [webhooks] happening in
            webhooks?.wake()
            replies.heard(happening)
        }
        self.board.onCallEnded = { [board, chat] record in
            store.record(StoredCall(record, now: board.now), { Self.recorded($0, journal) })
            chat.note(record.message(in: chat.newID(), at: chat.now))
        }
        self.chat.onBlock = { [board] other, user, isBlocked in board.blocked(other, by: user, isBlocked) }
        self.chat.onStoreFailure = { error in
            journal.error(.chatNotStored, "the store did not do its work", [.error: .error(error)])
        }
    }

    private static func recorded(_ result: Result<Void, StoreError>, _ journal: Journal) {
        guard case .failure(let error) = result else { return }
        journal.error(.callNotRecorded, "a call was not recorded", [.error: .error(error)])
    }

    var view: SignallingView {
        let people = self.board.peopleOnline.map {
            SignallingView.Person(user: $0.user, name: $0.name, connections: $0.lines)
        }
        return SignallingView(
            people: people, rooms: self.board.roomSizes.map { SignallingView.Room(name: $0.room, members: $0.members) })
    }

    var namesOnline: [DisplayName] { self.board.namesOnline }
}

// MARK: - Arriving

extension SignallingApplication {
    func arrived(_ arrival: SocketArrival) {
        if arrival.version == .v3 { return self.arrivedFromFL(arrival) }
        do throws(SwitchboardError) {
            let identity = try self.identity(of: arrival)
            self.faces.find(identity) { [unowned self] face in
                self.findBlocked(by: identity.user) { self.welcome(identity, face, blocking: $0, arrival) }
            }
        } catch {
            arrival.refuse(error.code.rawValue)
        }
    }

    func mayReturn(_ socket: Socket, _ arrival: SocketArrival) -> String? {
        guard let session = self.sessions[socket.id] else { return SwitchboardError.Code.unauthorized.rawValue }
        do throws(SwitchboardError) {
            let identity = try self.identity(of: arrival)
            guard identity.user == session.identity.user else {
                throw SwitchboardError(.forbidden, "the place is kept for somebody else")
            }
            self.renew(session, identity)
            return nil
        } catch {
            return error.code.rawValue
        }
    }

    private func identity(of arrival: SocketArrival) throws(SwitchboardError) -> Identity {
        guard let token = Self.token(in: arrival.auth) else {
            throw SwitchboardError(.unauthorized, "connect with auth {\"token\": …}")
        }
        return try self.identity(of: token)
    }

    private func identity(of token: String) throws(SwitchboardError) -> Identity {
        do throws(IdentityRefusal) {
            return try self.accounts.identity(ofToken: token)
        } catch {
            throw SwitchboardError(error)
        }
    }

    private static func token(in auth: [UInt8]) -> String? {
        let reader = JSONReader(auth.span)
        guard let object = try? reader.document(), let value = reader.member("token", of: object) else { return nil }
        return reader.string(value)
    }

    private static func device(in auth: [UInt8]) -> DeviceID {
        let reader = JSONReader(auth.span)
        guard let object = try? reader.document(), let value = reader.member("device", of: object) else { return .main }
        return reader.string(value).flatMap { DeviceID($0) } ?? .main
    }

    /// Some clients cannot cope with the argument that coming back takes, and say so.
    private static func wantsToReturn(_ auth: [UInt8]) -> Bool {
        let reader = JSONReader(auth.span)
        guard let object = try? reader.document(), let value = reader.member("recover", of: object) else { return true }
        return reader.bool(value) ?? true
    }

    /// Whoever has a good token gets in, also when the store has no time.
    private func findBlocked(by user: UserID, _ completion: @escaping ([UserID]?) -> Void) {
        self.chat.blocked(by: user) { completion(try? $0.get()) }
    }

    private func welcome(_ identity: Identity, _ face: Face, blocking blocked: [UserID]?, _ arrival: SocketArrival) {
        guard let socket = arrival.accept(mayReturn: Self.wantsToReturn(arrival.auth)) else { return }
        let offer = self.servers.offer(to: identity.user, socket.client)
        self.sayWelcome(socket, identity, face.name, offer)
        let device = Self.device(in: arrival.auth)
        let guest = self.board.enter(identity.user, face, blocking: blocked, self.native, socket, device)
        let session = SignedInSession(identity, guest)
        self.sessions[socket.id] = session
        socket.context = session
        self.watchExpiry(of: session)
        self.refreshServers(of: session, before: offer.refresh)
        self.checkAgain(session)
    }

    /// Something may have been called back between the token's check and the session's place in the books.
    private func checkAgain(_ session: SignedInSession) {
        do throws(IdentityRefusal) {
            try self.accounts.check(session.identity)
        } catch {
            self.end(session, SwitchboardError(error))
        }
    }

    private func sayWelcome(_ socket: Socket, _ identity: Identity, _ name: DisplayName, _ offer: ICEServerOffer) {
        socket.emit("welcome", isVolatile: true) { json in
            json.object { json in
                for (field, text) in [
                    ("user", identity.user.text), ("name", name.text), ("member", socket.id.text),
                ] {
                    json.key(field)
                    json.string(text)
                }
                json.key("iceServers")
                offer.write(to: &json)
                json.key("expires")
                json.integer(identity.expiry.milliseconds)
            }
        }
    }
}

// MARK: - FLSocketIM's apps

extension SignallingApplication {
    /// Their long-lived token comes in the query; nobody who lacks one hears more than that.
    private func arrivedFromFL(_ arrival: SocketArrival) {
        guard let token = arrival.client.query?["auth_token"] else { return arrival.refuse("Not authorized") }
        let accounts = self.accounts
        self.reactor.perform(
            { await FLVisitor(token, accounts) },
            completion: { visitor in
                guard let visitor else { return arrival.refuse("Not authorized") }
                self.findBlocked(by: visitor.identity.user) { self.welcome(visitor, blocking: $0, arrival) }
            })
    }

    private func welcome(_ visitor: FLVisitor, blocking blocked: [UserID]?, _ arrival: SocketArrival) {
        guard let socket = arrival.accept() else { return }
        let guest = self.board.enter(
            visitor.identity.user, Face(visitor.name, visitor.identity.avatar), blocking: blocked, self.flDialect,
            socket)
        let session = SignedInSession(visitor.identity, guest)
        self.sessions[socket.id] = session
        socket.context = session
        self.flRequests.entered(guest)
        self.watchExpiry(of: session)
        // Everybody's coming and going is told to everybody there.
        do throws(SwitchboardError) {
            try self.board.watchEverybody(by: guest)
        } catch {
            return self.end(session, error)
        }
        self.checkAgain(session)
    }
}

// MARK: - Talking and leaving

extension SignallingApplication {
    func received(_ event: SocketEvent, _ bytes: Span<UInt8>, from socket: Socket) {
        guard let session = socket.context as? SignedInSession else { return }
        if session.guest.dialect === self.flDialect {
            return self.flRequests.received(event, bytes, from: session.guest)
        }
        self.requests.received(event, bytes, from: session.guest)
    }

    func lost(_ socket: Socket, fellSilent: Bool) {
        guard let session = self.sessions[socket.id] else { return }
        self.chat.lost(session.guest)
        self.board.lost(session.guest, fellSilent: fellSilent)
    }

    func returned(_ socket: Socket) {
        guard let session = self.sessions[socket.id] else { return }
        if session.guest.dialect === self.native {
            let offer = self.servers.offer(to: session.guest.user, socket.client)
            self.sayWelcome(socket, session.identity, session.guest.name, offer)
            self.refreshServers(of: session, before: offer.refresh)
        }
        self.board.returned(session.guest)
    }

    func left(_ socket: Socket, _ end: SocketEnd) {
        guard let session = self.sessions.removeValue(forKey: socket.id) else { return }
        self.cancelTimer(of: session)
        if let timer = session.serverTimer.take() { self.reactor.cancel(timer) }
        self.flRequests.left(session.guest)
        self.chat.left(session.guest)
        self.board.left(session.guest, saidGoodbye: end != .lineLost)
    }
}

// MARK: - Ending sessions

extension SignallingApplication: SessionRequests {
    func refresh(_ guest: Guest, token: String) throws(SwitchboardError) -> WallTime {
        let identity = try self.identity(of: token)
        guard identity.user == guest.user, let session = self.sessions[guest.session] else {
            throw SwitchboardError(.forbidden, "this token is somebody else's")
        }
        self.renew(session, identity)
        return identity.expiry
    }

    func iceServers(for guest: Guest) -> [UInt8] {
        guard let session = self.sessions[guest.session] else {
            return self.servers.offer(to: guest.user, guest.socket.client).answer
        }
        return self.freshServers(for: session).answer
    }

    private func renew(_ session: SignedInSession, _ identity: Identity) {
        session.identity = identity
        self.watchExpiry(of: session)
    }

    /// A token's end is the session's end, to the second; shortly before there is a warning.
    private func watchExpiry(of session: SignedInSession) {
        self.cancelTimer(of: session)
        let left = session.identity.expiry.milliseconds - SystemClock.now().milliseconds
        guard left > Self.warning else { return self.awaitEnd(of: session, in: max(0, left)) }
        session.timer = self.reactor.schedule(after: .milliseconds(left - Self.warning)) { [unowned self] in
            self.warn(session)
            self.awaitEnd(of: session, in: Self.warning)
        }
    }

    private func awaitEnd(of session: SignedInSession, in milliseconds: Int64) {
        session.timer = self.reactor.schedule(after: .milliseconds(milliseconds)) { [unowned self] in
            session.timer = nil
            self.end(session, SwitchboardError(.tokenExpired, "the token has ended"))
        }
    }

    private func warn(_ session: SignedInSession) {
        let error = SwitchboardError(.tokenExpired, "the token ends soon; bring a fresh one with session.refresh")
        self.board.tell(.sessionEnding(error), to: session.guest.session)
    }

    private func cancelTimer(of session: SignedInSession) {
        if let timer = session.timer.take() { self.reactor.cancel(timer) }
    }

    private func end(_ session: SignedInSession, _ error: SwitchboardError) {
        self.journal.info(
            .sessionEnded, "a session was ended",
            [.user: .private(session.identity.user.text), .reason: .plain(error.code.rawValue)])
        self.board.tell(.sessionEnding(error), to: session.guest.session)
        session.guest.socket.disconnect(closingLink: true)
    }

    /// Something was called back: whoever lives by it goes.
    func identityChanged(_ change: IdentityChange) {
        if let user = change.sentAway { self.board.sentAway(user) }
        for session in Array(self.sessions.values) where change.ends(session.identity) {
            self.end(session, change.reason)
        }
        self.api.standing.end(change.reason) { change.ends($0) }
    }

    /// Says goodbye to everybody who is in a call, before the server goes.
    func stop() {
        self.board.stop()
        self.api.standing.end(SwitchboardError(.unavailable, "the server stops")) { _ in true }
    }
}

extension IdentityChange {
    fileprivate func ends(_ identity: Identity) -> Bool {
        switch self {
        case .tokenRevoked(let tokenID): identity.tokenID == tokenID
        case .userRevoked(let user, let moment): identity.user == user && identity.issuedAt <= moment
        case .banned(let user, _): identity.user == user
        case .unbanned: false
        }
    }

    /// Who has to leave with all of their lines.
    fileprivate var sentAway: UserID? {
        switch self {
        case .userRevoked(let user, _), .banned(let user, _): user
        case .tokenRevoked, .unbanned: nil
        }
    }

    fileprivate var reason: SwitchboardError {
        switch self {
        case .tokenRevoked, .userRevoked, .unbanned: SwitchboardError(.kicked, "you were signed out")
        case .banned: SwitchboardError(.banned, "you are banned")
        }
    }
}

extension SwitchboardError {
    init(_ refusal: IdentityRefusal) {
        switch refusal {
        case .banned: self.init(.banned, "you are banned")
        case .revoked: self.init(.kicked, "this token was called back")
        case .tooManyAttempts(let wait): self.init(.rateLimited, "too many attempts", retryAfter: wait)
        case .unavailable: self.init(.unavailable, "try again later")
        case .token(.expired): self.init(.tokenExpired, "the token has ended")
        default: self.init(.unauthorized, "the token is not valid here")
        }
    }
}

extension LogName {
    static let sessionEnded = LogName("session.ended")
    static let chatNotStored = LogName("chat.not_stored")
    static let callNotRecorded = LogName("call.not_recorded")
}
