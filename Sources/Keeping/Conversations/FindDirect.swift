package import Conversing
package import Vocabulary

/// The conversation of two people; nil where they have none.
package struct FindDirect: StoreRequest {
    package let pair: UserPair

    package static let access = StoreAccess.reads

    package init(_ pair: UserPair) { self.pair = pair }

    package func perform(on tables: some Tables) throws(StoreError) -> ConversationID? {
        try Conversations.direct(self.pair, tables)?.id
    }
}
