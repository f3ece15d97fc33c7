internal import Conversing
internal import Keeping
internal import Reactor
internal import Switchboard
internal import Vocabulary

/// Hears what is said in one room of the chat, on whichever node, from where the tree last got it. How far that was is
/// marked in the room as the device of the one who leads it, so that the node that has the tree next goes on from there.
final class TreeRoomFollower: ChatListener {
    let user = TreeBridge.server
    private static let device = DeviceID("tree") ?? { preconditionFailure("no device id") }()
    /// What came since the last mark is looked at twice when another node takes the tree over.
    private static let markInterval = Duration.seconds(1)
    private static let retryInterval = Duration.seconds(1)

    private let room: ConversationID
    private let desk: TreeDesk
    private let dependencies: DoorDependencies
    private let heard: (ChangeOutcome) -> Void
    private var last: UInt64 = 0
    private var isMarking = false
    private var isOver = false

    init(
        _ room: ConversationID, _ desk: TreeDesk, _ dependencies: DoorDependencies,
        heard: @escaping (ChangeOutcome) -> Void
    ) {
        self.room = room
        self.desk = desk
        self.dependencies = dependencies
        self.heard = heard
    }

    func begin() {
        self.ask(ViewMarks(in: self.room, of: self.user)) { follower, marks in
            let mark = (try? marks.get())?.devices.first { $0.device == Self.device }
            if let mark { return follower.listen(from: mark.cursor.delivered) }
            // The first time, and where the room is not there yet: what was said before the tree listened is not brought into it.
            follower.ask(LatestNumbers(of: [follower.room])) { follower, heads in
                follower.listen(from: heads.first?.number ?? 0)
                follower.markSoon()
            }
        }
    }

    func end() {
        self.isOver = true
        self.dependencies.chat.stopListening(self)
    }

    func hear(_ news: ChatNews) {
        guard let outcome = news.outcome else { return }
        self.heard(outcome)
        self.last = max(self.last, outcome.entry.number)
        self.markSoon()
    }

    private func listen(from number: UInt64) {
        self.last = number
        self.dependencies.chat.listen(self, from: [ConversationHead(self.room, number)])
    }

    /// When what came is on the disk of the tree.
    private func markSoon() {
        guard !self.isMarking else { return }
        self.isMarking = true
        self.dependencies.reactor.schedule(after: Self.markInterval) { [weak self] in
            guard let self, !self.isOver else { return }
            self.desk.inTurn { [weak self] in self?.mark() }
        }
    }

    private func mark() {
        self.isMarking = false
        guard !self.isOver, self.desk.isOpen else { return }
        self.ask(MarkRequest(self.room, of: self.user, on: Self.device, delivered: self.last, at: self.desk.now)) {
            _, _ in
        }
    }

    /// Nothing that is asked is given up: the store has time again by and by.
    private func ask<Request: StoreRequest>(
        _ request: Request, _ answered: @escaping (TreeRoomFollower, Request.Answer) -> Void
    ) {
        self.dependencies.store.send(
            request,
            self.dependencies.reactor.returning { [weak self] result in
                guard let self, !self.isOver else { return }
                if case .success(let answer) = result { return answered(self, answer) }
                self.dependencies.reactor.schedule(after: Self.retryInterval) { [weak self] in
                    self?.ask(request, answered)
                }
            })
    }
}
