internal import FileTypes
internal import Vocabulary

/// What people are called and what they look like.
enum ProfileQueries {
    /// A profile, and which file its picture is.
    struct Row {
        let profile: Profile
        let picture: FileID?
    }

    static func row(of user: UserID, _ connection: borrowing Connection) throws(StoreError) -> Row? {
        let sql = "SELECT name, display_name, avatar, profile_changed, picture FROM users WHERE id = ?"
        return try connection.first(sql, [.user(user)]) { row in
            Row(
                profile: Profile(
                    user, signInName: row.text(0).flatMap { try? UserName($0) },
                    displayName: row.text(1).flatMap { DisplayName($0) },
                    avatar: row.text(2).flatMap { AvatarLink($0) },
                    changed: WallTime(milliseconds: row.integer(3))),
                picture: row.text(4).flatMap { FileID($0) })
        }
    }

    /// Whether anybody shows this file as their picture now.
    static func isPicture(_ file: FileID, _ connection: borrowing Connection) throws(StoreError) -> Bool {
        let sql = "SELECT 1 FROM users WHERE picture = ? LIMIT 1"
        return try connection.first(sql, [.text(file.text)]) { _ in true } ?? false
    }

    private static func write(_ row: Row, at now: WallTime, _ connection: borrowing Connection) throws(StoreError) {
        let profile = row.profile
        let sql = """
            INSERT INTO users (id, display_name, avatar, picture, profile_changed, created) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET display_name = excluded.display_name, avatar = excluded.avatar,
                picture = excluded.picture, profile_changed = excluded.profile_changed
            """
        try connection.run(
            sql,
            [
                .user(profile.user), .text(profile.displayName?.text), .text(profile.avatar?.text),
                .text(row.picture?.text), .time(profile.changed), .time(now),
            ])
    }

    /// A picture is kept for as long as somebody shows it.
    private static func swap(
        _ old: FileID?, for new: FileID?, _ connection: borrowing Connection
    ) throws(StoreError) {
        guard old != new else { return }
        for (file, step) in [(old, "- 1"), (new, "+ 1")] {
            guard let file else { continue }
            try connection.run("UPDATE files SET uses = uses \(step) WHERE id = ?", [.text(file.text)])
        }
    }
}

extension ProfileQueries {
    struct Find: StoreRequest {
        let users: [UserID]

        static let writes = false
        static let looksAside = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> [Profile] {
            var profiles: [Profile] = []
            for user in self.users {
                if let row = try ProfileQueries.row(of: user, connection) { profiles.append(row.profile) }
            }
            return profiles
        }
    }

    struct Change: StoreRequest {
        let change: ProfileChange

        static let writes = true

        /// Of a picture that is shown beside every name.
        private static let largestPicture: Int64 = 10 << 20
        private static let mostConversations = 1000

        func perform(
            on connection: borrowing Connection
        ) throws(StoreError) -> Result<ChangedProfile, ProfileRefusal> {
            if case .set(let picture) = self.change.picture, let refusal = try self.refusal(of: picture, connection) {
                return .failure(refusal)
            }
            let known = try ProfileQueries.row(of: self.change.user, connection)
            let old = known ?? Row(profile: Profile(self.change.user), picture: nil)
            let new = self.changed(old)
            let isNews = new.profile != old.profile
            if isNews {
                try ProfileQueries.swap(old.picture, for: new.picture, connection)
                try ProfileQueries.write(new, at: self.change.now, connection)
            }
            let conversations = isNews ? try self.conversations(connection) : []
            return .success(ChangedProfile(profile: new.profile, isNews: isNews, conversations: conversations))
        }

        private func changed(_ old: Row) -> Row {
            let name: DisplayName? =
                switch self.change.name {
                case .keep: old.profile.displayName
                case .remove: nil
                case .set(let name): name
                }
            let (avatar, picture): (AvatarLink?, FileID?) =
                switch self.change.picture {
                case .keep: (old.profile.avatar, old.picture)
                case .remove: (nil, nil)
                case .set(let picture): (picture.link, picture.file)
                }
            let isSame = name == old.profile.displayName && avatar == old.profile.avatar
            let profile = Profile(
                old.profile.user, signInName: old.profile.signInName, displayName: name, avatar: avatar,
                changed: isSame ? old.profile.changed : self.change.now)
            return Row(profile: profile, picture: picture)
        }

        private func refusal(
            of picture: ProfileChange.Picture, _ connection: borrowing Connection
        ) throws(StoreError) -> ProfileRefusal? {
            let sql = "SELECT width, size FROM files WHERE id = ? AND owner = ?"
            let values: [SQLValue] = [.text(picture.file.text), .user(self.change.user)]
            let isPicture = try connection.first(sql, values) { !$0.isNull(0) && $0.integer(1) <= Self.largestPicture }
            guard let isPicture else { return .noFile }
            return isPicture ? nil : .noPicture
        }

        private func conversations(_ connection: borrowing Connection) throws(StoreError) -> [ConversationID] {
            let sql = """
                SELECT c.id FROM members m JOIN conversations c ON c.number = m.conversation WHERE m.user = ?
                    AND (SELECT count(*) FROM (SELECT 1 FROM members o WHERE o.conversation = m.conversation LIMIT 257))
                        <= 256
                ORDER BY c.number DESC LIMIT \(Self.mostConversations)
                """
            return try connection.all(sql, [.user(self.change.user)]) { row throws(StoreError) in
                try row.required(row.text(0).flatMap { ConversationID($0) }, "conversation id")
            }
        }
    }

    struct Introduce: StoreRequest {
        let introduction: Introduction

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) {
            let words = self.introduction
            let known = try ProfileQueries.row(of: words.user, connection)
            let old = known ?? Row(profile: Profile(words.user), picture: nil)
            guard known == nil || words.now >= old.profile.changed else { return }
            let avatar = words.avatar ?? old.profile.avatar
            let profile = Profile(
                words.user, signInName: old.profile.signInName,
                displayName: words.displayName ?? old.profile.displayName,
                avatar: avatar, changed: words.now)
            guard known == nil || profile.displayName != old.profile.displayName || avatar != old.profile.avatar else {
                return
            }
            // A picture from elsewhere takes the place of an uploaded one.
            let picture = avatar == old.profile.avatar ? old.picture : nil
            try ProfileQueries.swap(old.picture, for: picture, connection)
            try ProfileQueries.write(Row(profile: profile, picture: picture), at: words.now, connection)
        }
    }
}
