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
