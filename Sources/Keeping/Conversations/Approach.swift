internal import Conversing
package import Vocabulary

/// How far a user may go who brings others into conversations without having been asked to. What the server itself begins
/// goes without.
package struct Approach: Hashable, Sendable {
    /// One more conversation may be begun now.
    package let mayBegin: Bool
    /// Those who were put into enough groups lately by people they never wrote to.
    package let crowded: Set<UserID>

    package init(mayBegin: Bool = true, crowded: Set<UserID> = []) {
        self.mayBegin = mayBegin
        self.crowded = crowded
    }
}

/// What is asked before a user approaches others.
enum Acquaintance {
    /// As far as it is looked back for a word of the other.
    private static let maximumLatest = 200

    /// Has an account that was not deleted, or is a member of a conversation.
    static func isKnown(_ user: UserID, _ tables: some Tables) throws(StoreError) -> Bool {
        guard try tables.user(user)?.tombstone == nil else { return false }
        return try self.wasHere(user, tables)
    }

    /// Whether one of them was never here: a name that was mistyped, or made up.
    static func hasUnknown(_ users: [UserID], _ tables: some Tables) throws(StoreError) -> Bool {
        for user in users where try !self.wasHere(user, tables) { return true }
        return false
    }

    private static func wasHere(_ user: UserID, _ tables: some Tables) throws(StoreError) -> Bool {
        if try tables.user(user) != nil { return true }
        return try tables.conversationCount(of: user, limit: 1) > 0
    }

    static func isFull(_ user: UserID, _ tables: some Tables) throws(StoreError) -> Bool {
        let maximum = tables.settings.conversations.maximumConversations
        return try tables.conversationCount(of: user, limit: maximum) >= maximum
    }

    /// Of these, all who have not written to `other` lately, in the conversation of the two.
    static func strangers(
        to other: UserID, among users: [UserID], _ tables: some Tables
    ) throws(StoreError) -> Set<UserID> {
        var strangers: Set<UserID> = []
        for user in users where user != other {
            guard let key = try tables.direct(UserPair(user, other)),
                try tables.isSender(user, in: key, amongLatest: self.maximumLatest)
            else {
                strangers.insert(user)
                continue
            }
        }
        return strangers
    }

    /// Whom `actor` does not bring into a group: those who do not want to, and those for whom it would be too much.
    static func unwilling(
        _ actor: UserID, among users: [UserID], _ approach: Approach?, strangers: Set<UserID>, _ tables: some Tables
    ) throws(StoreError) -> Set<UserID> {
        var unwilling = try Blocks.blocking(actor, among: users, tables)
        for user in users where try tables.user(user)?.tombstone != nil { unwilling.insert(user) }
        guard let approach else { return unwilling }
        unwilling.formUnion(strangers.intersection(approach.crowded))
        for user in users where !unwilling.contains(user) {
            if try self.isFull(user, tables) { unwilling.insert(user) }
        }
        return unwilling
    }
}
