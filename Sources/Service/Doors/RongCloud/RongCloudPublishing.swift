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
    static let groupTargets = 1...3
    static let roomTargets = 1...10

    init(_ visit: RongCloudVisit) { self.visit = visit }

    private var chat: ChatService { self.visit.chat }

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
                var change = ChangeRequest(
                    .user(user, new: self.chat.newID()), .post(draft), by: sender, at: self.chat.now)
                change.isPublished = !asksBlocks
                self.chat.change(change, isByServer: true, done)
            }
        }
    }

    func publishToGroups(_ form: RongCloudForm) throws(RongCloudProblem) {
        let message = try RongCloudMessage(form)
        let sender = try form.user("fromUserId")
        let groups = try self.places("toGroupId", form, Self.groupTargets) { id throws(RongCloudProblem) in
            try RongCloudPlace.group(id, "toGroupId")
        }
        guard form["toUserId"] == nil else { throw .notOffered("messages to some members of a group") }
        try self.visit.take(groups.count, of: .groupMessages)
        if message.type == RongCloudType.recall {
            return try RongCloudRecall(self.visit).recall(message, by: sender, at: 3, groups[0].name)
        }
        self.prepare(message, by: sender) {
            groups.count == 1 && RongCloudPlace.isSuccessor($0.conversation.id, of: groups[0].place)
                && $0.conversation.dissolved == nil
        } _: { draft in
            self.gather(groups, "groupId", { $0.name }) { group, done in
                self.post(draft, by: sender, into: group.place, done)
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
                self.post(draft, by: sender, into: room.place, done)
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
                    self.post(draft, by: sender, entitled: title, inSystemOf: user, done)
                }
            }
        }
    }

    // MARK: - One message

    typealias Done = (Result<ChangeOutcome, RequestError>) -> Void

    /// Nobody hears what is said to a group that there is not.
    private func post(_ draft: Draft, by sender: UserID, into place: ConversationID, _ done: @escaping Done) {
        self.chat.fetch(FindSuccession(of: place)) { result in
            guard case .success(let found) = result, let row = found.standing else {
                return done(result.flatMap { _ in .failure(Self.unknown) })
            }
            self.post(draft, by: sender, to: row.id, done)
        }
    }

    private func post(_ draft: Draft, by sender: UserID, to id: ConversationID, _ done: @escaping Done) {
        var change = ChangeRequest(.id(id), .post(draft), by: sender, at: self.chat.now)
        change.isPublished = true
        self.chat.change(change, isByServer: true, done)
    }

    /// What the system says to a user begins with its first word.
    private func post(
        _ draft: Draft, by sender: UserID, entitled title: DisplayName?, inSystemOf user: UserID, _ done: @escaping Done
    ) {
        let id = RongCloudPlace.system(from: sender, to: user)
        self.post(draft, by: sender, to: id) { result in
            guard case .failure(let error) = result, error.code == .notFound else { return done(result) }
            let creation = CreationRequest(id, .system, title: title, by: sender, with: [user], at: self.chat.now)
            self.chat.create(creation, isByServer: true) { result in
                // Another request may have begun it meanwhile.
                if case .failure(let error) = result, error.code != .conflict { return done(result) }
                self.post(draft, by: sender, to: id, done)
            }
        }
    }

    fileprivate static let unknown = RequestError(.notFound, "there is no such group")
}

// MARK: - What is asked before

extension RongCloudPublishing {
    private struct Place {
        let name: String
        let place: ConversationID
    }

    private func places(
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
    private func prepare(
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
        work(message.draft(showing: message.ownFile(at: self.visit.exchange.request.fields[.host])))
    }

    /// Says it to all of them, and answers when the last one is done: what reached somebody is not refused.
    private func gather<Target>(
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
        if let refusal = tally.refusal, tally.uids.isEmpty, refusal != Self.unknown {
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
