import Conversing
import Keeping
import TestSupport
import Vocabulary

/// What a few people do in a few conversations, by chance; the same for the same seed.
struct RandomOperations {
    private var random: SeededRandom
    private var conversations: [ConversationID] = []
    private var clients: [[MessageID]]
    private var steps: Int64 = 0

    static let people = (0..<8).map { UserID("person-\($0)") ?? { preconditionFailure("no user id") }() }
    private static let devices = ["phone", "desk"].map { DeviceID($0) ?? { preconditionFailure("no device") }() }

    init(seed: UInt64) {
        self.random = SeededRandom(seed: seed)
        self.clients = Self.people.map { _ in [] }
    }

    /// Requests of different people, who ask at the same time and are served in this order.
    mutating func batch() -> [any StoreRequest] {
        let count = Int.random(in: 1...Self.people.count, using: &self.random)
        return Self.people.indices.shuffled(using: &self.random).prefix(count).map { self.request(of: $0) }
    }

    /// All that somebody sees.
    mutating func look() -> [any StoreRequest] {
        let user = self.person()
        var requests: [any StoreRequest] = [
            ListConversations(of: user, limit: 5), SyncRequest(user, on: self.device(), limit: 20),
            ListBlocked(by: user),
        ]
        guard let conversation = self.conversations.randomElement(using: &self.random) else { return requests }
        requests += [
            ViewConversation(conversation, for: user), MemberRequest(conversation, for: user, limit: 10),
            HistoryRequest(conversation, for: user, .before(nil), limit: 20),
            HistoryRequest(conversation, for: user, .after(self.number()), limit: 5),
            HistoryRequest(conversation, for: user, .pinned, limit: 5),
        ]
        return requests
    }

    private mutating func request(of index: Int) -> any StoreRequest {
        self.steps += 1
        let user = Self.people[index]
        guard let conversation = self.conversations.randomElement(using: &self.random) else {
            return self.creation(by: user)
        }
        switch Int.random(in: 0..<100, using: &self.random) {
        case 0..<3: return self.creation(by: user)
        case 3..<45: return self.post(index, in: conversation)
        case 45..<62: return ChangeRequest(.id(conversation), self.touch(), by: user, at: self.now)
        case 62..<75: return ChangeRequest(.id(conversation), self.manage(), by: user, at: self.now)
        case 75..<90: return self.mark(user, conversation)
        case 90..<93: return SetBlocked(self.flip(), self.person(), by: user)
        case 93..<95: return SetMuted(self.flip(), conversation, of: user)
        case 95..<97: return SetArchived(self.flip(), conversation, of: user)
        case 97..<98: return ClearHistory(of: conversation, for: user)
        default: return SetSlowMode(self.flip() ? .seconds(3) : nil, conversation, by: user, at: self.now)
        }
    }

    private mutating func creation(by user: UserID) -> CreationRequest {
        // A name that is taken now and then.
        let isTaken = self.conversations.count > 6
        let id = isTaken ? self.conversations[0] : ConversationID(RandomToken(using: &self.random))
        if !isTaken { self.conversations.append(id) }
        return CreationRequest(id, .group, by: user, with: self.persons(), at: self.now)
    }

    private mutating func post(_ index: Int, in conversation: ConversationID) -> ChangeRequest {
        var draft = Draft(.text, self.body())
        if self.flip() { draft.reply = self.number() }
        if self.flip() { draft.mentions = self.persons() }
        let toOne = Int.random(in: 0..<4, using: &self.random) == 0
        let address: ConversationAddress =
            toOne ? .user(self.person(), new: ConversationID(RandomToken(using: &self.random))) : .id(conversation)
        return ChangeRequest(address, .post(draft), by: Self.people[index], as: self.client(of: index), at: self.now)
    }

    /// A new name, none, or one that was used before.
    private mutating func client(of index: Int) -> MessageID? {
        switch Int.random(in: 0..<10, using: &self.random) {
        case 0..<2: return nil
        case 2..<4 where !self.clients[index].isEmpty: return self.clients[index].randomElement(using: &self.random)
        default:
            guard let client = MessageID("message-\(self.steps)") else { return nil }
            self.clients[index].append(client)
            return client
        }
    }

    private mutating func touch() -> ConversationChange {
        let number = self.number()
        switch Int.random(in: 0..<4, using: &self.random) {
        case 0: return .edit(number, self.body())
        case 1: return .recall(number)
        case 2: return Reaction("+1").map { .react(number, $0, isOn: self.flip()) } ?? .recall(number)
        default: return .pin(number, isOn: self.flip())
        }
    }

    private mutating func manage() -> ConversationChange {
        let user = self.person()
        switch Int.random(in: 0..<16, using: &self.random) {
        case 0..<4: return .invite(self.persons())
        case 4..<6: return .join
        case 6..<8: return .leave
        case 8..<10: return .remove(user, until: self.flip() ? self.now : nil)
        case 10..<12: return DisplayName("Name \(self.steps)").map { .rename($0) } ?? .join
        case 12..<14: return .setRole(user, Role.allCases.randomElement(using: &self.random) ?? .member)
        case 14: return .silence(user, until: WallTime(milliseconds: self.now.milliseconds + 5000))
        default: return Int.random(in: 0..<20, using: &self.random) == 0 ? .dissolve : .join
        }
    }

    private mutating func mark(_ user: UserID, _ conversation: ConversationID) -> MarkRequest {
        MarkRequest(
            conversation, of: user, on: self.device(), delivered: self.flip() ? self.number() : nil,
            read: self.flip() ? self.number() : nil, at: self.now)
    }

    private var now: WallTime { WallTime(milliseconds: 1_700_000_000_000 + 700 * self.steps) }
    private mutating func flip() -> Bool { Bool.random(using: &self.random) }
    private mutating func number() -> UInt64 { UInt64.random(in: 0...60, using: &self.random) }
    private mutating func person() -> UserID { Self.people.randomElement(using: &self.random) ?? Self.people[0] }
    private mutating func device() -> DeviceID { Self.devices[self.flip() ? 0 : 1] }

    private mutating func persons() -> [UserID] {
        Array(Self.people.shuffled(using: &self.random).prefix(Int.random(in: 0...4, using: &self.random)))
    }

    private mutating func body() -> MessageBody {
        MessageBody(proven: Array("{\"text\":\"words \(self.steps) \(self.number())\"}".utf8))
    }
}
