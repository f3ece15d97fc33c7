internal import Conversing
package import Vocabulary

/// How long members of a group or room wait between two messages; nil when they need not. Said by those who lead it and by
/// moderators.
package struct SetSlowMode: StoreRequest {
    package let slowMode: Duration?
    package let conversation: ConversationID
    package let user: UserID
    package let now: WallTime

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.user }

    package init(_ slowMode: Duration?, _ conversation: ConversationID, by user: UserID, at now: WallTime) {
        self.slowMode = slowMode
        self.conversation = conversation
        self.user = user
        self.now = now
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<Void> {
        guard let record = try Conversations.record(self.conversation, tables) else { return .failure(.notMember) }
        let right: Moderation.Right
        switch try Moderation.right(of: self.user, in: record.key, tables) {
        case .success(let found): right = found
        case .failure(let refusal): return .failure(refusal)
        }
        guard record.machine.kind.isByPeople else { return .failure(.forbidden) }
        try tables.update(record.key, .slowMode(self.slowMode))
        record.machine.slowMode = self.slowMode
        if right == .moderates {
            let seconds = self.slowMode.map { "seconds=\($0.components.seconds)" } ?? "off"
            try BeginAudit(
                by: .init(moderator: self.user), "chat.slow", on: self.conversation.text, seconds, at: self.now
            )
            .write(.done, tables)
        }
        return .success(())
    }
}
