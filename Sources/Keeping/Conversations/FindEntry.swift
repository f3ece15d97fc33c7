package import Conversing
package import Vocabulary

/// One entry and the conversation that it stands in, for a program that was told its key.
package struct FindEntry: StoreRequest {
    package let key: EntryKey

    package static let access = StoreAccess.reads

    package init(_ key: EntryKey) { self.key = key }

    package struct Found: Hashable, Sendable {
        package let conversation: ConversationRow
        package let entry: Entry
        package let members: [UserID]
    }

    /// So many members are named: enough for a conversation of two.
    private static let maximumMembers = 2

    package func perform(on tables: some Tables) throws(StoreError) -> Found? {
        guard let conversation = try tables.conversation(self.key.conversation),
            let entry = try tables.entry(self.key)
        else { return nil }
        let members = try tables.members(of: conversation.key, after: "", limit: Self.maximumMembers)
        return Found(conversation: conversation, entry: entry, members: members.map(\.member.user))
    }
}
