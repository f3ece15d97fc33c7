internal import Conversing
package import Vocabulary

/// A user whom an operator has named a moderator of the server.
package struct Moderator: Hashable, Sendable {
    package let user: UserID
    package let since: WallTime

    package init(_ user: UserID, since: WallTime) {
        self.user = user
        self.since = since
    }
}

/// Names a moderator, or no longer. False for a user nobody knows.
package struct SetModerator: StoreRequest {
    package let isModerator: Bool
    package let user: UserID
    package let now: WallTime

    package static let access = StoreAccess.writes

    package init(_ isModerator: Bool, _ user: UserID, at now: WallTime) {
        self.isModerator = isModerator
        self.user = user
        self.now = now
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Bool {
        guard self.isModerator else {
            try tables.removeModerator(self.user)
            return true
        }
        guard try Acquaintance.isKnown(self.user, tables) else { return false }
        if try !tables.isModerator(self.user) { try tables.put(Moderator(self.user, since: self.now)) }
        return true
    }
}

/// All moderators, with the names they are known by.
package struct ListModerators: StoreRequest {
    package static let access = StoreAccess.readsCommitted

    package init() {}

    package func perform(on tables: some Tables) throws(StoreError) -> [ModeratorView] {
        var views: [ModeratorView] = []
        for moderator in try tables.moderators() {
            views.append(ModeratorView(moderator: moderator, profile: try tables.user(moderator.user)?.profile))
        }
        return views
    }
}

package struct ModeratorView: Hashable, Sendable {
    package let moderator: Moderator
    package let profile: Profile?
}

/// A change that needs power over others, as the audit log tells of it.
struct ModeratorAction {
    private let name: String
    private let user: UserID?
    private let details: [String]

    /// Nil for what users do for themselves.
    init?(_ change: ConversationChange, by actor: UserID, about target: MessageState?) {
        switch change {
        case .remove(let user, let until, let reason):
            (self.name, self.user) = ("chat.remove", user)
            self.details = [until.map { "until=\($0.milliseconds)" }, reason.map { "reason=\($0.text)" }]
                .compactMap(\.self)
        case .silence(let user, let until, let reason):
            (self.name, self.user) = ("chat.silence", user)
            self.details = [until.map { "until=\($0.milliseconds)" } ?? "lifted", reason.map { "reason=\($0.text)" }]
                .compactMap(\.self)
        case .recall(let number):
            guard let target, target.sender != actor else { return nil }
            (self.name, self.user) = ("chat.recall", target.sender)
            self.details = ["number=\(number)"]
        case .post, .edit, .react, .pin, .invite, .join, .leave, .rename, .setRole, .dissolve: return nil
        }
    }

    /// Within the same commit as the change.
    func note(
        by moderator: UserID, in id: ConversationID, at now: WallTime, _ tables: some Tables
    ) throws(StoreError) {
        let detail = (["conversation=\(id.text)"] + self.details).joined(separator: " ")
        try BeginAudit(by: .init(moderator: moderator), self.name, on: self.user?.text, detail, at: now)
            .write(.done, tables)
    }
}

enum Moderation {
    /// Whether a user leads a conversation, or moderates the server.
    static func right(
        of user: UserID, in key: ConversationKey, _ tables: some Tables
    ) throws(StoreError) -> Result<Right, ConversationRefusal> {
        let member = try tables.member(user, of: key)?.member
        if let member, member.role >= .admin { return .success(.leads) }
        if try tables.isModerator(user) { return .success(.moderates) }
        return .failure(member == nil ? .notMember : .forbidden)
    }

    enum Right { case leads, moderates }
}

// MARK: - A moderator's list

/// Who was sent away from a conversation and who may only listen, in the order of their ids, from the one after `place`.
package struct ListSanctions: StoreRequest {
    package let conversation: ConversationID
    package let user: UserID
    package let place: SanctionPlace?
    package let limit: Int
    package let now: WallTime

    package static let access = StoreAccess.readsCommitted
    package static let isHeavy = true
    package var asker: UserID? { self.user }

    package init(
        of conversation: ConversationID, for user: UserID, after place: SanctionPlace?, limit: Int, at now: WallTime
    ) {
        self.conversation = conversation
        self.user = user
        self.place = place
        self.limit = max(limit, 0)
        self.now = now
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<[SanctionView]> {
        guard let row = try tables.conversation(self.conversation) else { return .failure(.notMember) }
        if case .failure(let refusal) = try Moderation.right(of: self.user, in: row.key, tables) {
            return .failure(refusal)
        }
        var views: [SanctionView] = []
        for sanction in try tables.sanctions(of: row.key, after: self.place, at: self.now, limit: self.limit) {
            views.append(SanctionView(sanction: sanction, name: try tables.user(sanction.user)?.profile.shownName))
        }
        return .success(views)
    }
}

package struct SanctionView: Hashable, Sendable {
    package let sanction: Sanction
    package let name: DisplayName?
}

/// Lets somebody back who was sent away, without bringing them in; a silence that waits for them goes, too.
package struct Readmit: StoreRequest {
    package let conversation: ConversationID
    package let user: UserID
    package let actor: UserID
    package let now: WallTime

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.actor }

    package init(_ user: UserID, to conversation: ConversationID, by actor: UserID, at now: WallTime) {
        self.user = user
        self.conversation = conversation
        self.actor = actor
        self.now = now
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<Void> {
        guard let key = try tables.conversation(self.conversation)?.key else { return .failure(.notMember) }
        let right: Moderation.Right
        switch try Moderation.right(of: self.actor, in: key, tables) {
        case .success(let found): right = found
        case .failure(let refusal): return .failure(refusal)
        }
        guard try tables.formerMember(self.user, of: key) != nil else { return .failure(.taken) }
        try tables.removeFormerMember(self.user, of: key)
        for kind in Sanction.Kind.allCases { try tables.removeSanction(kind, of: self.user, in: key) }
        if right == .moderates {
            let place = "conversation=\(self.conversation.text)"
            try BeginAudit(by: .init(moderator: self.actor), "chat.readmit", on: self.user.text, place, at: self.now)
                .write(.done, tables)
        }
        return .success(())
    }
}

/// Silences and removals that are over.
package struct ForgetSanctions: StoreRequest {
    package let now: WallTime

    package static let access = StoreAccess.writes

    package init(endedBy now: WallTime) { self.now = now }

    package func perform(on tables: some Tables) throws(StoreError) { try tables.removeSanctions(endedBy: self.now) }
}
