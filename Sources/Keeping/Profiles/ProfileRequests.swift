internal import Conversing
package import Vocabulary

/// Of those of `users` of whom something is known, in their order.
package struct FindProfiles: StoreRequest {
    package let users: [UserID]

    package static let access = StoreAccess.readsCommitted
    package static let maximumUsers = 500

    /// - Parameter users: those behind the first 500 are not looked up.
    package init(of users: [UserID]) { self.users = Array(users.prefix(Self.maximumUsers)) }

    package func perform(on tables: some Tables) throws(StoreError) -> [Profile] {
        var profiles: [Profile] = []
        for user in self.users {
            if let row = try tables.user(user) { profiles.append(row.profile) }
        }
        return profiles
    }
}

/// What is known of a user who signs in, and whom they have blocked.
package struct KnownVisitor: Hashable, Sendable {
    /// Nil for a new user.
    package let profile: Profile?
    package let blocked: [UserID]

    init(_ user: UserID, _ tables: some Tables) throws(StoreError) {
        self.profile = try tables.user(user)?.profile
        self.blocked = try tables.blocked(by: user)
    }
}

/// Reads in its turn among the writers: a change that is committed later is also told later.
package struct FindVisitor: StoreRequest {
    package let user: UserID

    package static let access = StoreAccess.reads
    package var asker: UserID? { self.user }

    package init(of user: UserID) { self.user = user }

    package func perform(on tables: some Tables) throws(StoreError) -> KnownVisitor {
        try KnownVisitor(self.user, tables)
    }
}

/// Of somebody by their id, or else by the name they registered with.
package struct FindProfile: StoreRequest {
    package let user: UserID

    package static let access = StoreAccess.readsCommitted

    package init(of user: UserID) { self.user = user }

    package func perform(on tables: some Tables) throws(StoreError) -> Profile? {
        if let row = try tables.user(self.user) { return row.profile }
        guard let name = try? UserName(self.user.text) else { return nil }
        return try tables.user(named: name)?.profile
    }
}

extension UserRow {
    var profile: Profile {
        Profile(
            self.account.id, signInName: self.account.name, displayName: self.account.displayName,
            avatar: self.account.avatar, changed: self.profileChanged, isDeleted: self.tombstone != nil)
    }

    /// The same user under another name or with another picture.
    func showing(_ name: DisplayName?, _ avatar: AvatarLink?, _ picture: FileID?, since now: WallTime) -> UserRow {
        var row = self
        row.account.displayName = name
        row.account.avatar = avatar
        row.picture = picture
        row.profileChanged = now
        return row
    }

    func write(over old: UserRow?, _ tables: some Tables) throws(StoreError) {
        // A picture is kept for as long as a user shows it.
        if old?.picture != self.picture {
            if let picture = old?.picture { try tables.changeUses(of: picture, by: -1) }
            if let picture = self.picture { try tables.changeUses(of: picture, by: 1) }
        }
        if old == nil { try tables.insert(self) } else { try tables.update(self) }
    }
}

// MARK: - Changing it

/// What a user changes about themselves.
package struct ProfileChange: Hashable, StoreRequest {
    package enum Wish<Value: Hashable & Sendable>: Hashable, Sendable {
        case keep
        case remove
        case set(Value)
    }

    /// One of the user's own files, and where it is found as a picture of a user.
    package struct Picture: Hashable, Sendable {
        package let file: FileID
        package let link: AvatarLink

        package init(_ file: FileID, at link: AvatarLink) {
            self.file = file
            self.link = link
        }
    }

    package let user: UserID
    package var name = Wish<DisplayName>.keep
    package var picture = Wish<Picture>.keep
    /// A picture from elsewhere, of which a program told that vouches for the user; it takes the place of `picture`.
    package var link: AvatarLink?
    package let now: WallTime

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.user }

    package init(of user: UserID, at now: WallTime) {
        self.user = user
        self.now = now
    }
}

package enum ProfileRefusal: Error, Hashable, Sendable {
    /// The user has no such file.
    case noFile
    /// It is no picture, or too large a one.
    case noPicture
}

package struct ChangedProfile: Hashable, Sendable {
    package let profile: Profile
    /// False when it was so before.
    package let isNews: Bool
    /// Where others see the user; none so large that receipts are not told there either.
    package let conversations: [ConversationID]
}

extension ProfileChange {
    package func perform(on tables: some Tables) throws(StoreError) -> Result<ChangedProfile, ProfileRefusal> {
        if case .set(let picture) = self.picture {
            let file = try tables.file(picture.file)?.file
            if let refusal = self.refusal(of: file, tables.settings) { return .failure(refusal) }
        }
        let known = try tables.user(self.user)
        let old = known ?? UserRow(StoredUser(id: self.user, created: self.now))
        let new = self.changed(old)
        guard new.profile != old.profile, old.tombstone == nil else {
            return .success(ChangedProfile(profile: old.profile, isNews: false, conversations: []))
        }
        try new.write(over: known, tables)
        return .success(try ChangedProfile(news: new.profile, tables))
    }

    private func refusal(of file: FileRecord?, _ settings: StoreSettings) -> ProfileRefusal? {
        guard let file, file.owner == self.user else { return .noFile }
        return file.picture != nil && file.size <= settings.maximumAvatarBytes ? nil : .noPicture
    }

    private func changed(_ old: UserRow) -> UserRow {
        let name: DisplayName? =
            switch self.name {
            case .keep: old.account.displayName
            case .remove: nil
            case .set(let name): name
            }
        let (avatar, picture): (AvatarLink?, FileID?) =
            if let link { (link, link == old.account.avatar ? old.picture : nil) } else { self.pictured(old) }
        let isSame = name == old.account.displayName && avatar == old.account.avatar
        return old.showing(name, avatar, picture, since: isSame ? old.profileChanged : self.now)
    }

    private func pictured(_ old: UserRow) -> (AvatarLink?, FileID?) {
        switch self.picture {
        case .keep: (old.account.avatar, old.picture)
        case .remove: (nil, nil)
        case .set(let picture): (picture.link, picture.file)
        }
    }
}

extension ChangedProfile {
    /// In larger ones no member is told.
    private static let maximumMembers = 256
    private static let maximumConversations = 1000

    /// Everybody who sees the user has to hear of it.
    init(news profile: Profile, _ tables: some Tables) throws(StoreError) {
        var found: [ConversationID] = []
        for key in try tables.conversations(of: profile.user, after: nil, limit: .max)
        where found.count < Self.maximumConversations {
            guard try tables.memberCount(of: key, limit: Self.maximumMembers + 1) <= Self.maximumMembers,
                let conversation = try tables.conversation(key)
            else { continue }
            found.append(conversation.id)
        }
        self.init(profile: profile, isNews: true, conversations: found)
    }
}

/// A profile that was changed elsewhere, and who has to hear of it; nil for a user nobody knows.
package struct FindChangedProfile: StoreRequest {
    package let user: UserID

    package static let access = StoreAccess.readsCommitted

    package init(of user: UserID) { self.user = user }

    package func perform(on tables: some Tables) throws(StoreError) -> ChangedProfile? {
        guard let row = try tables.user(self.user) else { return nil }
        return try ChangedProfile(news: row.profile, tables)
    }
}

// MARK: - Being introduced

/// What a program that vouches for a user says of them, who may be unknown so far and is known from now on. What the user has said
/// of themselves later stays. Where nothing is new, nothing is written.
package struct Introduction: Hashable, StoreRequest {
    package let user: UserID
    /// Nil is not said.
    package let displayName: DisplayName?
    package let avatar: AvatarLink?
    package let now: WallTime

    package static let access = StoreAccess.writesWithGroup
    package var asker: UserID? { self.user }

    package init(_ user: UserID, displayName: DisplayName?, avatar: AvatarLink?, at now: WallTime) {
        self.user = user
        self.displayName = displayName
        self.avatar = avatar
        self.now = now
    }
}

extension Introduction {
    package func perform(on tables: some Tables) throws(StoreError) -> KnownVisitor {
        try self.write(tables)
        return try KnownVisitor(self.user, tables)
    }

    private func write(_ tables: some Tables) throws(StoreError) {
        let known = try tables.user(self.user)
        let old = known ?? UserRow(StoredUser(id: self.user, created: self.now))
        guard old.tombstone == nil, known == nil || self.now >= old.profileChanged else { return }
        let (name, avatar) = (self.displayName ?? old.account.displayName, self.avatar ?? old.account.avatar)
        guard known == nil || name != old.account.displayName || avatar != old.account.avatar else { return }
        // A picture from elsewhere takes the place of an uploaded one.
        let picture = avatar == old.account.avatar ? old.picture : nil
        try old.showing(name, avatar, picture, since: self.now).write(over: known, tables)
    }
}

/// The introduction of a user by the token with which they sign in. A crash may lose it: the next sign-in repeats it.
package struct VisitorIntroduction: StoreRequest {
    private let introduction: Introduction

    package static let access = StoreAccess.writesBehind
    package var asker: UserID? { self.introduction.asker }

    package init(_ introduction: Introduction) { self.introduction = introduction }

    package func perform(on tables: some Tables) throws(StoreError) -> KnownVisitor {
        try self.introduction.perform(on: tables)
    }
}
