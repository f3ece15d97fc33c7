internal import Clustering
internal import Conversing
internal import JSON
package import Operations
internal import Pacing
package import Keeping
package import Vocabulary

/// What people say of themselves: takes it, keeps it, and tells all who see them. It lives on the loop of the
/// sockets.
package final class ProfileService {
    private let board: Switchboard
    private let chat: ChatService
    /// Each change is told to many.
    private var changes = AttemptLimiter<UserID>(
        .init(free: 20, firstDelay: .seconds(1), maximumDelay: .seconds(60), forgetsAfter: .seconds(600)))

    package init(_ board: Switchboard, _ chat: ChatService) {
        self.board = board
        self.chat = chat
    }

    /// Where a file is found for as long as it is a user's picture.
    package static let pictures = "/v1/avatars/"

    package func carryOut(_ request: ProfileRequest, _ asked: ChatAsker) throws(RequestError) {
        switch request {
        case .own: self.find([asked.user]) { asked.answer($0) { $0.profile($1.first ?? Profile(asked.user)) } }
        case .of(let user): self.read(user, asked)
        case .list(let users): self.find(users) { asked.answer($0) { $0.profiles($1) } }
        case .change(let name, let avatar): try self.change(name, avatar, asked)
        }
    }

    private func find(_ users: [UserID], _ completion: @escaping ChatService.Completion<[Profile]>) {
        self.chat.fetch(FindProfiles(of: users), completion)
    }

    private func read(_ user: UserID, _ asked: ChatAsker) {
        self.chat.fetch(FindProfile(of: user)) { result in
            let found = result.flatMap { profile -> Result<Profile, RequestError> in
                guard let profile else {
                    return .failure(RequestError(.notFound, "nothing is known of this user"))
                }
                return .success(profile)
            }
            asked.answer(found) { $0.profile($1) }
        }
    }
}

// MARK: - Changing it

extension ProfileService {
    private func change(
        _ name: Clearable<DisplayName>?, _ avatar: Clearable<FileID>?, _ asked: ChatAsker
    ) throws(RequestError) {
        var change = ProfileChange(of: asked.user, at: self.chat.now)
        var flagged: String?
        if let name {
            change.name = name.wish
            if case .set(let name) = name { flagged = try self.chat.filter.judge(name: name) }
        }
        if let avatar { change.picture = try Self.picture(avatar) }
        do throws(AttemptLimiter<UserID>.Refusal) {
            try self.changes.began(asked.user, at: self.board.now)
        } catch {
            throw RequestError(.rateLimited, "too many changes of one profile", retryAfter: error.retryAfter)
        }
        self.chat.fetch(change) { [unowned self, flagged] result in
            let changed = result.flatMap { $0.mapError { RequestError($0) } }
            if case .success(let changed) = changed, changed.isNews {
                self.tell(changed)
                if let flagged { self.chat.flag(.user(asked.user), flagged) }
            }
            asked.answer(changed) { $0.profile($1.profile) }
        }
    }

    /// What a program says of a user whom it vouches for.
    package func change(_ change: ProfileChange, _ completion: @escaping ChatService.Completion<Profile>) {
        self.chat.fetch(change) { [unowned self] result in
            let changed = result.flatMap { $0.mapError { RequestError($0) } }
            if case .success(let changed) = changed, changed.isNews { self.tell(changed) }
            completion(changed.map(\.profile))
        }
    }

    private static func picture(
        _ avatar: Clearable<FileID>
    ) throws(RequestError) -> ProfileChange.Wish<ProfileChange.Picture> {
        guard case .set(let file) = avatar else { return .remove }
        guard let link = AvatarLink(Self.pictures + file.text) else {
            throw RequestError(.badRequest, "field 'avatar' must be the id of a file")
        }
        return .set(ProfileChange.Picture(file, at: link))
    }

    /// Once to all who see the user: in presence, in a room, in a conversation.
    package func tell(_ changed: ChangedProfile) {
        self.chat.feed.publish(.profile(changed.profile.user))
        self.tellHere(changed)
    }

    /// Another node has changed it.
    package func changedElsewhere(_ user: UserID) {
        self.chat.fetch(FindChangedProfile(of: user)) { [weak self] result in
            if case .success(let changed?) = result { self?.tellHere(changed) }
        }
    }

    private func tellHere(_ changed: ChangedProfile) {
        let hearing = self.chat.tell(changed.profile, in: changed.conversations)
        self.board.tell(changed.profile, hearing)
    }
}

extension RequestError {
    fileprivate init(_ refusal: ProfileRefusal) {
        switch refusal {
        case .noFile: self.init(.notFound, "there is no such file of yours")
        case .noPicture: self.init(.badRequest, "an avatar is a picture of at most 10 MiB: PNG, JPEG, GIF or WebP")
        }
    }
}

extension Clearable {
    fileprivate var wish: ProfileChange.Wish<Value> {
        switch self {
        case .removed: .remove
        case .set(let value): .set(value)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func profiles(_ profiles: [Profile]) {
        self.object { $0.array("users", of: profiles) { $0.profile($1) } }
    }
}
