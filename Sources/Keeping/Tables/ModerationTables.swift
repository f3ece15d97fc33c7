package import Conversing
package import Vocabulary

/// What operators and moderators did.
package protocol AuditTable: AnyObject {
    func latestAuditNumber() throws(StoreError) -> Int64?
    func insert(_ record: AuditRecord) throws(StoreError)
    func setAuditOutcome(_ outcome: AuditRecord.Outcome, of number: Int64) throws(StoreError)
    /// In the order of their numbers.
    func auditRecords(after number: Int64, limit: Int) throws(StoreError) -> [AuditRecord]
    /// The latest first.
    func latestAuditRecords(limit: Int) throws(StoreError) -> [AuditRecord]
    func auditRecordCount(before time: WallTime, upTo number: Int64) throws(StoreError) -> Int
    func removeAuditRecords(before time: WallTime, upTo number: Int64) throws(StoreError)
}

package protocol ModeratorTable: AnyObject {
    func isModerator(_ user: UserID) throws(StoreError) -> Bool
    /// In the order of their ids.
    func moderators() throws(StoreError) -> [Moderator]
    func put(_ moderator: Moderator) throws(StoreError)
    func removeModerator(_ user: UserID) throws(StoreError)
}

/// What is known of those who were sent away from conversations, or may only listen there.
package protocol SanctionTable: AnyObject {
    /// In the place of the one of the same kind.
    func put(_ sanction: Sanction, in key: ConversationKey) throws(StoreError)
    func removeSanction(_ kind: Sanction.Kind, of user: UserID, in key: ConversationKey) throws(StoreError)
    /// Those that are not over, in the order of the users' ids and of the kinds' names.
    func sanctions(
        of key: ConversationKey, after place: SanctionPlace?, at now: WallTime, limit: Int
    ) throws(StoreError) -> [Sanction]
    func removeSanctions(endedBy now: WallTime) throws(StoreError)
}
