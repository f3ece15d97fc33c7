internal import Conversing
internal import JSON
internal import Pacing
package import Store
internal import Vocabulary

/// What people say of themselves: takes it, keeps it, and tells everybody who sees them. It lives on the loop of the
/// sockets.
package final class ProfileDesk {
    private let store: any ProfileStore
    private let board: Switchboard
    private let chat: ChatDesk
    /// Each change is told to many.
    private var changes = AttemptLimiter<UserID>(
        .init(free: 20, firstDelay: .seconds(1), maximumDelay: .seconds(60), forgetsAfter: .seconds(600)))

    package init(_ store: any ProfileStore, _ board: Switchboard, _ chat: ChatDesk) {
        self.store = store
        self.board = board
        self.chat = chat
    }

    /// Where a file is found for as long as it is somebody's picture.
    package static let pictures = "/v1/avatars/"

    func received(
        _ name: String, _ fields: borrowing RequestFields, _ asked: ChatAsker
    ) throws(SwitchboardError) {
        switch name {
        case "profile.own": self.find([asked.user]) { asked.answer($0) { $0.profile($1.first ?? Profile(asked.user)) } }
        case "profile.of": try self.look(fields, asked)
        case "profile.list":
            let users = try fields.users("users", atMost: self.chat.settings.maxNames)
            self.find(users) { asked.answer($0) { $0.profiles($1) } }
        case "profile.change": try self.change(fields, asked)
        default: throw SwitchboardError(.unknownEvent, "no event is called '\(name.prefix(32))'")
        }
    }

    /// The same requests over another door: `json` is the one object.
    package func request(_ name: String, _ json: [UInt8], by asker: ChatAsker) throws(SwitchboardError) {
        try self.received(name, try RequestFields(document: json.span), asker)
    }

    private func find(_ users: [UserID], _ completion: @escaping ChatDesk.Completion<[Profile]>) {
        self.store.profiles(of: users, self.chat.returning(completion))
    }

    private func look(_ fields: borrowing RequestFields, _ asked: ChatAsker) throws(SwitchboardError) {
        let user = try fields.required("user") { UserID($0) }
        self.find([user]) { result in
            let found = result.flatMap { profiles -> Result<Profile, SwitchboardError> in
                guard let profile = profiles.first else {
                    return .failure(SwitchboardError(.notFound, "nothing is known of this user"))
                }
                return .success(profile)
            }
            asked.answer(found) { $0.profile($1) }
        }
    }
}

// MARK: - Changing it

extension ProfileDesk {
    private func change(_ fields: borrowing RequestFields, _ asked: ChatAsker) throws(SwitchboardError) {
        var change = ProfileChange(of: asked.user, at: self.chat.now)
        if let name = try fields.text("name", as: Self.name) { change.name = name }
        if let picture = try fields.text("avatar", as: Self.picture) { change.picture = picture }
        do throws(AttemptLimiter<UserID>.Refusal) {
            try self.changes.began(asked.user, at: self.board.now)
        } catch {
            throw SwitchboardError(.rateLimited, "too many changes of one profile", retryAfter: error.retryAfter)
        }
        self.store.change(
            change,
            self.chat.returning { [unowned self] result in
                let changed = result.flatMap { $0.mapError { SwitchboardError($0) } }
                if case .success(let changed) = changed, changed.isNews { self.tell(changed) }
                asked.answer(changed) { $0.profile($1.profile) }
            })
    }

    /// An empty text takes away what there was.
    private static func name(_ text: String) -> ProfileChange.Wish<DisplayName>? {
        text.isEmpty ? .remove : DisplayName(text).map { .set($0) }
    }

    private static func picture(_ text: String) -> ProfileChange.Wish<ProfileChange.Picture>? {
        guard !text.isEmpty else { return .remove }
        guard let file = FileID(text), let link = AvatarLink(Self.pictures + text) else { return nil }
        return .set(ProfileChange.Picture(file, at: link))
    }

    /// Once to everybody who sees the user: in presence, in a room, in a conversation.
    private func tell(_ changed: ChangedProfile) {
        let hearing = self.chat.tell(changed.profile, in: changed.conversations)
        self.board.tell(changed.profile, hearing)
    }
}

extension SwitchboardError {
    fileprivate init(_ refusal: ProfileRefusal) {
        switch refusal {
        case .noFile: self.init(.notFound, "there is no such file of yours")
        case .noPicture: self.init(.badRequest, "an avatar is a picture of at most 10 MiB: PNG, JPEG, GIF or WebP")
        }
    }
}

extension JSONWriter {
    fileprivate mutating func profiles(_ profiles: [Profile]) {
        self.object { json in
            json.key("users")
            json.array { json in for profile in profiles { json.profile(profile) } }
        }
    }
}
