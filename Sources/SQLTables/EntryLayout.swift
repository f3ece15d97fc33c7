package import Conversing

/// How `EntryKey.packed` looks from inside a statement, where the key comes from another column.
package enum EntryLayout {
    private static let (bits, maximum) = (ConversationKey.entryBits, ConversationKey.maximumEntry)

    /// The ids of all entries of a conversation: `id BETWEEN …`.
    package static func ids(of conversation: String) -> String {
        "BETWEEN \(conversation) << \(self.bits) AND (\(conversation) << \(self.bits)) + \(self.maximum)"
    }

    /// The latest entry of a conversation, found by one step down the tree of entries.
    package static func latest(of conversation: String) -> String {
        "(SELECT max(id) FROM entries WHERE id \(self.ids(of: conversation)))"
    }

    package static func conversation(of id: String) -> String { "\(id) >> \(self.bits)" }
    package static func number(of id: String) -> String { "\(id) & \(self.maximum)" }
}

extension SQLValue {
    package static func key(_ key: EntryKey) -> SQLValue { .integer(key.packed) }
    package static func key(_ key: ConversationKey) -> SQLValue { .integer(key.number) }

    /// From one entry of a conversation to another, for `BETWEEN`.
    package static func keys(_ key: ConversationKey, _ range: ClosedRange<UInt64>) -> [SQLValue] {
        [.key(EntryKey(key, range.lowerBound)), .key(EntryKey(key, range.upperBound))]
    }

    package static func keys(_ key: ConversationKey, through number: UInt64 = ConversationKey.maximumEntry)
        -> [SQLValue]
    {
        self.keys(key, 0...number)
    }
}
