package import Vocabulary

extension ConversationMachine {
    /// What a program on another server says in a user's name, who need not be in the conversation: neither their role nor
    /// their pace counts, and nobody's blocks. Those who are mentioned and not in it are left out.
    package func publication(
        _ draft: Draft, by sender: UserID, at now: WallTime, about target: MessageState? = nil
    ) throws(ConversationRefusal) -> Proposal {
        guard !self.isDissolved else { throw .dissolved }
        guard self.last < ConversationKey.maximumEntry else { throw .full }
        guard draft.body.json.count <= self.settings.maximumPublishedBytes else { throw .tooLong }
        var draft = draft
        draft.mentions = draft.mentions.filter { self.members[$0] != nil }
        let entry = try self.message(draft, by: sender, at: now, about: target)
        guard let member = self.members[sender] else { return Proposal(entry: entry, effect: .none) }
        return .init(spoken: entry, by: member, at: now)
    }
}

extension ConversationMachine.Proposal {
    /// Who speaks has read what was said before.
    init(spoken entry: Entry, by member: Member, at now: WallTime) {
        var reader = member
        reader.read = entry.number
        reader.readCounted = entry.counted
        reader.spokeAt = now
        self.init(entry: entry, effect: .spoke(reader))
    }
}
