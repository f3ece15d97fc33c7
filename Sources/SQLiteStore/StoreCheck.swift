package import Keeping
internal import SQLTables
package import Vocabulary

/// Looks through a store that may be in use, and says what is not as it should be.
package enum StoreCheck {
    /// Nothing when all is well.
    package static func findings(in path: String) throws(StoreError) -> [String] {
        let connection = try Connection(path: path, isForReading: true)
        let damage = try connection.all("PRAGMA integrity_check(20)") { $0.text(0) ?? "" }.filter { $0 != "ok" }
        // Further questions make no sense then.
        guard damage.isEmpty else { return damage }
        let gaps = """
            SELECT c.id FROM (SELECT \(EntryLayout.conversation(of: "id")) AS number FROM entries GROUP BY number
                HAVING count(*) <> max(id) - min(id) + 1) g JOIN conversations c ON c.number = g.number
            """
        let uses = """
            SELECT id FROM files f WHERE uses <> (SELECT count(*) FROM shown_files s WHERE s.file = f.id)
                + (SELECT count(*) FROM users u WHERE u.picture = f.id)
            """
        let pictures = "SELECT id FROM users WHERE picture IS NOT NULL AND picture NOT IN (SELECT id FROM files)"
        return try connection.all(gaps) { "conversation \($0.text(0) ?? "?") lacks an entry" }
            + connection.all(uses) { "file \($0.text(0) ?? "?") is not shown as often as is written" }
            + connection.all(pictures) { "the picture of user \($0.text(0) ?? "?") is no file" }
    }

    /// What has to lie in the folder of files, and how large each is.
    package static func contents(in path: String) throws(StoreError) -> [ContentHash: Int] {
        let connection = try Connection(path: path, isForReading: true)
        let sql = "SELECT DISTINCT \(ContentColumn.list()) FROM files"
        let rows = try connection.all(sql) { (row: Row<ContentColumn>) throws(StoreError) in
            (try row.required(.hash, ContentHash(row.blob(.hash))), row.count(.size))
        }
        return Dictionary(rows) { first, _ in first }
    }
}

private enum ContentColumn: Int32, Column { case hash, size }
