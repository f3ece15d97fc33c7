internal import Conversing
internal import Vocabulary

/// The signs under messages.
enum Reactions {
    static func others(
        than reaction: Reaction, by user: UserID, under key: EntryKey, _ tables: some Tables
    ) throws(StoreError) -> OtherReactions {
        var others = OtherReactions()
        let limit = tables.settings.conversations.maximumReactions + 1
        for other in try tables.reactions(under: key, limit: limit) where other != reaction.text {
            others.ofAll += 1
            if try tables.hasReaction(other, of: user, under: key) { others.ofActor += 1 }
        }
        return others
    }

    /// Who put the same sign under a message.
    static func tallies(under key: EntryKey, _ tables: some Tables) throws(StoreError) -> [ReactionTally] {
        var tallies: [ReactionTally] = []
        for reaction in try tables.reactions(under: key, limit: tables.settings.conversations.maximumReactions + 1) {
            let users = try tables.users(reacting: reaction, to: key, limit: self.maximumUsers)
            tallies.append(ReactionTally(reaction, users))
        }
        return tallies
    }

    /// Under a message with more of them, the count of names ends here.
    private static let maximumUsers = 100
}
