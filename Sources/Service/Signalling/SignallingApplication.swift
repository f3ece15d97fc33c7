internal import Calling
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
    private let reactor: Reactor
    private let accounts: Accounts
    private let board: Switchboard
    private let servers: ICEServerDesk
    private let journal: Journal
    private let native = NativeDialect()
    private lazy var requests = NativeRequests(self.board, sessions: self)
    private let flDialect = FLDialect()
    private let flRequests: FLRequests
    private var sessions: [SessionID: SignedInSession] = [:]

    /// How long before its end a session is told to bring a fresh token.
    private static let warning = Duration.seconds(30)

    init(
        _ reactor: Reactor, _ accounts: Accounts, _ configuration: ServiceConfiguration, _ store: any CallStore,
        _ journal: Journal
    ) {
        self.reactor = reactor
        self.accounts = accounts
        self.board = Switchboard(configuration.switchboard, on: reactor, clock: SystemClock.now)
        self.servers = ICEServerDesk(stunPort: configuration.stunPort)
        self.flRequests = FLRequests(self.board, on: reactor, ringTime: configuration.ringTime)
        self.journal = journal
        self.board.onCallEnded = { [board] record in
            store.record(StoredCall(record, now: board.now), { Self.recorded($0, journal) })
        }
    }

    private static func recorded(_ result: Result<Void, StoreError>, _ journal: Journal) {
        guard case .failure(let error) = result else { return }
        journal.error(.callNotRecorded, "a call was not recorded", [.error: .error(error)])
    }

    var namesOnline: [DisplayName] { self.board.namesOnline }
}

// MARK: - Arriving

extension SignallingApplication {
    func arrived(_ arrival: SocketArrival) {
        if arrival.version == .v3 { return self.arrivedFromFL(arrival) }
        do throws(SwitchboardError) {
            self.welcome(try self.identity(of: arrival), arrival)
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

    /// Some clients cannot cope with the argument that coming back takes, and say so.
    private static func wantsToReturn(_ auth: [UInt8]) -> Bool {
        let reader = JSONReader(auth.span)
        guard let object = try? reader.document(), let value = reader.member("recover", of: object) else { return true }
        return reader.bool(value) ?? true
    }

    private func welcome(_ identity: Identity, _ arrival: SocketArrival) {
        guard let socket = arrival.accept(mayReturn: Self.wantsToReturn(arrival.auth)) else { return }
        let name = identity.displayName ?? DisplayName(identity.user.text) ?? .nobody
        self.sayWelcome(socket, identity, name)
        let guest = self.board.enter(identity.user, name, self.native, socket)
        let session = SignedInSession(identity, guest)
        self.sessions[socket.id] = session
        socket.context = session
        self.watchExpiry(of: session)
    }

    private func sayWelcome(_ socket: Socket, _ identity: Identity, _ name: DisplayName) {
        let servers = self.servers.list(for: identity.user, socket.client)
        socket.emit("welcome") { json in
            json.object { json in
                for (field, text) in [
                    ("user", identity.user.text), ("name", name.text), ("member", socket.id.text),
                ] {
                    json.key(field)
                    json.string(text)
                }
                json.key("iceServers")
                json.raw(servers)
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
                self.welcome(visitor, arrival)
            })
    }

    private func welcome(_ visitor: FLVisitor, _ arrival: SocketArrival) {
        guard let socket = arrival.accept() else { return }
        let guest = self.board.enter(visitor.identity.user, visitor.name, self.flDialect, socket)
        let session = SignedInSession(visitor.identity, guest)
        self.sessions[socket.id] = session
        socket.context = session
        self.flRequests.entered(guest)
        self.watchExpiry(of: session)
        // Everybody's coming and going is told to everybody there.
        do throws(SwitchboardError) {
            _ = try self.board.watchEverybody(by: guest)
        } catch {
            self.end(session, error)
        }
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

    func lost(_ socket: Socket) {
        if let session = self.sessions[socket.id] { self.board.lost(session.guest) }
    }

    func returned(_ socket: Socket) {
        if let session = self.sessions[socket.id] { self.board.returned(session.guest) }
    }

    func left(_ socket: Socket, _ end: SocketEnd) {
        guard let session = self.sessions.removeValue(forKey: socket.id) else { return }
        self.cancelTimers(of: session)
        self.flRequests.left(session.guest)
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
        self.servers.answer(for: guest.user, guest.socket.client)
    }

    private func renew(_ session: SignedInSession, _ identity: Identity) {
        session.identity = identity
        self.watchExpiry(of: session)
    }

    /// A token's end is the session's end, to the second.
    private func watchExpiry(of session: SignedInSession) {
        self.cancelTimers(of: session)
        let left = Duration.milliseconds(max(0, session.identity.expiry.milliseconds - SystemClock.now().milliseconds))
        let ending = self.reactor.schedule(after: left) { [weak self, weak session] in
            if let session { self?.end(session, SwitchboardError(.tokenExpired, "the token has ended")) }
        }
        session.timers = [ending]
        guard left > Self.warning else { return }
        let warning = self.reactor.schedule(after: left - Self.warning) { [weak self, weak session] in
            if let session { self?.warn(session) }
        }
        session.timers.append(warning)
    }

    private func warn(_ session: SignedInSession) {
        let error = SwitchboardError(.tokenExpired, "the token ends soon; bring a fresh one with session.refresh")
        self.board.tell(.sessionEnding(error), to: session.guest.session)
    }

    private func cancelTimers(of session: SignedInSession) {
        for timer in session.timers { self.reactor.cancel(timer) }
        session.timers = []
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
        for session in Array(self.sessions.values) where change.ends(session.identity) {
            self.end(session, change.reason)
        }
    }

    /// Says goodbye to everybody who is in a call, before the server goes.
    func stop() { self.board.stop() }
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
    static let callNotRecorded = LogName("call.not_recorded")
}
