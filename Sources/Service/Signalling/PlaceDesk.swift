internal import BinaryCoding
internal import Bytes
internal import Calling
internal import Identity
internal import Operations
internal import Reactor
internal import SocketServer
internal import Switchboard
internal import Vocabulary

/// A client that comes back on another node than the one that keeps its place has it brought after it: the node asks, the other one lets the
/// line move and hands over what the client may have missed.
///
///     client ──key──▶ B ──ask──▶ A ──moved──▶ (the order of all changes) ──▶ A ──place──▶ B ──▶ client
final class PlaceDesk {
    private struct Waiting {
        let answer: (HandedPlace?) -> Void
        let timer: TimerToken
    }

    private let board: Switchboard
    private let chat: ChatService
    private let sessions: SignedInSessions
    private let native: NativeEntrance
    private let reactor: Reactor
    private var waiting: [SessionID: Waiting] = [:]

    /// Whoever does not answer by then may be gone: the client starts afresh.
    private static let timeout = Duration.seconds(1)

    init(
        _ board: Switchboard, _ chat: ChatService, _ sessions: SignedInSessions, _ native: NativeEntrance,
        on reactor: Reactor
    ) {
        self.board = board
        self.chat = chat
        self.sessions = sessions
        self.native = native
        self.reactor = reactor
        board.onPlaceAsked = { [unowned self] key, node in self.asked(for: key, by: node) }
        board.onPlace = { [unowned self] session, place in self.received(session, place) }
    }
}

// MARK: - The node that a client comes to

extension PlaceDesk {
    /// False when no other node has it, or it is on its way already.
    func fetch(_ key: ResumeKey, _ answer: @escaping (HandedPlace?) -> Void) -> Bool {
        let session = key.session
        guard let node = self.board.node(of: session), self.waiting[session] == nil else { return false }
        let timer = self.reactor.schedule(after: Self.timeout) { [unowned self] in self.finish(session, nil) }
        self.waiting[session] = Waiting(answer: answer, timer: timer)
        self.board.ask(node, for: key)
        return true
    }

    private func received(_ session: SessionID, _ place: [UInt8]?) {
        let handed = place.flatMap { try? HandedPlace(decoding: $0.span) }
        self.finish(session, handed?.id == session ? handed : nil)
    }

    private func finish(_ session: SessionID, _ place: HandedPlace?) {
        // Too late: another session has begun, and nobody will come for this one.
        guard let waiting = self.waiting.removeValue(forKey: session) else { return self.board.giveUp(session) }
        self.reactor.cancel(waiting.timer)
        if place == nil { self.board.giveUp(session) }
        waiting.answer(place)
    }

    /// Why the client may not come in; nil lets it in.
    func takeOver(_ socket: Socket, _ place: HandedPlace, _ arrival: SocketArrival) -> String? {
        do throws(RequestError) {
            let identity = try self.native.identity(returning: arrival)
            guard let context = try? PlaceContext(decoding: place.context.span), context.user == identity.user else {
                throw RequestError(.forbidden, "the place is another user's")
            }
            let guest = self.board.takeOver(
                Line(context.user, socket.id), context.name, blocking: context.blocked, self.native.dialect, socket,
                context.device)
            let session = SignedInSession(identity, guest, by: self.native, among: self.sessions)
            socket.context = session
            self.sessions.add(session)
            try self.board.watchAgain(context.watched, everybody: context.watchesEverybody, by: guest)
            if let heads = context.heads { self.chat.takeOver(guest, from: heads, hasEcho: context.hasEcho) }
            return nil
        } catch {
            self.board.giveUp(socket.id)
            return error.code.rawValue
        }
    }
}

// MARK: - The node that keeps the place

extension PlaceDesk {
    private func asked(for key: ResumeKey, by node: RandomToken) {
        let id = key.session
        guard let session = self.sessions[id], session.guest.socket.isKept(for: key), session.entrance === self.native
        else { return self.board.give(id, nil, to: node) }
        self.board.move(session.guest, to: node) { [unowned self] isMoving in
            self.board.give(id, isMoving ? self.handOver(session) : nil, to: node)
        }
    }

    private func handOver(_ session: SignedInSession) -> [UInt8]? {
        let guest = session.guest
        let place = self.chat.place(of: guest)
        let context = PlaceContext(
            user: guest.user, name: guest.name, device: guest.device, blocked: self.board.blocked(by: guest.user),
            watched: self.board.watched(by: guest), watchesEverybody: self.board.watchesEverybody(guest),
            heads: place?.heads, hasEcho: place?.hasEcho ?? false)
        defer {
            _ = self.sessions.remove(guest.session)
            session.entrance.left(session)
            self.chat.left(guest)
        }
        return guest.socket.handOver(context: context.encoded)?.encoded
    }
}
