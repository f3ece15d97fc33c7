import Conversing
import Keeping
import SQLTables
import Testing

@testable import SQLiteStore

@Suite("An index of words")
struct FTS5TableTests {
    private let table: FTS5Table
    private let here = ConversationKey(1)

    init() throws {
        let connection = try Connection(path: Connection.memory)
        try connection.migrate(Migration.all)
        self.table = FTS5Table(connection)
    }

    private func index(_ words: [String], in key: ConversationKey) throws {
        for (index, word) in words.enumerated() { try self.table.index(word, as: EntryKey(key, UInt64(index + 1))) }
    }

    @Test("asks for each term with a prefix while they are few, and for the prefix where they are many")
    func prefixes() throws {
        try self.index(
            ["hay", "haystack", "hat", "needle"] + (1...FTS5Table.maximumTerms).map { "stone\($0)" }, in: self.here)
        #expect(try self.table.query(for: [.prefix("hay")]) == #"("hay" OR "haystack")"#)
        #expect(try self.table.query(for: [.prefix("ha")]) == #"("hat" OR "hay" OR "haystack")"#)
        #expect(try self.table.query(for: [.prefix("hays"), .sequence(["a", "b"])]) == #"("haystack") AND "a b""#)
        #expect(try self.table.query(for: [.prefix("hayx")]) == nil)
        #expect(try self.table.query(for: [.prefix("stone")])?.hasPrefix(#"("stone1" OR "stone10" OR "#) == true)
        // One term took the room of one of the many.
        #expect(try self.table.query(for: [.prefix("need"), .prefix("stone")]) == #"("needle") AND "stone" *"#)
    }

    @Test("takes terms of the last characters there are for some with the prefix")
    func lastLetters() throws {
        try self.index(["z", "z\u{10FFFD}", "z\u{10FFFD}z", "\u{10FFFD}"], in: self.here)
        let found = try self.table.search([.prefix("z")], in: [SearchRange(self.here, 1...9)], limit: 9)
        #expect(found.map(\.number) == [3, 2, 1])
    }

    @Test("looks in each range in turn, and in none when it has enough")
    func ranges() throws {
        let there = ConversationKey(2)
        for key in [self.here, there] { try self.index(["rain", "snow", "rain", "rain"], in: key) }
        let ranges = [SearchRange(there, 1...3), SearchRange(self.here, 2...4)]
        let all = try self.table.search([.prefix("ra")], in: ranges, limit: 9)
        #expect(all == [EntryKey(there, 3), EntryKey(there, 1), EntryKey(self.here, 4), EntryKey(self.here, 3)])
        #expect(try self.table.search([.prefix("ra")], in: ranges, limit: 3) == Array(all.prefix(3)))
    }
}
