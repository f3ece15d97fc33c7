import Conversing
import Keeping
import TestSupport
import Vocabulary

/// Conversations as simply as they can be thought of: lists. What the store says is compared with it.
struct ChatModel {
    struct Line {
        let sender: UserID
        let sort: Entry.Sort
        let client: MessageID?
        let target: UInt64?
        var text: [UInt8]?
        var isRecalled = false
        var reactions: [String: Set<UserID>] = [:]
    }

    struct Place {
        var since: UInt64
        var read: UInt64
        var role = Role.member
        var isSilenced = false
    }

    struct Talk {
        let kind: ConversationKind
        var lines: [Line] = []
        var members: [UserID: Place] = [:]
        /// Those who went: whether they were sent away, and whether they may only listen.
        var former: [UserID: (wasRemoved: Bool, isSilenced: Bool)] = [:]
        var isDissolved = false
    }

    var talks: [ConversationID: Talk] = [:]
    /// What was said under which name, and where.
    var known: [MessageID: (ConversationID, UInt64)] = [:]
    /// Who does not want to hear from whom.
    var blocks: Set<[UserID]> = []
    /// The one conversation of each two.
    private(set) var directs: [Set<UserID>: ConversationID] = [:]

    /// Everything of others after one's mark that was not taken back, counted one by one.
    func unread(_ user: UserID, in id: ConversationID) -> Int {
        guard let talk = self.talks[id], let place = talk.members[user] else { return 0 }
        return talk.lines.dropFirst(Int(place.read)).filter {
            $0.sort == .message && !$0.isRecalled && $0.sender != user
        }.count
    }

    /// The same of all conversations together.
    func badge(of user: UserID) -> Int { self.talks.keys.reduce(0) { $0 + self.unread(user, in: $1) } }

    /// What a user can see.
    func visible(_ user: UserID, in id: ConversationID) -> [Line] {
        guard let talk = self.talks[id], let place = talk.members[user] else { return [] }
        return Array(talk.lines.dropFirst(Int(place.since)))
    }

    /// The store says that this happened.
    mutating func happened(_ outcome: ChangeOutcome, _ request: ChangeRequest) throws(ChatDamage) {
        let (id, entry) = (outcome.conversation, outcome.entry)
        if outcome.isRepeated {
            guard let client = request.client, let (place, number) = self.known[client] else {
                throw ChatDamage("a new request was taken for an old one")
            }
            guard place == id, number == entry.number else { throw ChatDamage("a retry moved to \(entry.number)") }
            return
        }
        if let client = request.client {
            guard self.known.updateValue((id, entry.number), forKey: client) == nil else {
                throw ChatDamage("a retry was written again as \(entry.number)")
            }
        }
        try self.append(entry, to: id, request, came: outcome.came)
    }

    private mutating func append(
        _ entry: Entry, to id: ConversationID, _ request: ChangeRequest, came: [UserID]
    ) throws(ChatDamage) {
        if case .user(let other, _) = request.address, self.talks[id] == nil {
            let places = [request.actor, other].map { ($0, Place(since: 0, read: 0)) }
            self.directs[[request.actor, other]] = id
            self.talks[id] = Talk(kind: .direct, members: Dictionary(places) { first, _ in first })
            guard Set(came) == [request.actor, other] else { throw ChatDamage("a direct conversation lacks somebody") }
        }
        guard var talk = self.talks.removeValue(forKey: id) else { throw ChatDamage("it happened nowhere") }
        defer { self.talks[id] = talk }
        guard Int(entry.number) == talk.lines.count + 1 else {
            throw ChatDamage("number \(entry.number) after \(talk.lines.count)")
        }
        guard talk.members[request.actor] != nil || entry.sort == .joined else { throw ChatDamage("a stranger spoke") }
        talk.lines.append(
            Line(sender: entry.sender, sort: entry.sort, client: entry.client, target: entry.target, text: entry.body))
        talk.take(request, entry, self.blocks)
    }
}

extension ChatModel.Talk {
    fileprivate mutating func take(_ request: ChangeRequest, _ entry: Entry, _ blocks: Set<[UserID]>) {
        let actor = request.actor
        switch request.change {
        case .post: self.members[actor]?.read = entry.number
        case .edit(let target, let body): self.lines[Int(target) - 1].text = body.json
        case .recall(let target):
            self.lines[Int(target) - 1].isRecalled = true
            self.lines[Int(target) - 1].text = nil
            self.lines[Int(target) - 1].reactions = [:]
            for index in self.lines.indices where self.lines[index].sort == .edited {
                if self.lines[index].target == target { self.lines[index].text = nil }
            }
        case .react(let target, let reaction, true):
            self.lines[Int(target) - 1].reactions[reaction.text, default: []].insert(actor)
        case .react(let target, let reaction, false):
            self.lines[Int(target) - 1].reactions[reaction.text]?.remove(actor)
        case .join: self.come([actor], at: entry.number)
        case .invite(let users):
            let role = self.members[actor]?.role ?? .member
            let willing = users.filter { !blocks.contains([$0, actor]) && self.mayBring($0, role) }
            self.come(willing, at: entry.number)
        case .leave where entry.sort == .left: self.leave(actor)
        case .remove(let user, _, _):
            self.former[user] = (true, self.members.removeValue(forKey: user)?.isSilenced ?? false)
        case .leave, .dissolve: self.isDissolved = true
        case .setRole(let user, let role): self.members[user]?.role = role
        case .silence(let user, let until, _): self.members[user]?.isSilenced = until != nil
        case .rename, .pin: break
        }
    }

    /// When the only owner goes, the first by rank and then by name takes over.
    private mutating func leave(_ user: UserID) {
        guard let place = self.members.removeValue(forKey: user) else { return }
        self.former[user] = (false, place.isSilenced)
        guard place.role == .owner, !self.members.values.contains(where: { $0.role == .owner }) else { return }
        let rank = self.members.keys.sorted { $0.text < $1.text }
        for role in [Role.admin, .member] {
            guard let heir = rank.first(where: { self.members[$0]?.role == role }) else { continue }
            self.members[heir]?.role = .owner
            return
        }
    }

    private mutating func come(_ users: [UserID], at number: UInt64) {
        for user in users where self.members[user] == nil {
            var place = ChatModel.Place(since: self.kind == .room ? 0 : number - 1, read: number - 1)
            place.isSilenced = self.former.removeValue(forKey: user)?.isSilenced ?? false
            self.members[user] = place
        }
    }
}

/// A promise that was found broken.
struct ChatDamage: Error, CustomStringConvertible {
    let promise: String

    init(_ promise: String) { self.promise = promise }

    var description: String { self.promise }
}
