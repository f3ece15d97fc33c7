internal import Conversing
internal import Vocabulary

/// Writes down what a conversation gained, and what follows from it.
enum Writing {
    static func write(
        _ proposal: ConversationMachine.Proposal, _ change: ConversationChange?, as client: MessageID?,
        trace: String? = nil, into record: ConversationRecord, _ tables: some Tables
    ) throws(StoreError) -> Verdict<ChangeOutcome> {
        var proposal = proposal
        proposal.entry.client = client
        let entry = proposal.entry
        guard try tables.insert(entry, in: record.key) else {
            let known = try client.map { client throws(StoreError) in try self.known(client, of: entry.sender, tables) }
            return known.flatMap(\.self).map { .success($0) } ?? .failure(.taken)
        }
        let key = EntryKey(record.key, entry.number)
        if tables.settings.keepsOutbox { try tables.insert(NewDelivery(key, trace: trace)) }
        if entry.sort == .message, change?.wakes != false, tables.settings.keepsPushes {
            try tables.insertPush(of: key)
        }
        let isFirst = record.machine.last == 0
        try self.write(proposal.effect, record.key, at: entry.time, tables)
        if let kind = entry.kind, let body = entry.body {
            try FileUse.show(MessageBody(proven: body).files(as: kind), in: key, tables)
        }
        if let change { try self.writeTarget(of: change, entry, record.key, tables) }
        tables.cache?.willAccept(entry, in: record.machine)
        record.machine.accepted(proposal)
        if entry.sort == .message { tables.cache?.wrote(to: record.key) }
        var outcome = ChangeOutcome(record.id, record.key, entry)
        outcome.take(proposal.effect)
        // A direct conversation begins with its first message, for both.
        if isFirst, record.machine.kind == .direct { outcome.came = Array(record.machine.members.keys) }
        return .success(outcome)
    }

    /// What was written under this name, and where.
    static func known(
        _ client: MessageID, of sender: UserID, _ tables: some Tables
    ) throws(StoreError) -> ChangeOutcome? {
        guard let (key, entry) = try tables.entry(client, of: sender),
            let conversation = try tables.conversation(key.conversation)
        else { return nil }
        var outcome = ChangeOutcome(conversation.id, key.conversation, entry)
        outcome.isRepeated = true
        return outcome
    }

    private static func write(
        _ effect: ConversationMachine.Effect, _ key: ConversationKey, at now: WallTime, _ tables: some Tables
    ) throws(StoreError) {
        switch effect {
        case .none: break
        case .spoke(let member), .changed(let member): try tables.update(member, of: key)
        case .came(let members):
            for member in members {
                try tables.insert(member, of: key)
                try tables.removeFormerMember(member.user, of: key)
                try tables.removeSanction(.removed, of: member.user, in: key)
            }
        case .went(let user, let heir, let former):
            try tables.removeMember(user, of: key)
            if let former { try tables.put(former, user, of: key) }
            if let heir { try tables.update(heir, of: key) }
        case .renamed(let title): try tables.update(key, .title(title))
        case .dissolved: try tables.update(key, .dissolved(now))
        }
    }

    /// What becomes of the message that the entry is about.
    private static func writeTarget(
        of change: ConversationChange, _ entry: Entry, _ key: ConversationKey, _ tables: some Tables
    ) throws(StoreError) {
        switch change {
        case .edit(let number, let body):
            try self.edit(EntryKey(key, number), body, at: entry.time, tables)
        case .recall(let number):
            let target = EntryKey(key, number)
            try self.removeBelongings(of: target, tables)
            try tables.update(target, .recalled(at: entry.time))
            try tables.update(target, .pinned(by: nil))
            try tables.clearEdits(of: target)
        case .react(let number, let reaction, true):
            try tables.putReaction(reaction, of: entry.sender, under: EntryKey(key, number))
        case .react(let number, let reaction, false):
            try tables.removeReaction(reaction, of: entry.sender, under: EntryKey(key, number))
        case .pin(let number, let isOn):
            try tables.update(EntryKey(key, number), .pinned(by: isOn ? entry.number : nil))
        case .remove(let user, let until, let reason):
            let sanction = Sanction(
                .removed, of: user, by: entry.sender, at: entry.time, until: until, reason: reason)
            try tables.put(sanction, in: key)
        case .silence(let user, let until?, let reason):
            let sanction = Sanction(
                .silenced, of: user, by: entry.sender, at: entry.time, until: until, reason: reason)
            try tables.put(sanction, in: key)
        case .silence(let user, nil, _): try tables.removeSanction(.silenced, of: user, in: key)
        case .post, .invite, .join, .leave, .rename, .setRole, .dissolve: break
        }
    }

    /// What a message showed before it was changed, it shows no more.
    private static func edit(
        _ target: EntryKey, _ body: MessageBody, at now: WallTime, _ tables: some Tables
    ) throws(StoreError) {
        guard let old = try tables.entry(target) else { return }
        try SearchIndex.replace(old, target, with: body, tables)
        try tables.update(target, .edited(body, at: now))
        guard let kind = old.kind, kind.showsFiles else { return }
        try FileUse.hideAll(in: target, tables)
        try FileUse.show(body.files(as: kind), in: target, tables)
    }

    /// Throws out entries from the first one on, with all that belongs to them.
    static func remove(
        _ marks: ArraySlice<EntryMark>, of key: ConversationKey, _ tables: some Tables
    ) throws(StoreError) {
        guard let last = marks.last else { return }
        for mark in marks { try self.removeBelongings(of: EntryKey(key, mark.number), tables) }
        try tables.removeEntries(of: key, through: last.number)
        try tables.removeDeliveries(of: key, through: last.number)
        try tables.removePushes(of: key, through: last.number)
    }

    /// What goes with a message, whether it is taken back or too old: its words in the index, its files, its reactions.
    /// Call it while the message is still there.
    static func removeBelongings(of key: EntryKey, _ tables: some Tables) throws(StoreError) {
        if let entry = try tables.entry(key) { try SearchIndex.replace(entry, key, with: nil, tables) }
        try FileUse.hideAll(in: key, tables)
        try tables.removeReactions(under: key)
    }
}
