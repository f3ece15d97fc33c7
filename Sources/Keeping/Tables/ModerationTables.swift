package import Conversing
package import Vocabulary

/// Words about which something is done.
package protocol WordRuleTable: AnyObject {
    /// In the order of their words.
    func wordRules() throws(StoreError) -> [WordRule]
    func hasWordRule(_ word: String) throws(StoreError) -> Bool
    func wordRuleCount() throws(StoreError) -> Int
    /// In the place of the one that is there.
    func put(_ rule: WordRule) throws(StoreError)
    func removeWordRule(_ word: String) throws(StoreError)
}

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

/// What users told the operators.
package protocol ReportTable: AnyObject {
    func latestReportNumber() throws(StoreError) -> Int64?
    func report(_ number: Int64) throws(StoreError) -> Report?
    /// The number of the one that is not settled.
    func openReport(about target: ReportTarget, by reporter: UserID) throws(StoreError) -> Int64?
    /// Stops counting at `limit`.
    func openReportCount(by reporter: UserID, limit: Int) throws(StoreError) -> Int
    /// In their order; `isOpen`: only those that are not settled.
    func reports(isOpen: Bool, after number: Int64, limit: Int) throws(StoreError) -> [Report]
    func insert(_ report: Report) throws(StoreError)
    func settle(_ number: Int64, _ settlement: Report.Settlement) throws(StoreError)
    func removeReports(settledBefore time: WallTime, upTo number: Int64) throws(StoreError)
}
