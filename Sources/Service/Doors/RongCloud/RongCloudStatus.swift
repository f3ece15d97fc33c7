internal import Conversing
internal import JSON
internal import Keeping
internal import Switchboard
internal import Vocabulary

/// `statusmessage/…/publish`: for those who are there, kept nowhere. `RC:TypSts` says that somebody types.
struct RongCloudStatus {
    private let visit: RongCloudVisit

    init(_ visit: RongCloudVisit) { self.visit = visit }

    private var chat: ChatService { self.visit.chat }

    func publishToUsers(_ form: RongCloudForm) throws(RongCloudProblem) {
        let (message, sender) = (try RongCloudMessage(form), try form.user("fromUserId"))
        let users = try form.users("toUserId", RongCloudPublishing.privateTargets)
        let asksBlocks = try form.flag("verifyBlacklist", else: false)
        try self.visit.take(users.count, of: .privateMessages)
        self.pass(message, by: sender, to: users[...], asksBlocks: asksBlocks)
    }

    private func pass(
        _ message: RongCloudMessage, by sender: UserID, to users: ArraySlice<UserID>, asksBlocks: Bool
    ) {
        guard let user = users.first else { return self.visit.answer() }
        let goOn = { self.pass(message, by: sender, to: users.dropFirst(), asksBlocks: asksBlocks) }
        guard !asksBlocks || !self.visit.dependencies.board.isBlocked(sender, by: user) else { return goOn() }
        self.visit.fetch(FindDirect(UserPair(sender, user))) { id in
            if message.isTyping {
                if let id { self.chat.passTyping(true, by: sender, in: id) }
            } else {
                let receivers = message.isIncludeSender ? [user, sender] : [user]
                self.chat.pass(message.passing(by: sender, in: id), to: .users(receivers))
            }
            goOn()
        }
    }

    func publishToGroups(_ form: RongCloudForm, _ field: String = "toGroupId") throws(RongCloudProblem) {
        let (message, sender) = (try RongCloudMessage(form), try form.user("fromUserId"))
        let names = form.values(of: field)
        guard !names.isEmpty else { throw .missing(field) }
        let most = RongCloudPublishing.groupTargets.upperBound
        guard names.count <= most else { throw .illegal(field, "at most \(most)") }
        var places: [ConversationID] = []
        for name in names {
            places.append(
                field == "toGroupId" ? try RongCloudPlace.group(name, field) : try RongCloudPlace.room(name, field))
        }
        try self.visit.take(names.count, of: .groupMessages)
        self.pass(message, by: sender, in: places[...])
    }

    private func pass(_ message: RongCloudMessage, by sender: UserID, in places: ArraySlice<ConversationID>) {
        guard let place = places.first else { return self.visit.answer() }
        self.visit.fetch(FindSuccession(of: place)) { found in
            if let row = found.standing {
                if message.isTyping {
                    self.chat.passTyping(true, by: sender, in: row.id)
                } else {
                    let audience = ChatService.PassingAudience.members(withSender: message.isIncludeSender)
                    self.chat.pass(message.passing(by: sender, in: row.id), to: audience)
                }
            }
            self.pass(message, by: sender, in: places.dropFirst())
        }
    }

    /// To everybody who is there.
    func publishToAll(_ form: RongCloudForm) throws(RongCloudProblem) {
        let (message, sender) = (try RongCloudMessage(form), try form.user("fromUserId"))
        try self.visit.take(1, of: .onlineBroadcasts)
        self.chat.pass(message.passing(by: sender, in: nil), to: .everybody)
        self.visit.answer()
    }
}

extension RongCloudMessage {
    var isTyping: Bool { self.type == RongCloudType.typing }

    func passing(by sender: UserID, in id: ConversationID?) -> PassingMessage {
        let draft = self.draft(showing: nil)
        return PassingMessage(by: sender, draft.kind, draft.body, in: id)
    }

    /// One that the door itself has to say.
    init(_ type: String, _ content: LooseObject) throws(RongCloudProblem) {
        let items = [("objectName", type), ("content", String(decoding: content.json, as: UTF8.self))]
        try self.init(RongCloudForm(items: items.map { .init(name: $0.0, value: $0.1) }))
    }
}
