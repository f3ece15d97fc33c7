package import Vocabulary

/// Users with an account here or a name.
package protocol UserTable: AnyObject {
    func user(_ id: UserID) throws(StoreError) -> UserRow?
    /// Those that are there, asked for at once.
    func users(_ ids: [UserID]) throws(StoreError) -> [UserID: UserRow]
    /// The one with this name, in whichever case its letters are written.
    func user(named name: UserName) throws(StoreError) -> UserRow?
    func user(withTokenHash hash: [UInt8]) throws(StoreError) -> UserRow?
    /// Those with a name, in the order of the names, from the one after `name`.
    func users(after name: String, limit: Int) throws(StoreError) -> [UserRow]
    /// Those whose account was not deleted, in the order of their ids.
    func userIDs(after id: String, limit: Int) throws(StoreError) -> [UserID]
    func insert(_ user: UserRow) throws(StoreError)
    func update(_ user: UserRow) throws(StoreError)
    /// Whether it is the picture of any user.
    func isPicture(_ file: FileID) throws(StoreError) -> Bool
    /// Whether a deleted account had the name with this hash.
    func isRetired(nameHash: [UInt8]) throws(StoreError) -> Bool
    /// Users whose account was deleted; `isErasing`: only those of whom something is left.
    func deletedUsers(isErasing: Bool) throws(StoreError) -> [UserID]
}

package struct UserRow: Hashable, Sendable {
    package var account: StoredUser
    package var token: LongLivedToken?
    /// Which of the user's files the avatar is.
    package var picture: FileID?
    /// Since when the profile is as it is.
    package var profileChanged = WallTime(milliseconds: 0)
    /// Set when the account was deleted: then there is nothing else.
    package var tombstone: Tombstone?

    package init(_ account: StoredUser, token: LongLivedToken? = nil) {
        self.account = account
        self.token = token
    }

    /// Nil of an account that was deleted.
    package var livingAccount: StoredUser? { self.tombstone == nil ? self.account : nil }
}

package protocol RefreshTable: AnyObject {
    func refreshFamily(_ id: RandomToken) throws(StoreError) -> RefreshFamily?
    /// All of a user's, the last used first.
    func refreshFamilies(of user: UserID) throws(StoreError) -> [RefreshFamily]
    /// The same as their user is shown them.
    func refreshFamilyUses(of user: UserID) throws(StoreError) -> [RefreshFamily.Use]
    func insert(_ family: RefreshFamily, usedAt now: WallTime) throws(StoreError)
    func update(_ family: RefreshFamily, usedAt now: WallTime) throws(StoreError)
    /// And the devices that were to be woken in it.
    func removeRefreshFamily(_ id: RandomToken) throws(StoreError)
    /// And their devices.
    func removeRefreshFamilies(expiredBy now: WallTime) throws(StoreError)
}

package protocol RestrictionTable: AnyObject {
    func restrictions() throws(StoreError) -> [Restriction]
    /// In the place of what is there for this user.
    func put(_ restriction: Restriction) throws(StoreError)
    func removeRestriction(of user: UserID) throws(StoreError)
    func revokedTokens() throws(StoreError) -> [RevokedToken]
    /// Nothing when it is there.
    func put(_ token: RevokedToken) throws(StoreError)
    func removeRevokedTokens(expiredBy now: WallTime) throws(StoreError)
}

/// Calls that are over, and beside them those that are not.
package protocol CallLogTable: AnyObject {
    /// Nothing when it is there.
    func put(_ call: CallUnderWay) throws(StoreError)
    func callsUnderWay() throws(StoreError) -> [CallUnderWay]
    func removeCallUnderWay(_ id: CallID) throws(StoreError)
    /// Nothing when it is there.
    func put(_ call: StoredCall) throws(StoreError)
    /// Those a user took part in, the newest first.
    func calls(of user: UserID, startedBefore start: WallTime, limit: Int) throws(StoreError) -> [StoredCall]
    func callCount(endedBefore end: WallTime) throws(StoreError) -> Int
    func removeCalls(endedBefore end: WallTime) throws(StoreError)
}
