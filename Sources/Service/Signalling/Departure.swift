internal import Reactor
internal import SocketServer
internal import Switchboard
internal import Vocabulary

/// This node goes, and others stay: its clients are sent to them, some at a time, and their places follow. It ends when all have gone, or when
/// the time is up.
final class Departure {
    private let sessions: SignedInSessions
    private let board: Switchboard
    private let reactor: Reactor
    private let deadline: UInt64
    private let done: () -> Void

    /// The part of the time in which lines are cut; the rest is for those who come back.
    private static let spread = 2
    private static let poll = Duration.milliseconds(20)

    /// Lives until `done` is called.
    init(
        of sessions: SignedInSessions, _ board: Switchboard, within time: Duration, on reactor: Reactor,
        _ done: @escaping () -> Void
    ) {
        self.sessions = sessions
        self.board = board
        self.reactor = reactor
        self.deadline = reactor.now &+ time.wholeMilliseconds
        self.done = done
        let all = sessions.all
        for (place, session) in all.enumerated() {
            self.send(away: session, after: time * place / (all.count * Self.spread))
        }
        self.awaitEmpty()
    }

    private func send(away session: SignedInSession, after wait: Duration) {
        self.board.tell(.sessionMoving(after: wait), to: session.guest.session)
        self.reactor.schedule(after: wait) { session.guest.socket.breakLink() }
    }

    private func awaitEmpty() {
        guard !self.sessions.isEmpty, self.reactor.now < self.deadline else { return self.done() }
        self.reactor.schedule(after: Self.poll) { self.awaitEmpty() }
    }
}
