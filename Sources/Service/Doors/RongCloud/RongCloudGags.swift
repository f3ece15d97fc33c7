internal import Conversing
internal import JSON
internal import Keeping
internal import Operations
internal import Switchboard
internal import Vocabulary

/// Who may only listen in a group or a chat room, or not come back into one.
struct RongCloudGags {
    enum Kind { case gag, block }

    private let visit: RongCloudVisit
    /// `groupId` or `chatroomId`.
    private let field: String
    private static let users = 1...20
    private static let maximumListed = 10_000

    init(_ visit: RongCloudVisit, in field: String) {
        self.visit = visit
        self.field = field
    }

    private var chat: ChatService { self.visit.chat }

    // MARK: - Setting

    func set(_ kind: Kind, _ form: RongCloudForm) throws(RongCloudProblem) {
        guard let minutes = try form.number("minute", in: 0...43_200) else { throw .missing("minute") }
        let end = RongCloudBlocks.time(minutes, after: self.chat.now)
        try self.change(form) { kind == .gag ? .silence($0, until: end) : .remove($0, until: end) }
    }

    func endGag(_ form: RongCloudForm) throws(RongCloudProblem) { try self.change(form) { .silence($0, until: nil) } }

    /// Who was sent away may come back.
    func endBlock(_ form: RongCloudForm) throws(RongCloudProblem) {
        let users = try form.users("userId", Self.users)
        self.withStanding(try self.place(form)) { self.readmit(users[...], to: $0) }
    }

    private func readmit(_ users: ArraySlice<UserID>, to id: ConversationID) {
        guard let user = users.first else { return self.visit.answer() }
        self.chat.ask(Readmit(user, to: id, by: RongCloudPlace.server, at: self.chat.now)) { result in
            // Who was not sent away may come.
            if case .failure(let error) = result, error.code != .conflict {
                return self.visit.refuse(RongCloudProblem(error))
            }
            self.readmit(users.dropFirst(), to: id)
        }
    }

    private func change(
        _ form: RongCloudForm, _ change: @escaping (UserID) -> ConversationChange
    ) throws(RongCloudProblem) {
        let users = try form.users("userId", Self.users)
        self.withStanding(try self.place(form)) { self.change(users[...], in: $0, change) }
    }

    private func change(
        _ users: ArraySlice<UserID>, in id: ConversationID, _ change: @escaping (UserID) -> ConversationChange
    ) {
        guard let user = users.first else { return self.visit.answer() }
        let request = ChangeRequest(.id(id), change(user), by: RongCloudPlace.server, at: self.chat.now)
        self.chat.change(request, isByServer: true) { result in
            if case .failure(let error) = result, error.code != .notMember {
                return self.visit.refuse(RongCloudProblem(error))
            }
            self.change(users.dropFirst(), in: id, change)
        }
    }

    // MARK: - Listing

    func list(_ kind: Kind, _ form: RongCloudForm) throws(RongCloudProblem) {
        let now = self.chat.now
        self.withStanding(try self.place(form), else: { self.answer([]) }) { id in
            let request = ListSanctions(
                of: id, for: RongCloudPlace.server, after: nil, limit: Self.maximumListed, at: now)
            self.chat.ask(request, isPatient: true) { result in
                self.visit.unlessRefused(result) { views in
                    self.answer(views.map(\.sanction).filter { $0.kind == (kind == .gag ? .silenced : .removed) })
                }
            }
        }
    }

    private func answer(_ sanctions: [Sanction]) {
        self.visit.answer { json in
            json.array("users", of: sanctions) { json, sanction in
                json.object { json in
                    json.field("userId", sanction.user.text)
                    if let until = sanction.until { json.field("time", BeijingTime(until).text) }
                }
            }
        }
    }

    private func place(_ form: RongCloudForm) throws(RongCloudProblem) -> ConversationID {
        let name = try form.required(self.field)
        return try self.field == "groupId"
            ? RongCloudPlace.group(name, self.field) : RongCloudPlace.room(name, self.field)
    }

    private func withStanding(
        _ place: ConversationID, else none: (() -> Void)? = nil, _ work: @escaping (ConversationID) -> Void
    ) {
        self.visit.fetch(FindSuccession(of: place)) { found in
            guard let standing = found.standing else { return none.map { $0() } ?? self.visit.answer() }
            work(standing.id)
        }
    }
}
