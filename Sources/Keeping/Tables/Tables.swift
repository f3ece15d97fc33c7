/// The rows of a store, as operations see them: found by a key or in a bounded range, written one by one. SQL, its dialect
/// and its connections are the engine's; rules are the operations' and the machines'.
///
/// An engine need not have the rows at hand. Every read names what it wants, and no write answers with anything that could
/// not be known before it (the one number an engine gives out has a verb of its own, `nextConversationKey`). So an engine
/// whose rows are elsewhere can throw for those it has not fetched yet, fetch them, carry the operation out again, and
/// commit what it wrote in the end if what it read has not changed. See `docs/decisions/0030-store-engines.md`.
package protocol Tables: AnyObject, UserTable, RefreshTable, RestrictionTable, CallLogTable, ConversationTable,
    MemberTable, EntryTable, ReactionTable, BlockTable, SearchTable, FileTable, UploadTable, OutboxTable, AuditTable,
    ModeratorTable, SanctionTable, ReportTable, WordRuleTable, PushTable, AnnouncementTable, DoorTable,
    TreeTable
{
    var settings: StoreSettings { get }

    /// What may be remembered between requests; nil where another process writes these tables as well.
    var cache: ConversationCache? { get }

    func transactionSnapshot() throws(StoreError) -> TransactionSnapshot
}
