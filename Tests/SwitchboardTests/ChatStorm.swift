import Conversing
import Keeping
import MemoryStore
import Operations
import TestSupport
import Testing
import Vocabulary

@testable import Switchboard

/// People who write to each other, answer twice, think better of it, come and go, on devices that drop and come back;
/// and a simple model beside the desk and its store.
struct ChatStorm {
    private typealias Question = StormStage.Question
    private typealias Answer = StormStage.Answer

    private static let people = (0..<8).compactMap { UserID("user\($0)") }

    let seed: UInt64
    private let path: String
    private var stage: StormStage
    private var random: SeededRandom
    private var model = ChatModel()
    private var devices: [ChatDevice] = []
    private var said: [ChangeRequest] = []
    private var clients = 0
    /// Which devices heard of what, until it is answered.
    private var hearers: [Line: Set<Int>] = [:]
    private(set) var refusals: Set<RequestError.Code> = []
    private(set) var repeats = 0
    private(set) var heard = 0

    private struct Line: Hashable {
        let conversation: ConversationID
        let number: UInt64

        init(_ outcome: ChangeOutcome) {
            self.conversation = outcome.conversation
            self.number = outcome.entry.number
        }
    }

    init(seed: UInt64, path: String) throws {
        self.seed = seed
        self.path = path
        self.random = SeededRandom(seed: seed)
        self.stage = try StormStage(path: path)
        for user in Self.people {
            for name in ["phone", "page"] { self.devices.append(ChatDevice(user, try #require(DeviceID(name)))) }
        }
    }

    mutating func run(operations: Int) async throws {
        var done = 0
        while done < operations {
            // All at once, as they come from many people: the store writes what waits with one commit.
            var pending: Set<Int> = []
            let questions = (0..<Int.random(in: 1...64, using: &self.random)).map { _ in self.question(&pending) }
            try await self.play(questions)
            done += questions.count
            if Int.random(in: 0..<40, using: &self.random) == 0 { try await self.check() }
            if Int.random(in: 0..<100, using: &self.random) == 0 { try await self.restart() }
        }
        try await self.check()
    }

    func end() async { await self.stage.close() }

    private mutating func play(_ questions: [Question]) async throws {
        for record in await self.stage.play(questions) {
            switch record {
            case .heard(let device, let outcome): try self.heard(outcome, on: device)
            case .answered(let index, let answer): try self.take(answer, to: questions[index])
            }
        }
        guard self.hearers.isEmpty else { throw ChatDamage("something was told that nobody asked for") }
    }

    /// What desk and store remember is gone; what is written has to say the same.
    private mutating func restart() async throws {
        await self.stage.close()
        for index in self.devices.indices { self.devices[index].drop() }
        self.stage = try StormStage(path: self.path)
    }
}

// MARK: - Asking

extension ChatStorm {
    static let now = WallTime(seconds: 1_700_000_000)

    private mutating func question(_ pending: inout Set<Int>) -> Question {
        switch Int.random(in: 0..<100, using: &self.random) {
        case ..<42: return .change(self.posting())
        case ..<50: return .change(self.said.randomElement(using: &self.random) ?? self.posting())
        case ..<64: return .change(self.secondThought())
        case ..<74: return .mark(self.marking())
        case ..<76: return .create(self.creation())
        case ..<84: return .change(self.movement())
        case ..<85: return .block(self.person(), self.person(), Bool.random(using: &self.random))
        default: return self.deviceMove(&pending)
        }
    }

    private mutating func deviceMove(_ pending: inout Set<Int>) -> Question {
        let index = Int.random(in: self.devices.indices, using: &self.random)
        let device = self.devices[index]
        guard device.isConnected else {
            guard pending.insert(index).inserted else { return .change(self.posting()) }
            return .sync(
                device: index, SyncRequest(device.user, on: device.id, from: device.positions, limit: 300))
        }
        if let id = device.missing.keys.min(by: { $0.text < $1.text }) { return self.fetch(id, on: index) }
        return Int.random(in: 0..<8, using: &self.random) == 0 ? .drop(device: index) : .mark(self.marking())
    }

    private func fetch(_ id: ConversationID, on index: Int) -> Question {
        let device = self.devices[index]
        return .fetch(
            device: index, HistoryRequest(id, for: device.user, .after(device.positions[id] ?? 0), limit: 50))
    }

    private mutating func person() -> UserID {
        Self.people[Int.random(in: Self.people.indices, using: &self.random)]
    }

    /// Mostly one of a few, in which there is much going on.
    private mutating func place() -> ConversationID? {
        let places = self.model.talks.keys.sorted { $0.text < $1.text }
        let isBusy = Int.random(in: 0..<4, using: &self.random) > 0
        return places.prefix(isBusy ? 12 : .max).randomElement(using: &self.random)
    }

    private mutating func request(
        _ address: ConversationAddress, _ change: ConversationChange, by actor: UserID? = nil
    ) -> ChangeRequest {
        self.clients += 1
        let client = MessageID("c\(self.clients)")
        let request = ChangeRequest(address, change, by: actor ?? self.person(), as: client, at: Self.now)
        self.said.append(request)
        return request
    }

    private mutating func posting() -> ChangeRequest {
        var draft = Draft(.text, self.words())
        let isDirect = Int.random(in: 0..<3, using: &self.random) == 0
        guard !isDirect, let id = self.place() else {
            let new = ConversationID(RandomToken(using: &self.random))
            return self.request(.user(self.person(), new: new), .post(draft))
        }
        if Int.random(in: 0..<8, using: &self.random) == 0 { draft.reply = self.number(in: id) }
        return self.request(.id(id), .post(draft))
    }

    private mutating func words() -> MessageBody {
        MessageBody(proven: Array("{\"text\":\"\(Int.random(in: 0..<1000, using: &self.random))\"}".utf8))
    }

    private mutating func number(in id: ConversationID) -> UInt64 {
        let count = UInt64(self.model.talks[id]?.lines.count ?? 0)
        // Mostly a late one, sometimes one that is not there.
        return UInt64.random(in: max(count, 12) - 11...count + 1, using: &self.random)
    }

    private mutating func secondThought() -> ChangeRequest {
        guard let id = self.place() else { return self.posting() }
        let number = self.number(in: id)
        let sender = self.model.talks[id]?.lines.dropFirst(Int(number) - 1).first?.sender
        let change: ConversationChange
        switch Int.random(in: 0..<3, using: &self.random) {
        case 0: change = .edit(number, self.words())
        case 1: change = .recall(number)
        default:
            let isOn = Int.random(in: 0..<4, using: &self.random) > 0
            change = Reaction("👍").map { .react(number, $0, isOn: isOn) } ?? .leave
        }
        return self.request(.id(id), change, by: self.mostly(sender))
    }

    /// Mostly the one who may.
    private mutating func mostly(_ user: UserID?) -> UserID? {
        Int.random(in: 0..<4, using: &self.random) > 0 ? user : nil
    }

    private mutating func marking() -> MarkRequest {
        let device = self.devices[Int.random(in: self.devices.indices, using: &self.random)]
        let id = self.place() ?? ConversationID(RandomToken(using: &self.random))
        let number = self.number(in: id)
        let isRead = Bool.random(using: &self.random)
        return MarkRequest(
            id, of: device.user, on: device.id, delivered: number, read: isRead ? number : nil, at: Self.now)
    }

    private mutating func creation() -> CreationRequest {
        let isRoom = Int.random(in: 0..<4, using: &self.random) == 0
        let id = ConversationID(RandomToken(using: &self.random))
        let others = (0..<3).map { _ in self.person() }
        return CreationRequest(id, isRoom ? .room : .group, by: self.person(), with: others, at: Self.now)
    }

    private mutating func movement() -> ChangeRequest {
        guard let id = self.place() else { return self.posting() }
        let change: ConversationChange =
            switch Int.random(in: 0..<12, using: &self.random) {
            case ..<4: .invite([self.person(), self.person()])
            case ..<7: .join
            case ..<9: .leave
            case 9: .remove(self.person())
            case 10: .setRole(self.person(), .admin)
            default: .silence(self.person(), until: Bool.random(using: &self.random) ? Self.now + .seconds(60) : nil)
            }
        let leader = self.model.talks[id]?.members.filter { $0.value.role == .owner }.keys.min { $0.text < $1.text }
        return self.request(.id(id), change, by: change == .join ? nil : self.mostly(leader))
    }
}

// MARK: - What is answered

extension ChatStorm {
    private mutating func take(_ answer: Answer, to question: Question) throws {
        switch (question, answer) {
        case (.change(let request), .outcome(let result)): try self.changed(result, request)
        case (.create(let request), .outcome(.success(let outcome))): try self.created(outcome, request)
        case (.create(let request), .outcome(.failure(let refusal))):
            guard refusal.code == .blocked, Set(request.members) != [request.creator], self.members(request).count == 1
            else { throw ChatDamage("\(request) was refused: \(refusal)") }
        case (.mark(let request), .marked(let result)): try self.marked(result, request)
        case (.sync(let index, _), .synced(.success(let synced))): try self.devices[index].synced(synced)
        case (.fetch(let index, let request), .page(.success(let page))):
            try self.devices[index].fetched(page, of: request.conversation)
        case (.fetch(let index, let request), .page(.failure)): self.devices[index].left(request.conversation)
        case (.drop(let index), _): self.devices[index].drop()
        case (.block(let user, let other, true), _): self.model.blocks.insert([user, other])
        case (.block(let user, let other, false), _): self.model.blocks.remove([user, other])
        default: throw ChatDamage("\(question) was answered with \(answer)")
        }
    }

    private mutating func changed(_ result: Result<ChangeOutcome, RequestError>, _ request: ChangeRequest) throws {
        let isAllowed = self.model.allows(request)
        switch result {
        case .failure(let refusal):
            guard !isAllowed else { throw ChatDamage("\(request) was refused: \(refusal)") }
            self.refusals.insert(refusal.code)
        case .success(let outcome):
            guard isAllowed else { throw ChatDamage("\(request) should have been refused") }
            try self.happened(outcome, request)
        }
    }

    private mutating func happened(_ outcome: ChangeOutcome, _ request: ChangeRequest) throws {
        let before = self.model.talks[outcome.conversation]?.members.keys.map(\.self) ?? []
        try self.model.happened(outcome, request)
        if outcome.isRepeated {
            self.repeats += 1
            try self.checkTold(outcome, [])
        } else {
            try self.checkTold(outcome, Set(before).union(outcome.came))
        }
    }

    /// Its creator, and those who do not mind being brought together by them.
    private func members(_ request: CreationRequest) -> Set<UserID> {
        let willing = request.members.filter { !self.model.blocks.contains([$0, request.creator]) }
        return Set(willing).union([request.creator])
    }

    private mutating func created(_ outcome: ChangeOutcome, _ request: CreationRequest) throws {
        guard Set(outcome.came) == self.members(request) else { throw ChatDamage("others came to \(request)") }
        var talk = ChatModel.Talk(kind: request.kind)
        for user in outcome.came {
            let role = user == request.creator ? Role.owner : .member
            talk.members[user] = ChatModel.Place(since: 0, read: 0, role: role)
        }
        talk.lines = [
            ChatModel.Line(
                sender: request.creator, sort: .created, client: nil, target: nil, text: outcome.entry.body)
        ]
        self.model.talks[outcome.conversation] = talk
        try self.checkTold(outcome, Set(outcome.came))
    }

    /// Live, before it is answered.
    private mutating func heard(_ outcome: ChangeOutcome, on index: Int) throws {
        let (id, user) = (outcome.conversation, self.devices[index].user)
        guard self.devices[index].isConnected else { throw ChatDamage("\(user.text) hears while away") }
        self.hearers[Line(outcome), default: []].insert(index)
        self.heard += 1
        if outcome.came.contains(user) { self.devices[index].left(id) }
        try self.devices[index].heard(outcome.entry.number, in: id, isLive: true)
        if outcome.went == user { self.devices[index].left(id) }
    }

    /// All devices of those whom it concerns that are connected, and no others.
    private mutating func checkTold(_ outcome: ChangeOutcome, _ audience: Set<UserID>) throws {
        let told = self.hearers.removeValue(forKey: Line(outcome)) ?? []
        let expected = self.devices.indices.filter {
            self.devices[$0].isConnected && audience.contains(self.devices[$0].user)
        }
        guard told == Set(expected) else { throw ChatDamage("told to \(told.sorted()) instead of \(expected)") }
    }

    private mutating func marked(_ result: Result<Marked, RequestError>, _ request: MarkRequest) throws {
        let (id, user) = (request.conversation, request.user)
        switch result {
        case .failure(let refusal):
            let talk = self.model.talks[id]
            let mayRefuse = talk?.members[user] == nil || Int(request.delivered ?? 0) > talk?.lines.count ?? 0
            guard mayRefuse else { throw ChatDamage("a mark was refused: \(refusal)") }
        case .success(let marked):
            guard var place = self.model.talks[id]?.members[user] else { throw ChatDamage("a stranger set a mark") }
            place.read = max(place.read, request.read ?? 0)
            self.model.talks[id]?.members[user] = place
            guard marked.read == place.read, marked.unread == UInt64(self.model.unread(user, in: id)) else {
                throw ChatDamage("\(marked.unread) unread, but it should be \(self.model.unread(user, in: id))")
            }
            guard marked.badge == UInt64(self.model.badge(of: user)) else {
                throw ChatDamage("\(marked.badge) on the badge, but it should be \(self.model.badge(of: user))")
            }
        }
    }
}

// MARK: - What must hold

extension ChatStorm {
    private mutating func check() async throws {
        for user in Self.people {
            let store = self.stage.store
            let list = try await store.ask(ListConversations(of: user, before: nil, limit: 10_000))
            let views = list.views
            let mine = self.model.talks.filter { !self.model.visible(user, in: $0.key).isEmpty }
            guard Set(views.map(\.id)) == Set(mine.keys) else {
                throw ChatDamage("\(user.text) sees other conversations")
            }
            for view in views {
                guard view.unread == UInt64(self.model.unread(user, in: view.id)) else {
                    throw ChatDamage("\(view.unread) unread in \(view.id.text)")
                }
            }
            guard list.badge == views.reduce(0, { $0 + $1.unread }) else {
                throw ChatDamage("\(list.badge) on the badge of \(user.text)")
            }
            if let view = views.randomElement(using: &self.random) { try await self.checkHistory(of: view, for: user) }
        }
        try await self.fetchAll()
    }

    private func checkHistory(of view: ConversationView, for user: UserID) async throws {
        var entries: [Entry] = []
        var before: UInt64?
        var hasMore = true
        while hasMore {
            let (store, request) = (self.stage.store, HistoryRequest(view.id, for: user, .before(before), limit: 97))
            let page = try await store.ask(request).get()
            entries = page.items.map(\.entry) + entries
            before = page.items.first?.entry.number
            hasMore = page.hasMore
        }
        let lines = self.model.visible(user, in: view.id)
        guard entries.map(\.number) == lines.indices.map({ view.since + 1 + UInt64($0) }) else {
            throw ChatDamage("the history of \(view.id.text) has a gap")
        }
        for (entry, line) in zip(entries, lines) {
            let reactions = Dictionary(entry.reactions.map { ($0.reaction, Set($0.users)) }) { first, _ in first }
            guard entry.sender == line.sender, entry.sort == line.sort, entry.client == line.client,
                entry.target == line.target, entry.isRecalled == line.isRecalled,
                entry.sort != .message && entry.sort != .edited || entry.body == line.text,
                reactions == line.reactions.filter({ !$0.value.isEmpty })
            else { throw ChatDamage("entry \(entry.number) of \(view.id.text) is not what was written") }
        }
    }

    /// Whoever is connected gets to the end, and everybody to the same one.
    private mutating func fetchAll() async throws {
        for index in self.devices.indices where self.devices[index].isConnected {
            while let id = self.devices[index].missing.keys.first {
                try await self.play([self.fetch(id, on: index)])
            }
            for (id, position) in self.devices[index].positions {
                guard let talk = self.model.talks[id], talk.members[self.devices[index].user] != nil else { continue }
                guard Int(position) == talk.lines.count else {
                    throw ChatDamage("\(self.devices[index].user.text) stopped at \(position) of \(talk.lines.count)")
                }
            }
        }
    }
}
