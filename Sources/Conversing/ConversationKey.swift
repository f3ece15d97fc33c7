/// Where a conversation's entries stand among those of all others. It never changes and is never given again.
package struct ConversationKey: Hashable, Sendable {
    package let number: Int64

    package init(_ number: Int64) { self.number = number }

    package static let maximumEntry: UInt64 = 0xFFFF_FFFF
    package static let entryBits: Int64 = 32

    /// A message's name for good.
    package func name(of entry: UInt64) -> String {
        "\(String(self.number, radix: 36)).\(String(entry, radix: 36))"
    }
}

/// One entry among those of all conversations.
package struct EntryKey: Hashable, Sendable {
    package let conversation: ConversationKey
    package let number: UInt64

    package init(_ conversation: ConversationKey, _ number: UInt64) {
        self.conversation = conversation
        self.number = number
    }
}

extension EntryKey {
    /// The same as one number, in which the entries of a conversation lie side by side in their order: 31 bits for the
    /// conversation, 32 for the entry.
    package var packed: Int64 {
        self.conversation.number << ConversationKey.entryBits | Int64(min(self.number, ConversationKey.maximumEntry))
    }

    package init(packed: Int64) {
        self.conversation = ConversationKey(packed >> ConversationKey.entryBits)
        self.number = UInt64(bitPattern: packed) & ConversationKey.maximumEntry
    }
}
