internal import ICEServers
internal import Identity
internal import JSON
internal import Journal
internal import Operations
internal import Reactor
internal import SocketServer
internal import Switchboard
internal import Vocabulary

/// Where our own clients come in: those that no door claims. They have STUN and TURN servers that work for as long as they are
/// connected: credentials are replaced before they end, and a new list is told to all.
final class NativeEntrance: Entrance {
    let dialect: any Dialect = NativeDialect()
    private let reactor: Reactor
    private let accounts: Accounts
    private let board: Switchboard
    private let visitors: VisitorLookup
    private let sessions: SignedInSessions
    private lazy var requests = NativeRequests(
        self.board, sessions: self, chat: self.chat, profiles: self.profiles)
    private let chat: ChatService
    private let profiles: ProfileService
    private let iceServers: ICEServerKeeper.Reading
    private let journal: Journal
    private lazy var servers = ICEServerProvider(self.iceServers, on: self.reactor, journal: self.journal) {
        [unowned self] in self.tellEverybodyOfServers()
    }
    /// They ring before the credentials of a client's TURN servers end.
    private var timers: [SessionID: TimerToken] = [:]
    /// For which of their seats clients have credentials.
    private var seats: [SessionID: [SignalScope: RelaySeat]] = [:]

    struct Dependencies {
        let reactor: Reactor
        let accounts: Accounts
        let board: Switchboard
        let chat: ChatService
        let profiles: ProfileService
        let visitors: VisitorLookup
        let sessions: SignedInSessions
        let iceServers: ICEServerKeeper.Reading
        let journal: Journal
    }

    init(_ dependencies: Dependencies) {
        self.reactor = dependencies.reactor
        self.accounts = dependencies.accounts
        self.board = dependencies.board
        self.chat = dependencies.chat
        self.profiles = dependencies.profiles
        self.visitors = dependencies.visitors
        self.sessions = dependencies.sessions
        self.iceServers = dependencies.iceServers
        self.journal = dependencies.journal
        self.board.onUnseated = { [unowned self] in self.unseated($0, $1) }
    }

    func claims(_ arrival: SocketArrival) -> Bool { true }

    func identify(
        _ arrival: SocketArrival, _ completion: @escaping (Result<Visitor, ArrivalRefusal>) -> Void
    ) {
        let auth = ConnectAuth(parsing: arrival.auth)
        do throws(RequestError) {
            let identity = try self.identity(auth)
            let former = auth.former.flatMap { self.board.knows($0, of: identity.user) ? $0 : nil }
            self.visitors.find(identity) { found in
                var visitor = Visitor(identity: identity, face: found.face, device: auth.device)
                visitor.mayReturn = auth.mayReturn
                visitor.hasLostItsPlace = auth.wasHere
                visitor.former = former
                visitor.blocked = found.blocked
                completion(.success(visitor))
            }
        } catch {
            completion(.failure(ArrivalRefusal(text: error.code.rawValue)))
        }
    }

    func identity(returning arrival: SocketArrival) throws(RequestError) -> Identity {
        try self.identity(ConnectAuth(parsing: arrival.auth))
    }

    private func identity(_ auth: ConnectAuth) throws(RequestError) -> Identity {
        guard let token = auth.token else { throw RequestError(.unauthorized, "connect with auth {\"token\": …}") }
        return try self.accounts.identity(of: token)
    }

    func received(_ event: SocketEvent, _ bytes: Span<UInt8>, from session: SignedInSession) {
        self.requests.received(event, bytes, from: session.guest)
    }

    func left(_ session: SignedInSession) {
        for scope in (self.seats[session.guest.session] ?? [:]).keys { self.unseated(session.guest.session, scope) }
        self.awaitRefresh(of: session.guest.session, at: nil)
    }
}

// MARK: - Welcome

extension NativeEntrance {
    func welcome(_ socket: Socket, _ visitor: Visitor) {
        self.welcome(socket, visitor.identity, name: visitor.face.name, insteadOf: visitor.former)
    }

    func returned(_ session: SignedInSession) {
        self.welcome(session.guest.socket, session.identity, name: session.guest.name)
    }

    private func welcome(
        _ socket: Socket, _ identity: Identity, name: DisplayName, insteadOf former: SessionID? = nil
    ) {
        let offer = self.offer(to: identity.user, socket)
        socket.emit("welcome", isVolatile: true) { json in
            json.fields(("user", identity.user.text), ("name", name.text), ("member", socket.id.text)) { json in
                json.optional("instead", former?.text)
                json.field("iceServers", offer.write)
                json.field("expires", identity.expiry.milliseconds)
            }
        }
    }
}

// MARK: - STUN and TURN servers

extension NativeEntrance {
    /// From now on clients are told of the servers that this one is itself.
    func offer(_ builtIn: BuiltInICEServers) { self.servers.builtIn = builtIn }

    /// What this client is told now; the next telling is arranged.
    private func offer(to user: UserID, _ socket: Socket) -> ICEServerOffer {
        let offer = self.servers.offer(to: user, socket.client)
        self.awaitRefresh(of: socket.id, at: offer.refresh)
        return offer
    }

    private func awaitRefresh(of session: SessionID, at deadline: WallTime?) {
        if let timer = self.timers.removeValue(forKey: session) { self.reactor.cancel(timer) }
        guard let deadline else { return }
        let left = max(1000, deadline.milliseconds - SystemClock.now().milliseconds)
        self.timers[session] = self.reactor.schedule(after: .milliseconds(left)) { [unowned self] in
            self.timers[session] = nil
            if let guest = self.sessions[session]?.guest { self.tellOfServers(guest) }
        }
    }

    private func tellEverybodyOfServers() {
        for session in self.sessions.all where session.entrance === self { self.tellOfServers(session.guest) }
    }

    private func tellOfServers(_ guest: Guest) {
        self.board.tell(.iceServers(self.iceServers(for: guest, in: nil)), to: guest.session)
    }

    /// Whoever left a room or a call has no relay for it any more.
    private func unseated(_ session: SessionID, _ scope: SignalScope) {
        guard let seat = self.seats[session]?.removeValue(forKey: scope) else { return }
        if self.seats[session]?.isEmpty == true { self.seats[session] = nil }
        self.servers.builtIn?.turn?.ended(seat)
    }
}

extension NativeEntrance: SessionRequests {
    func refresh(_ guest: Guest, token: String) throws(RequestError) -> WallTime {
        let identity = try self.accounts.identity(of: token)
        try self.sessions.renew(guest.session, identity)
        return identity.expiry
    }

    func iceServers(for guest: Guest, in scope: SignalScope?) -> [UInt8] {
        guard let scope else { return self.offer(to: guest.user, guest.socket).answer() }
        let seat = self.seats[guest.session]?[scope] ?? RelaySeat(.fresh())
        self.seats[guest.session, default: [:]][scope] = seat
        let offer = self.servers.offer(to: guest.user, in: seat, guest.socket.client)
        return offer.answer(self.servers.builtIn?.turn?.quota)
    }
}
