internal import Client
internal import Conversing
internal import JSON
internal import Operations
internal import Pathways
internal import Vocabulary

/// Users talk in conversations of a size: every message is looked for at each of its receivers.
final class ChatLoad: LoadActivity {
    private struct Message {
        let since: Instant
        /// Who has not got it.
        var missing: Set<Int>
        var isKept = false
        var attempts = 0
    }

    /// A message whose answer was lost with the connection is said again, under the same name.
    private static let maximumAttempts = 5

    private unowned let run: LoadRun
    private let plan: LoadPlan
    private var pace: LoadPace
    private var sent: [Int: Message] = [:]
    private var next = 0
    private var again: [(number: Int, speaker: LoadUser, recipient: Recipient)] = []
    private var isOver = false
    /// Each conversation's users; of groups the name as well, once it is there.
    private var circles: [(users: [LoadUser], group: ConversationID?)] = []
    private var positions: [Int: [ConversationID: UInt64]] = [:]
    private let filler: String

    init(_ run: LoadRun) {
        self.run = run
        self.plan = run.plan
        self.pace = LoadPace(perSecond: run.plan.messages)
        self.filler = String(repeating: "x", count: max(0, run.plan.messageBytes - 12))
    }

    func begin(at now: Instant) {
        let users = self.run.present
        let size = max(2, self.plan.groupSize)
        for start in stride(from: 0, through: users.count - size, by: size) {
            let circle = Array(users[start..<(start + size)])
            if size == 2 { self.circles.append((circle, nil)) } else { self.found(circle) }
        }
        for user in users { self.sync(user) }
    }

    private func found(_ circle: [LoadUser]) {
        let others = circle.dropFirst().compactMap(\.id)
        // Names of many do not fit into one request: the first ones found the group, the others are invited.
        let (first, more) = (others.prefix(RequestLimits.maximumNames), others.dropFirst(RequestLimits.maximumNames))
        circle[0].request(.chat(.create), [Field.users(Array(first))]) { result in
            switch result.flatMap({ json in Result { () throws(ClientError) in try ChatOutcome(json) } }) {
            case .failure(let error): self.run.complain("group: \(error)")
            case .success(let outcome): self.invite(Array(more), to: outcome.conversation, circle)
            }
        }
    }

    private func invite(_ more: [UserID], to group: ConversationID, _ circle: [LoadUser]) {
        guard !more.isEmpty else { return self.circles.append((circle, group)) }
        let next = Array(more.prefix(RequestLimits.maximumNames))
        circle[0].request(.chat(.invite), [Field.conversation(group), Field.users(next)]) { result in
            if case .failure(let error) = result { return self.run.complain("group: \(error)") }
            self.invite(Array(more.dropFirst(next.count)), to: group, circle)
        }
    }

    /// From then on messages come; what was missed comes with the answer.
    private func sync(_ user: LoadUser) {
        let positions = self.positions[user.index] ?? [:]
        user.request(.chat(.sync), [Field.positions(positions), Field.newest.optional(nil)]) { result in
            switch result {
            case .failure(let error): self.run.complain("sync: \(error)")
            case .success(let answer):
                for piece in answer.list("conversations") ?? [] {
                    for entry in piece.list("entries") ?? [] { ChatEntry(entry).map { self.heard($0, by: user) } }
                }
            }
        }
    }

    func ticked(at now: Instant) {
        let due = self.pace.due(at: now)
        let again = self.again
        self.again.removeAll()
        for (number, speaker, recipient) in again { self.send(number, from: speaker, to: recipient) }
        guard !self.circles.isEmpty, !self.isOver else { return }
        for _ in 0..<due { self.say() }
    }

    private func say() {
        let number = self.next
        self.next += 1
        let circle = self.circles[number % self.circles.count]
        let users = circle.users
        // Each says something in turn.
        let speaker = users[number / self.circles.count % users.count]
        guard let other = users.first(where: { $0 !== speaker })?.id else { return }
        self.sent[number] = Message(
            since: SteadyClock.now, missing: Set(users.lazy.filter { $0 !== speaker }.map(\.index)))
        self.run.count(.messages)
        self.send(number, from: speaker, to: circle.group.map { .conversation($0) } ?? .user(other))
    }

    private func send(_ number: Int, from speaker: LoadUser, to recipient: Recipient) {
        guard let id = self.run.messageID(number) else { return }
        self.sent[number]?.attempts += 1
        let body = JSONWriter.object { $0.field("text", "\(number) \(self.filler)") }
        let message = [
            Field.recipient(recipient), Field.messageKind(.text), Field.client(id),
            Field.body(MessageBody(proven: body)),
        ]
        speaker.request(.chat(.send), message) { result in
            switch result {
            case .success: self.kept(number)
            case .failure(.connectionLost), .failure(.ended(.stopped)): self.failed(number, speaker, recipient)
            case .failure(let error):
                self.run.complain("message: \(error)")
                self.run.count(.unanswered)
                self.sent[number] = nil
            }
        }
    }

    /// Its session is gone; the speaker's next one says it again.
    private func failed(_ number: Int, _ speaker: LoadUser, _ recipient: Recipient) {
        guard let message = self.sent[number] else { return }
        if message.attempts < Self.maximumAttempts { return self.again.append((number, speaker, recipient)) }
        self.run.complain("message: its connection broke \(message.attempts) times")
        self.run.count(.unanswered)
        self.sent[number] = nil
    }

    private func kept(_ number: Int) {
        guard let since = self.sent[number]?.since else { return }
        self.run.took(.ack, since: since)
        self.sent[number]?.isKept = true
        self.forget(number)
    }

    func heard(_ event: ParleyEvent, by user: LoadUser) {
        switch event {
        case .entry(let entry): self.heard(entry, by: user)
        case .connected: if !self.circles.isEmpty { self.sync(user) }
        default: break
        }
    }

    private func heard(_ entry: ChatEntry, by user: LoadUser) {
        let last = self.positions[user.index]?[entry.conversation] ?? 0
        self.positions[user.index, default: [:]][entry.conversation] = max(last, entry.number)
        guard entry.type == "message", entry.from != user.id,
            let number = entry.body?.text("text")?.split(separator: " ").first.flatMap({ Int($0) })
        else { return }
        guard let since = self.sent[number]?.since, self.sent[number]?.missing.remove(user.index) != nil else {
            return self.run.count(.duplicates)
        }
        self.run.took(.delivery, since: since)
        self.run.count(.deliveries)
        self.forget(number)
    }

    /// What is kept and with everybody needs no more looking after.
    private func forget(_ number: Int) {
        guard let message = self.sent[number], message.isKept, message.missing.isEmpty else { return }
        self.sent[number] = nil
    }

    func stop() { self.isOver = true }

    var isSettled: Bool { self.sent.isEmpty }

    func end() {
        for message in self.sent.values {
            if message.isKept { self.run.count(.lost, message.missing.count) } else { self.run.count(.unanswered) }
        }
        self.sent.removeAll()
    }
}
