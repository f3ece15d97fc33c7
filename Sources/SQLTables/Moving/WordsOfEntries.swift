internal import Conversing
internal import Keeping

/// Puts the words of entries that are copied into an index.
struct WordsOfEntries {
    private let (id, sort, body): (Int, Int, Int)

    /// Nil for a table that has none.
    init?(_ table: SchemaTable) {
        guard table.name == "entries", let id = table.place(of: EntryColumn.id.name),
            let sort = table.place(of: EntryColumn.sort.name), let body = table.place(of: EntryColumn.body.name)
        else { return nil }
        (self.id, self.sort, self.body) = (id, sort, body)
    }

    func index(_ rows: [[SQLValue]], in words: any SearchTable) throws(StoreError) {
        for row in rows {
            guard row[self.sort] == .count(Entry.Sort.message.rawValue), case .integer(let id) = row[self.id],
                case .blob(let body) = row[self.body]
            else { continue }
            let text = SearchIndex.words(of: body)
            if !text.isEmpty { try words.index(text, as: EntryKey(packed: id)) }
        }
    }
}
