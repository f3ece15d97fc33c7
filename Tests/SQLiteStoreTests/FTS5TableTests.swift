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

    @Test("asks for each word that begins so while they are few, and for the beginning where they are many")
    func beginnings() throws {
        try self.index(
            ["hay", "haystack", "hat", "needle"] + (1...FTS5Table.maximumWords).map { "stone\($0)" }, in: self.here)
        #expect(try self.table.query(for: [.beginning("hay")]) == #"("hay" OR "haystack")"#)
        #expect(try self.table.query(for: [.beginning("ha")]) == #"("hat" OR "hay" OR "haystack")"#)
        #expect(try self.table.query(for: [.beginning("hays"), .sequence(["a", "b"])]) == #"("haystack") AND "a b""#)
        #expect(try self.table.query(for: [.beginning("hayx")]) == nil)
        #expect(try self.table.query(for: [.beginning("stone")])?.hasPrefix(#"("stone1" OR "stone10" OR "#) == true)
        // One word took a place of the many.
        #expect(try self.table.query(for: [.beginning("need"), .beginning("stone")]) == #"("needle") AND "stone" *"#)
    }

    @Test("takes a word of the last letters there are for one that begins so")
    func lastLetters() throws {
        try self.index(["z", "z\u{10FFFD}", "z\u{10FFFD}z", "\u{10FFFD}"], in: self.here)
        let found = try self.table.search([.beginning("z")], in: [SearchPlace(self.here, 1...9)], limit: 9)
        #expect(found.map(\.number) == [3, 2, 1])
    }

    @Test("looks in each place in turn, and in none when it has enough")
    func places() throws {
        let there = ConversationKey(2)
        for key in [self.here, there] { try self.index(["rain", "snow", "rain", "rain"], in: key) }
        let places = [SearchPlace(there, 1...3), SearchPlace(self.here, 2...4)]
        let all = try self.table.search([.beginning("ra")], in: places, limit: 9)
        #expect(all == [EntryKey(there, 3), EntryKey(there, 1), EntryKey(self.here, 4), EntryKey(self.here, 3)])
        #expect(try self.table.search([.beginning("ra")], in: places, limit: 3) == Array(all.prefix(3)))
    }
}
