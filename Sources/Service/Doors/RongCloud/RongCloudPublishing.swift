internal import Conversing
internal import HTTPServer
internal import JSON
internal import Keeping
internal import Operations
internal import Switchboard
internal import Vocabulary
internal import Web

/// `/message/…/publish`: what programs say in somebody's name.
struct RongCloudPublishing {
    private let visit: RongCloudVisit

    static let privateTargets = 1...1000
    static let systemTargets = 1...100
    static let systemTemplateTargets = 1...1000
    static let someMembers = 1...1000
    static let groupTargets = 1...3
    static let roomTargets = 1...10

    init(_ visit: RongCloudVisit) { self.visit = visit }

    private var poster: RongCloudPoster { RongCloudPoster(self.visit.chat) }

    func publishToUsers(_ form: RongCloudForm) throws(RongCloudProblem) {
        let message = try RongCloudMessage(form)
        let sender = try form.user("fromUserId")
        let users = try form.users("toUserId", Self.privateTargets)
        let asksBlocks = try form.flag("verifyBlacklist", else: false)
        _ = try form.number("count", in: -1...9999)
        try self.visit.take(users.count, of: .privateMessages)
        if message.type == RongCloudType.recall {
            return try RongCloudRecall(self.visit).recall(message, by: sender, at: 1, users[0].text)
        }
        let pair = Set([sender, users[0]])
        self.prepare(message, by: sender) {
            users.count == 1 && $0.conversation.kind == .direct && Set($0.members) == pair
        } _: { draft in
            self.gather(users, "userId", { $0.text }) { user, done in
                self.poster.post(draft, by: sender, to: user, asksBlocks: asksBlocks, done)
            }
        }
    }

    /// - Parameter field: discussions are groups by an older name.
    func publishToGroups(_ form: RongCloudForm, _ field: String = "toGroupId") throws(RongCloudProblem) {
        let message = try RongCloudMessage(form)
        let sender = try form.user("fromUserId")
        let groups = try self.places(field, form, Self.groupTargets) { id throws(RongCloudProblem) in
            try RongCloudPlace.group(id, field)
        }
        let some = try form.users("toUserId", 0...Self.someMembers.upperBound)
        guard some.isEmpty || groups.count == 1 else { throw .illegal("toGroupId", "one where 'toUserId' is there") }
        try self.visit.take(groups.count, of: .groupMessages)
        if message.type == RongCloudType.recall {
            return try RongCloudRecall(self.visit).recall(message, by: sender, at: 3, groups[0].name)
        }
        guard some.isEmpty else {
            return RongCloudSomeMembers(self.visit).publish(
                message, by: sender, groups[0].name, groups[0].place, to: some)
        }
        self.prepare(message, by: sender) {
            groups.count == 1 && RongCloudPlace.isSuccessor($0.conversation.id, of: groups[0].place)
                && $0.conversation.dissolved == nil
        } _: { draft in
            self.gather(groups, "groupId", { $0.name }) { group, done in
                self.poster.post(draft, by: sender, into: group.place, done)
            }
        }
    }

    func publishToRooms(_ form: RongCloudForm) throws(RongCloudProblem) {
        let message = try RongCloudMessage(form)
        let sender = try form.user("fromUserId")
        let rooms = try self.places("toChatroomId", form, Self.roomTargets) { id throws(RongCloudProblem) in
            try RongCloudPlace.room(id, "toChatroomId")
        }
        try self.visit.take(rooms.count, of: .chatRoomMessages)
        self.prepare(message, by: sender) { draft in
            self.gather(rooms, "chatroomId", { $0.name }) { room, done in
                self.poster.post(draft, by: sender, into: room.place, done)
            }
        }
    }

    func publishBySystem(_ form: RongCloudForm) throws(RongCloudProblem) {
        let message = try RongCloudMessage(form)
        let sender = try form.user("fromUserId")
        let users = try form.users("toUserId", Self.systemTargets)
        try self.visit.take(users.count, of: .systemMessages)
        self.prepare(message, by: sender) { draft in
            self.visit.fetch(FindProfiles(of: [sender])) { profiles in
                let title = profiles.first?.shownName ?? DisplayName(sender.text)
                self.gather(users, "userId", { $0.text }) { user, done in
                    self.poster.post(draft, by: sender, entitled: title, inSystemOf: user, done)
                }
            }
        }
    }

    // MARK: - Words of its own for each

    func publishTemplate(_ body: [UInt8], bySystem: Bool) throws(RongCloudProblem) {
        let template = try RongCloudTemplate(body, bySystem ? Self.systemTemplateTargets : Self.privateTargets)
        try self.visit.take(template.users.count, of: bySystem ? .systemMessages : .privateMessages)
        let drafts = template.messages.map { $0.draft(showing: nil) }
        self.visit.fetch(FindProfiles(of: [template.sender])) { profiles in
            let title = profiles.first?.shownName ?? DisplayName(template.sender.text)
            self.gather(Array(template.users.indices), "userId", { template.users[$0].text }) { index, done in
                let (draft, user) = (drafts[index], template.users[index])
                guard !bySystem else {
                    return self.poster.post(draft, by: template.sender, entitled: title, inSystemOf: user, done)
                }
                self.poster.post(draft, by: template.sender, to: user, asksBlocks: template.asksBlocks, done)
            }
        }
    }

    // MARK: - Everywhere

    /// Into every chat room that there is.
    func publishToAllRooms(_ form: RongCloudForm) throws(RongCloudProblem) {
        let message = try RongCloudMessage(form)
        let sender = try form.user("fromUserId")
        try self.visit.take(1, of: .chatRoomMessages)
        let request = ListConversationsNamed(
            RongCloudPlace.roomPrefixes, of: RongCloudPlace.server, limit: Self.maximumRooms)
        self.visit.fetch(request) { rooms in
            self.prepare(message, by: sender) { self.post($0, by: sender, into: rooms[...]) }
        }
    }

    private static let maximumRooms = 10_000

    private func post(_ draft: Draft, by sender: UserID, into rooms: ArraySlice<ConversationRow>) {
        guard let room = rooms.first else { return self.visit.answer() }
        self.poster.post(draft, by: sender, to: room.id) { _ in
            self.post(draft, by: sender, into: rooms.dropFirst())
        }
    }

    typealias Done = RongCloudPoster.Done
}

// MARK: - What is asked before

extension RongCloudPublishing {
    struct Place {
        let name: String
        let place: ConversationID
    }

    func places(
        _ field: String, _ form: RongCloudForm, _ counts: ClosedRange<Int>,
        _ place: (String) throws(RongCloudProblem) -> ConversationID
    ) throws(RongCloudProblem) -> [Place] {
        let names = form.values(of: field)
        guard !names.isEmpty else { throw .missing(field) }
        guard names.count <= counts.upperBound else { throw .illegal(field, "at most \(counts.upperBound)") }
        var places: [Place] = []
        for name in names where !places.contains(where: { $0.name == name }) {
            places.append(Place(name: name, place: try place(name)))
        }
        return places
    }

    /// Brings the file that is in the message, and finds the message that it quotes, which has to be in the same place.
    func prepare(
        _ message: RongCloudMessage, by sender: UserID, _ isHere: @escaping (FindEntry.Found) -> Bool = { _ in false },
        _ work: @escaping (Draft) -> Void
    ) {
        guard let quoted = message.quoted else { return self.bringFile(of: message, by: sender, work) }
        self.visit.fetch(FindEntry(quoted.key)) { found in
            self.bringFile(of: message, by: sender) { draft in
                var draft = draft
                if let found, found.entry.sort == .message, isHere(found) { draft.reply = quoted.key.number }
                work(draft)
            }
        }
    }

    private func bringFile(
        of message: RongCloudMessage, by sender: UserID, _ work: @escaping (Draft) -> Void
    ) {
        if let bytes = message.heldFile {
            let dependencies = self.visit.dependencies
            dependencies.files.take(bytes, called: nil, by: sender, stay: .usual, on: dependencies.reactor) { result in
                let file: FileID? = if case .success(let record) = result { record.id } else { nil }
                work(message.draft(showing: file))
            }
            return
        }
        work(message.draft(showing: message.ownFile(at: ForwardedRequest.host(of: self.visit.exchange.request))))
    }

    /// Says it to all of them, and answers when the last one is done: what reached somebody is not refused.
    func gather<Target>(
        _ targets: [Target], _ field: String, _ name: @escaping (Target) -> String,
        _ send: (Target, @escaping Done) -> Void
    ) {
        let tally = Tally(targets.count)
        for (place, target) in targets.enumerated() {
            send(target) { [visit] result in
                tally.took(result.map { ($0, name(target)) }, at: place)
                if tally.isDone { Self.answer(tally, field, visit) }
            }
        }
    }

    private static func answer(_ tally: Tally, _ field: String, _ visit: RongCloudVisit) {
        if let refusal = tally.refusal, tally.uids.isEmpty, refusal != RongCloudPoster.unknown {
            return visit.refuse(RongCloudProblem(refusal))
        }
        visit.answer { json in
            json.array("messageUIDs", of: tally.uids) { json, uid in
                json.fields((field, uid.name), ("messageUID", uid.text))
            }
        }
    }
}

/// What became of one message to several targets.
private final class Tally {
    private var left: Int
    private var found: [(name: String, text: String)?]
    private(set) var refusal: RequestError?

    init(_ count: Int) {
        self.left = count
        self.found = Array(repeating: nil, count: count)
    }

    var isDone: Bool { self.left == 0 }
    var uids: [(name: String, text: String)] { self.found.compactMap(\.self) }

    func took(_ result: Result<(ChangeOutcome, String), RequestError>, at place: Int) {
        self.left -= 1
        switch result {
        case .success(let (outcome, name)):
            let uid = RongCloudMessageUID(EntryKey(outcome.key, outcome.entry.number))
            self.found[place] = (name, uid.text)
        case .failure(let error): self.refusal = self.refusal ?? error
        }
    }
}
