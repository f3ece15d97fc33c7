internal import Conversing
package import Vocabulary

/// The conversations of a user whose ids begin with one of these words and that were not dissolved, the youngest first.
package struct ListConversationsNamed: StoreRequest {
    package let prefixes: [String]
    package let user: UserID
    package let limit: Int

    package static let access = StoreAccess.readsCommitted
    package static let isHeavy = true
    package var asker: UserID? { self.user }

    package init(_ prefixes: [String], of user: UserID, limit: Int) {
        self.prefixes = prefixes
        self.user = user
        self.limit = limit
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [ConversationRow] {
        var found: [ConversationRow] = []
        for key in try tables.conversations(of: self.user, after: nil, limit: .max) where found.count < self.limit {
            guard let row = try tables.conversation(key), row.dissolved == nil,
                self.prefixes.contains(where: { row.id.text.hasPrefix($0) })
            else { continue }
            found.append(row)
        }
        return found
    }
}
