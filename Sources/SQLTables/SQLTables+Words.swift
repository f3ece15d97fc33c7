package import Conversing
package import Keeping

extension SQLTables {
    package func index(_ words: String, as key: EntryKey) throws(StoreError) { try self.words.index(words, as: key) }

    package func unindex(_ words: String, of key: EntryKey) throws(StoreError) {
        try self.words.unindex(words, of: key)
    }

    package func search(
        _ phrases: [SearchPhrase], in ranges: [SearchRange], limit: Int
    ) throws(StoreError) -> [EntryKey] {
        try self.words.search(phrases, in: ranges, limit: limit)
    }
}
