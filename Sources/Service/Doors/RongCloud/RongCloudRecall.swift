internal import Conversing
internal import JSON
internal import Keeping
internal import Operations
internal import Switchboard
internal import Vocabulary

/// Where a message is, as programs say it: the kind of its conversation and its name.
struct RongCloudTarget {
    enum Kind: Int { case direct = 1, discussion = 2, group = 3, room = 4, system = 6 }

    let kind: Kind
    private let name: String
    private let field: String
    private let place: ConversationID?

    init(_ form: RongCloudForm, _ field: String = "targetId") throws(RongCloudProblem) {
        try self.init(try form.number("conversationType", in: 1...12), try form.required(field), field)
    }

    init(_ number: Int?, _ name: String, _ field: String) throws(RongCloudProblem) {
        guard let number else { throw .missing("conversationType") }
        guard let kind = Kind(rawValue: number) else { throw .notOffered("conversations of this type") }
        self.kind = kind
        self.name = name
        self.field = field
        switch kind {
        case .direct, .system:
            self.place = nil
            _ = try RongCloudForm.user(name, field)
        case .discussion, .group: self.place = try RongCloudPlace.group(name, field)
        case .room: self.place = try RongCloudPlace.room(name, field)
        }
    }

    /// Whether a message is there, for the one of two who says so.
    func holds(_ found: FindEntry.Found, for user: UserID) -> Bool {
        let row = found.conversation
        guard let other = UserID(self.name) else { return false }
        switch self.kind {
        case .direct: return row.kind == .direct && Set(found.members) == [user, other]
        case .system: return row.id == RongCloudPlace.system(from: user, to: other)
        case .discussion, .group, .room:
            return self.place.map { RongCloudPlace.isSuccessor(row.id, of: $0) } ?? false
        }
    }
}

/// `message/recall`, and the type of message that asks for the same.
struct RongCloudRecall {
    private let visit: RongCloudVisit

    init(_ visit: RongCloudVisit) { self.visit = visit }

    func recall(_ form: RongCloudForm) throws(RongCloudProblem) {
        let user = try form.user("fromUserId")
        let target = try RongCloudTarget(form)
        let isByAdmin = try form.flag("isAdmin", else: false)
        _ = try form.flag("isDelete", else: false)
        self.recall(try form.required("messageUID"), in: target, by: user, isByAdmin: isByAdmin)
    }

    /// What is not there needs no recall, as programs expect.
    private func recall(_ name: String, in target: RongCloudTarget, by user: UserID, isByAdmin: Bool) {
        guard let uid = RongCloudMessageUID(name) else { return self.visit.answer() }
        self.visit.fetch(FindEntry(uid.key)) { found throws(RongCloudProblem) in
            guard let found, found.entry.sort == .message, !found.entry.isRecalled, target.holds(found, for: user)
            else { return self.visit.answer() }
            guard isByAdmin || found.entry.sender == user else {
                throw .restricted("this message is another user's")
            }
            self.recall(uid, in: found.conversation.id, by: user)
        }
    }

    private func recall(_ uid: RongCloudMessageUID, in id: ConversationID, by user: UserID) {
        var change = ChangeRequest(.id(id), .recall(uid.key.number), by: user, at: self.visit.chat.now)
        change.isByOperator = true
        self.visit.chat.change(change, isByServer: true) { [visit] result in
            visit.unlessRefused(result) { _ in visit.answer() }
        }
    }

    /// Of a message of the type that recalls another, which is none itself.
    func recall(_ message: RongCloudMessage, by user: UserID, at number: Int, _ name: String) throws(RongCloudProblem) {
        guard let uid = message.object?.text("messageUId") else { throw .illegal("content", "one with 'messageUId'") }
        let isByAdmin = message.object?["isAdmin"].map { $0 != Array("false".utf8) && $0 != Array("0".utf8) } ?? false
        self.recall(uid, in: try RongCloudTarget(number, name, "targetId"), by: user, isByAdmin: isByAdmin)
    }
}
