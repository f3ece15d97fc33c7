internal import Conversing
internal import JSON
internal import Keeping
internal import Operations
internal import Switchboard
internal import Vocabulary

/// What a user wants of a conversation and of their devices, as programs set it for them.
struct RongCloudArrangements {
    private let visit: RongCloudVisit

    init(_ visit: RongCloudVisit) { self.visit = visit }

    // MARK: - Conversations

    /// Where the two have no conversation there is nothing to mute.
    func mute(_ form: RongCloudForm) throws(RongCloudProblem) {
        guard let isMuted = try form.number("isMuted", in: 0...1) else { throw .missing("isMuted") }
        try self.find(form, "requestId") { user, id in
            guard let id else { return self.visit.answer() }
            self.visit.chat.arrange(SetMuted(isMuted == 1, id, of: user)) { result in
                if case .failure(let error) = result, error.code == .notMember { return self.visit.answer() }
                self.visit.unlessRefused(result) { self.visit.answer() }
            }
        }
    }

    func isMuted(_ form: RongCloudForm) throws(RongCloudProblem) {
        try self.find(form, "requestId") { user, id in
            guard let id else { return self.answer(false) }
            self.visit.chat.ask(ViewConversation(id, for: user)) { result in
                if case .failure(let error) = result, error.code == .notMember { return self.answer(false) }
                self.visit.unlessRefused(result) { self.answer($0.isMuted) }
            }
        }
    }

    private func answer(_ isMuted: Bool) { self.visit.answer { $0.field("isMuted", isMuted ? 1 : 0) } }

    /// The past goes out of the user's sight; the others keep it.
    func clear(_ form: RongCloudForm) throws(RongCloudProblem) {
        try self.find(form, "fromUserId") { user, id in
            guard let id else { return self.visit.answer() }
            self.visit.chat.ask(ClearHistory(of: id, for: user)) { result in
                if case .failure(let error) = result, error.code == .notMember { return self.visit.answer() }
                self.visit.unlessRefused(result) { _ in self.visit.answer() }
            }
        }
    }

    private func find(
        _ form: RongCloudForm, _ field: String, _ work: @escaping (UserID, ConversationID?) -> Void
    ) throws(RongCloudProblem) {
        let user = try form.user(field)
        let target = try form.required("targetId")
        guard let number = try form.number("conversationType", in: 1...12) else { throw .missing("conversationType") }
        guard let kind = RongCloudTarget.Kind(rawValue: number) else {
            throw .notOffered("conversations of this type")
        }
        switch kind {
        case .direct:
            let other = try RongCloudForm.user(target, "targetId")
            self.visit.fetch(FindDirect(UserPair(user, other))) { work(user, $0) }
        case .system:
            work(user, RongCloudPlace.system(from: try RongCloudForm.user(target, "targetId"), to: user))
        case .group, .discussion, .room:
            let place =
                try kind == .room ? RongCloudPlace.room(target, "targetId") : RongCloudPlace.group(target, "targetId")
            self.visit.fetch(FindSuccession(of: place)) { work(user, $0.standing?.id) }
        }
    }

    // MARK: - Quiet times

    private static let lengths = 1...1439
    /// Programs mean the clock of Beijing.
    private static let offset = 480

    func setQuietTime(_ form: RongCloudForm) throws(RongCloudProblem) {
        let user = try form.user("userId")
        let start = try form.required("startTime")
        guard let second = BeijingTime.secondOfDay(start) else { throw .illegal("startTime", "HH:mm:ss") }
        guard let length = try form.number("period", in: Self.lengths) else { throw .missing("period") }
        let level = try form.number("level", in: 1...5) ?? 1
        let quiet = QuietHours(
            from: second / 60, to: (second / 60 + length) % 1440, offset: Self.offset, letsCallsThrough: false)
        let json = JSONWriter.object { json in
            json.field("startTime", start)
            json.field("period", length)
            json.field("unPushLevel", level)
        }
        let record = self.visit.record(
            RongCloudBook.quietTimes, user.text, String(decoding: json, as: UTF8.self), of: user)
        self.visit.write([record]) { self.set(quiet, of: user) }
    }

    func removeQuietTime(_ form: RongCloudForm) throws(RongCloudProblem) {
        let user = try form.user("userId")
        self.visit.write(removing: [.init(RongCloudBook.quietTimes, user.text)]) { self.set(nil, of: user) }
    }

    /// The devices that the user has now make no sound then.
    private func set(_ quiet: QuietHours?, of user: UserID) {
        self.visit.fetch(SetQuietHours(quiet, of: user)) { [visit] in visit.answer() }
    }

    func quietTime(_ form: RongCloudForm) throws(RongCloudProblem) {
        let user = try form.user("userId")
        self.visit.find([.init(RongCloudBook.quietTimes, user.text)]) { [visit] found in
            visit.answer { json in
                guard let record = found.first else { return json.object("data") { _ in } }
                json.field("data", raw: Array(record.value.utf8))
            }
        }
    }
}
