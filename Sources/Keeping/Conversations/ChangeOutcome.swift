package import Conversing
package import Vocabulary

/// Something was written into a conversation.
package struct ChangeOutcome: Hashable, Sendable {
    package let conversation: ConversationID
    package let key: ConversationKey
    package let entry: Entry
    /// It was written before, and all members were told then.
    package var isRepeated = false
    package var came: [UserID] = []
    package var went: UserID?
    /// Of those who came, whom the sender brought in without ever having heard from them.
    package var strangers: Set<UserID> = []

    package init(_ conversation: ConversationID, _ key: ConversationKey, _ entry: Entry) {
        self.conversation = conversation
        self.key = key
        self.entry = entry
    }
}

extension ChangeOutcome {
    mutating func take(_ effect: ConversationMachine.Effect) {
        switch effect {
        case .came(let members): self.came = members.map(\.user)
        case .went(let user, _, _): self.went = user
        case .none, .spoke, .changed, .renamed, .dissolved: break
        }
    }
}
