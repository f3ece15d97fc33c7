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
        self.desk.ask(ViewMarks(in: self.room, of: self.user)) { [weak self] _, marks in
            // A refusal says that the room is not there yet.
            let mark = (try? marks.get())?.devices.first { $0.device == Self.device }
            if let mark { self?.listen(from: mark.cursor.delivered) } else { self?.beginAtTheEnd() }
        }
    }

    /// The first time what was said before is not brought into the tree.
    private func beginAtTheEnd() {
        self.desk.ask(LatestNumbers(of: [self.room])) { [weak self] _, heads in
            self?.listen(from: heads.first?.number ?? 0)
            self?.markSoon()
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
        guard !self.isOver else { return }
        self.last = number
        self.dependencies.chat.listen(self, from: [ConversationHead(self.room, number)])
    }

    /// When what has come until then is on the disk of the tree.
    private func markSoon() {
        guard !self.isMarking else { return }
        self.isMarking = true
        self.dependencies.reactor.schedule(after: Self.markInterval) { [weak self] in
            guard let self, !self.isOver else { return }
            self.isMarking = false
            let last = self.last
            self.desk.inTurn { [weak self] in self?.mark(last) }
        }
    }

    private func mark(_ number: UInt64) {
        guard !self.isOver, self.desk.isOpen else { return }
        let mark = MarkRequest(self.room, of: self.user, on: Self.device, delivered: number, at: self.desk.now)
        self.desk.ask(mark) { _, _ in }
    }
}
