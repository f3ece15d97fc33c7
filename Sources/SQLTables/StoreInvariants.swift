package import Keeping
package import Vocabulary

/// What holds in every store, whichever engine keeps it, said as questions for what breaks it.
package enum StoreInvariants {
    private static let gaps = """
        SELECT c.id FROM (SELECT \(EntryLayout.conversation(of: "id")) AS number FROM entries GROUP BY number
            HAVING count(*) <> max(id) - min(id) + 1) g JOIN conversations c ON c.number = g.number
        """
    private static let uses = """
        SELECT id FROM files f WHERE uses <> (SELECT count(*) FROM shown_files s WHERE s.file = f.id)
            + (SELECT count(*) FROM users u WHERE u.picture = f.id)
        """
    private static let pictures =
        "SELECT id FROM users WHERE picture IS NOT NULL AND picture NOT IN (SELECT id FROM files)"

    /// Nothing when all is well.
    package static func findings(in connection: any SQLConnection) throws(StoreError) -> [String] {
        try connection.all(self.gaps) { "conversation \($0.text(0) ?? "?") lacks an entry" }
            + connection.all(self.uses) { "file \($0.text(0) ?? "?") is not shown as often as is written" }
            + connection.all(self.pictures) { "the picture of user \($0.text(0) ?? "?") is no file" }
    }

    /// What has to lie in the folder of files, and how large each is.
    package static func contents(in connection: any SQLConnection) throws(StoreError) -> [ContentHash: Int] {
        let sql = "SELECT DISTINCT \(ContentColumn.list()) FROM files"
        let rows = try connection.all(sql) { (row: Row<ContentColumn>) throws(StoreError) in
            (try row.required(.hash, ContentHash(row.blob(.hash))), row.count(.size))
        }
        return Dictionary(rows) { first, _ in first }
    }
}

private enum ContentColumn: Int, Column { case hash, size }
