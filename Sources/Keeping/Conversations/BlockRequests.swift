internal import Conversing
package import Vocabulary

/// Who does not want to hear from whom.
enum Blocks {
    /// Those who do not want to hear from `other`.
    static func blocking(
        _ other: UserID, among users: [UserID], _ tables: some Tables
    ) throws(StoreError) -> Set<UserID> {
        var found: Set<UserID> = []
        for user in users where try tables.isBlocked(other, by: user) { found.insert(user) }
        return found
    }
}

package struct SetBlocked: StoreRequest {
    package let isBlocked: Bool
    package let other: UserID
    package let user: UserID

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.user }

    package init(_ isBlocked: Bool, _ other: UserID, by user: UserID) {
        self.isBlocked = isBlocked
        self.other = other
        self.user = user
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<Void> {
        if self.isBlocked {
            let others = try tables.blocked(by: self.user).count { $0 != self.other }
            guard others < tables.settings.conversations.maximumBlocked else { return .failure(.tooManyBlocked) }
            try tables.putBlock(of: self.other, by: self.user)
        } else {
            try tables.removeBlock(of: self.other, by: self.user)
        }
        guard let record = try Conversations.direct(UserPair(self.user, self.other), tables),
            var member = record.machine.members[self.user]
        else { return .success(()) }
        member.blocksOther = self.isBlocked
        record.machine.accepted(member)
        return .success(())
    }
}

package struct ListBlocked: StoreRequest {
    package let user: UserID

    package static let access = StoreAccess.reads
    package var asker: UserID? { self.user }

    package init(by user: UserID) { self.user = user }

    package func perform(on tables: some Tables) throws(StoreError) -> [UserID] {
        try tables.blocked(by: self.user)
    }
}
