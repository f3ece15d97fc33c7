internal import Identity
internal import JSON
internal import Keeping
internal import Switchboard
internal import Vocabulary

/// `/user/…`: who there is, and how they come in.
struct RongCloudUsers {
    private let visit: RongCloudVisit
    private static let maximumNameBytes = 128

    init(_ visit: RongCloudVisit) { self.visit = visit }

    func getToken(_ form: RongCloudForm) throws(RongCloudProblem) {
        let user = try form.user("userId")
        let (name, avatar) = (try Self.name(form), try Self.avatar(form))
        let accounts = self.visit.dependencies.accounts
        self.visit.await { () async throws(IdentityRefusal) in
            try await accounts.vouch(for: user, displayName: name, avatar: avatar)
        } _: { [visit] token in
            visit.answer { json in
                json.field("userId", user.text)
                json.field("token", token.text)
            }
        }
    }

    /// Everybody who sees the user is told.
    func refresh(_ form: RongCloudForm) throws(RongCloudProblem) {
        var change = ProfileChange(of: try form.user("userId"), at: self.visit.chat.now)
        if let name = try Self.name(form) { change.name = .set(name) }
        change.link = try Self.avatar(form)
        self.visit.dependencies.profiles.change(change) { [visit] result in
            visit.unlessRefused(result) { _ in visit.answer() }
        }
    }

    func info(_ form: RongCloudForm) throws(RongCloudProblem) {
        self.visit.fetch(FindUser.id(try form.user("userId"))) { [visit] user in
            visit.answer { json in
                json.field("userName", user?.shownName?.text ?? "")
                json.field("userPortrait", user?.avatar?.text ?? "")
                json.field("createTime", user.map { BeijingTime($0.created).text } ?? "")
            }
        }
    }

    func checkOnline(_ form: RongCloudForm) throws(RongCloudProblem) {
        let user = try form.user("userId")
        let isOnline = self.visit.dependencies.board.view(of: user).isOnline
        self.visit.answer { $0.field("status", isOnline ? "1" : "0") }
    }

    // MARK: - What may stand in the fields

    private static func name(_ form: RongCloudForm) throws(RongCloudProblem) -> DisplayName? {
        try self.title(try form.text("name", maximum: self.maximumNameBytes), "name")
    }

    /// Names are longer there: of one that is, the beginning is shown.
    static func title(_ text: String?, _ field: String) throws(RongCloudProblem) -> DisplayName? {
        guard let text else { return nil }
        guard let name = DisplayName(text) ?? DisplayName(String(text.prefix(DisplayName.maximumLength))) else {
            throw .illegal(field, "a name that can be shown: letters of one alphabet in each word, nothing invisible")
        }
        return name
    }

    private static func avatar(_ form: RongCloudForm) throws(RongCloudProblem) -> AvatarLink? {
        guard let text = try form.text("portraitUri", maximum: AvatarLink.maximumLength) else { return nil }
        guard let link = AvatarLink(text) else { throw .illegal("portraitUri", "a web address") }
        return link
    }
}
