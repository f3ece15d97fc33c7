internal import Calling
internal import Identity
internal import Journal
internal import Operations
internal import Reactor
internal import SocketServer
internal import Switchboard
internal import Vocabulary

/// A socket whose client is signed in: who it is, and where it came in.
final class SignedInSession {
    fileprivate(set) var identity: Identity
    let guest: Guest
    let entrance: any Entrance
    private unowned let sessions: SignedInSessions
    /// Rings before the token ends, and when it does.
    fileprivate var timer: TimerToken?

    init(_ identity: Identity, _ guest: Guest, by entrance: any Entrance, among sessions: SignedInSessions) {
        self.identity = identity
        self.guest = guest
        self.entrance = entrance
        self.sessions = sessions
    }

    fileprivate func expiresSoon() { self.sessions.warn(self) }
    fileprivate func expired() { self.sessions.expired(self) }
}

/// All who are signed in on a socket, and the ends of their sessions: a token expires, to the second, or is revoked.
final class SignedInSessions {
    private let reactor: Reactor
    private let accounts: Accounts
    private let board: Switchboard
    private let journal: Journal
    private var sessions: [SessionID: SignedInSession] = [:]

    /// How long before its end a session is told to bring a fresh token, in milliseconds.
    private static let warning: Int64 = 30_000

    init(on reactor: Reactor, accounts: Accounts, board: Switchboard, journal: Journal) {
        self.reactor = reactor
        self.accounts = accounts
        self.board = board
        self.journal = journal
    }

    var all: [SignedInSession] { Array(self.sessions.values) }
    var isEmpty: Bool { self.sessions.isEmpty }

    /// What waits until clients read it.
    var queuedBytes: Int { self.sessions.values.reduce(0) { $0 + $1.guest.socket.queuedBytes } }

    subscript(id: SessionID) -> SignedInSession? { self.sessions[id] }

    func add(_ session: SignedInSession) {
        self.sessions[session.guest.session] = session
        self.watchExpiry(of: session)
    }

    func remove(_ id: SessionID) -> SignedInSession? {
        guard let session = self.sessions.removeValue(forKey: id) else { return nil }
        self.cancelTimer(of: session)
        return session
    }

    /// A later line takes the place of all that were there before it.
    func replaced(by line: Line) {
        let others = self.sessions.values.filter { session in
            session.identity.user == line.user && session.guest.session != line.session && session.guest.isKnown
        }
        for session in others { self.end(session, RequestError(.kicked, "you signed in elsewhere")) }
    }

    /// Something may have been revoked between the token's check and the session's place among the others.
    func checkAgain(_ session: SignedInSession) {
        do throws(RequestError) {
            try self.accounts.stillKnows(session.identity)
        } catch {
            self.end(session, error)
        }
    }

    /// The session lasts as long as this identity does.
    func renew(_ id: SessionID, _ identity: Identity) throws(RequestError) {
        guard let session = self.sessions[id], identity.user == session.identity.user else {
            throw RequestError(.forbidden, "the token is another user's")
        }
        guard !identity.isForOneUse || identity.tokenID == session.identity.tokenID else {
            throw RequestError(.forbidden, "this token opens one connection only")
        }
        session.identity = identity
        self.watchExpiry(of: session)
    }

    /// Clients that live by what was revoked go.
    func identityChanged(_ change: IdentityChange) {
        for session in Array(self.sessions.values) where change.ends(session.identity) {
            self.end(session, change.reason)
        }
    }

    func end(_ session: SignedInSession, _ error: RequestError) {
        self.journal.info(
            .sessionEnded, "a session was ended",
            [.user: .private(session.identity.user.text), .reason: .plain(error.code.rawValue)])
        self.board.tell(.sessionEnding(error), to: session.guest.session)
        session.guest.socket.disconnect(closingLink: true)
    }
}

// MARK: - Expiry

extension SignedInSessions {
    /// Shortly before the end there is a warning.
    private func watchExpiry(of session: SignedInSession) {
        self.cancelTimer(of: session)
        let left = session.identity.expiry.milliseconds - SystemClock.now().milliseconds
        guard left > Self.warning else { return self.awaitEnd(of: session, in: max(0, left)) }
        // A closure that captures one object and nothing else needs no memory of its own.
        session.timer = self.reactor.schedule(after: .milliseconds(left - Self.warning)) { session.expiresSoon() }
    }

    private func awaitEnd(of session: SignedInSession, in milliseconds: Int64) {
        session.timer = self.reactor.schedule(after: .milliseconds(milliseconds)) { session.expired() }
    }

    fileprivate func warn(_ session: SignedInSession) {
        let error = RequestError(.tokenExpired, "the token expires soon; send a fresh one with session.refresh")
        self.board.tell(.sessionEnding(error), to: session.guest.session)
        self.awaitEnd(of: session, in: Self.warning)
    }

    fileprivate func expired(_ session: SignedInSession) {
        session.timer = nil
        self.end(session, RequestError(.tokenExpired, "the token has expired"))
    }

    private func cancelTimer(of session: SignedInSession) {
        if let timer = session.timer.take() { self.reactor.cancel(timer) }
    }
}

extension IdentityChange {
    func ends(_ identity: Identity) -> Bool {
        switch self {
        case .tokenRevoked(let tokenID): identity.tokenID == tokenID
        case .familyEnded(let family): identity.family == family
        case .userRevoked(let user, let moment): identity.user == user && identity.issuedAt <= moment
        case .banned(let user, _), .deleted(let user): identity.user == user
        case .unbanned: false
        }
    }

    /// Who has to leave with all of their connections.
    var sentAway: UserID? {
        switch self {
        case .userRevoked(let user, _), .banned(let user, _), .deleted(let user): user
        case .tokenRevoked, .familyEnded, .unbanned: nil
        }
    }

    var reason: RequestError {
        switch self {
        case .tokenRevoked, .familyEnded, .userRevoked, .unbanned: RequestError(.kicked, "you were signed out")
        case .banned: RequestError(.banned, "you are banned")
        case .deleted: RequestError(.kicked, "this account was deleted")
        }
    }
}

extension LogName {
    static let sessionEnded = LogName("session.ended")
}
