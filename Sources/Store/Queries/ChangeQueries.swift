internal import Conversing
internal import Vocabulary

/// Writing into conversations.
enum ChangeQueries {
    struct Change: StoreRequest {
        let request: ChangeRequest

        static let writes = true
        static let failsAlone = false

        func perform(
            on connection: borrowing Connection
        ) throws(StoreError) -> Result<Happening, ConversationRefusal> {
            var request = self.request
            if let refusal = try request.takeOriginal(connection) { return try self.refused(refusal, connection) }
            guard let record = try self.record(connection) else { return try self.refused(.unknown, connection) }
            guard record.machine.last < ConversationKey.maximumEntry else { return .failure(.full) }
            let target = try self.target(of: request.change, in: record.key, connection)
            let unwilling = try self.unwilling(request.change, in: record.machine.kind, connection)
            let now = max(request.now, record.lastTime)
            let proposal: ConversationMachine.Proposal
            do throws(ConversationRefusal) {
                proposal = try record.machine.proposal(
                    for: request.change, by: request.actor, at: now, about: target, unwilling: unwilling)
            } catch {
                return try self.refused(error, connection)
            }
            guard try FileQueries.canShow(self.files(request.change, record.key, connection), request.actor, connection)
            else { return try self.refused(.noFile, connection) }
            return try ChangeQueries.write(proposal, request.change, as: request.client, into: record, connection)
        }

        private func target(
            of change: ConversationChange, in key: ConversationKey, _ connection: borrowing Connection
        ) throws(StoreError) -> MessageState? {
            guard let number = change.target else { return nil }
            var state = try EntryQueries.state(of: number, in: key, connection)
            if case .react(_, let reaction, true) = change {
                state?.reactions = try ReactionQueries.others(
                    than: reaction, by: self.request.actor, under: key.id(of: number), connection)
            }
            return state
        }

        private func unwilling(
            _ change: ConversationChange, in kind: ConversationKind, _ connection: borrowing Connection
        ) throws(StoreError) -> Set<UserID> {
            guard case .invite(let users) = change, kind.isByPeople else { return [] }
            return try BlockQueries.blocking(self.request.actor, among: users, connection)
        }

        /// The files that the message will show.
        private func files(
            _ change: ConversationChange, _ key: ConversationKey, _ connection: borrowing Connection
        ) throws(StoreError) -> [FileID] {
            switch change {
            case .post(let draft): return draft.body.files(as: draft.kind)
            case .edit(let target, let body):
                return body.files(as: try EntryQueries.entry(target, in: key, connection)?.kind)
            default: return []
            }
        }

        /// Whoever asks again after being sent out of a group still learns what became of their message.
        private func refused(
            _ refusal: ConversationRefusal, _ connection: borrowing Connection
        ) throws(StoreError) -> Result<Happening, ConversationRefusal> {
            guard let client = self.request.client,
                let known = try EntryQueries.known(client, of: self.request.actor, connection)
            else { return .failure(refusal) }
            return .success(known)
        }

        private func record(_ connection: borrowing Connection) throws(StoreError) -> ConversationRecord? {
            switch self.request.address {
            case .id(let id): return try ConversationBook.record(id, connection)
            case .user(let other, let id):
                let pair = StoreMemory.Pair(self.request.actor, other)
                if let known = try ConversationBook.direct(pair, connection) { return known }
                // Nothing is begun by what was refused, or said before elsewhere.
                guard case .post = self.request.change, try !self.isKnown(connection),
                    try ConversationBook.record(id, connection) == nil
                else { return nil }
                return try ConversationBook.addDirect(pair, as: id, at: self.request.now, connection)
            }
        }

        private func isKnown(_ connection: borrowing Connection) throws(StoreError) -> Bool {
            guard let client = self.request.client else { return false }
            return try EntryQueries.known(client, of: self.request.actor, connection) != nil
        }
    }

    struct Create: StoreRequest {
        let request: CreationRequest

        static let writes = true

        func perform(
            on connection: borrowing Connection
        ) throws(StoreError) -> Result<Happening, ConversationRefusal> {
            let request = self.request
            if let client = request.client,
                let known = try EntryQueries.known(client, of: request.creator, connection)
            {
                return .success(known)
            }
            guard try ConversationBook.record(request.id, connection) == nil else { return .failure(.taken) }
            if let subject = request.subject, try Self.isTaken(subject, connection) { return .failure(.taken) }
            let named = Set(request.members).subtracting([request.creator])
            let others = named.subtracting(try Self.unwilling(request, connection))
            // Whoever wanted somebody, and would sit there alone.
            guard named.isEmpty || !others.isEmpty else { return .failure(.blocked) }
            let members = [Member(request.creator, role: .owner)] + others.map { Member($0) }
            guard members.count <= ConversationSettings().maxMembers else { return .failure(.full) }
            let record = try ConversationBook.add(
                request.id, request.kind, title: request.title, subject: request.subject, members, at: request.now,
                connection)
            let proposal = record.machine.creation(by: request.creator, at: request.now)
            var result = try ChangeQueries.write(proposal, nil, as: request.client, into: record, connection)
            if case .success(var happening) = result {
                happening.came = members.map(\.user)
                result = .success(happening)
            }
            return result
        }

        private static func unwilling(
            _ request: CreationRequest, _ connection: borrowing Connection
        ) throws(StoreError) -> Set<UserID> {
            guard request.kind.isByPeople else { return [] }
            return try BlockQueries.blocking(request.creator, among: request.members, connection)
        }

        private static func isTaken(
            _ subject: String, _ connection: borrowing Connection
        ) throws(StoreError) -> Bool {
            let sql = "SELECT 1 FROM conversations WHERE subject = ?"
            return try connection.first(sql, [.text(subject)]) { _ in true } ?? false
        }
    }
}

// MARK: - Writing a proposal down

extension ChangeQueries {
    private static func write(
        _ proposal: ConversationMachine.Proposal, _ change: ConversationChange?, as client: MessageID?,
        into record: ConversationRecord, _ connection: borrowing Connection
    ) throws(StoreError) -> Result<Happening, ConversationRefusal> {
        var proposal = proposal
        proposal.entry.client = client
        let entry = proposal.entry
        guard try EntryQueries.insert(entry, in: record.key, connection) else {
            let known = try client.map { client throws(StoreError) in
                try EntryQueries.known(client, of: entry.sender, connection)
            }
            return known.flatMap(\.self).map { .success($0) } ?? .failure(.taken)
        }
        try OutboxQueries.add(record.key.id(of: entry.number), connection)
        let isFirst = record.machine.last == 0
        try self.write(proposal.effect, record.key, at: entry.time, connection)
        if let kind = entry.kind, let body = entry.body {
            let files = MessageBody(proven: body).files(as: kind)
            try FileQueries.show(files, in: record.key.id(of: entry.number), connection)
        }
        if let change { try self.writeTarget(change, entry, record.key, connection) }
        record.machine.accepted(proposal)
        record.lastTime = entry.time
        var happening = Happening(record.id, record.key, entry)
        happening.take(proposal.effect)
        // A direct conversation begins with its first message, for both.
        if isFirst, record.machine.kind == .direct { happening.came = Array(record.machine.members.keys) }
        if entry.sort == .message { connection.memory.unindexed.insert(record.key) }
        return .success(happening)
    }

    private static func write(
        _ effect: ConversationMachine.Effect, _ key: ConversationKey, at now: WallTime,
        _ connection: borrowing Connection
    ) throws(StoreError) {
        let number = SQLValue.integer(key.number)
        switch effect {
        case .none: break
        case .spoke(let member):
            try connection.run(
                "UPDATE members SET read = ?, read_counted = ? WHERE conversation = ? AND user = ?",
                [.number(member.read), .number(member.readCounted), number, .user(member.user)])
        case .changed(let member): try ConversationBook.update(member, of: key, connection)
        case .came(let members): for member in members { try ConversationBook.add(member, to: key, connection) }
        case .went(let user, let heir):
            try connection.run("DELETE FROM members WHERE conversation = ? AND user = ?", [number, .user(user)])
            if let heir { try ConversationBook.update(heir, of: key, connection) }
        case .renamed(let title):
            try connection.run("UPDATE conversations SET title = ? WHERE number = ?", [.text(title.text), number])
        case .dissolved:
            try connection.run("UPDATE conversations SET dissolved = ? WHERE number = ?", [.time(now), number])
        }
    }

    /// What becomes of the message that the entry is about.
    private static func writeTarget(
        _ change: ConversationChange, _ entry: Entry, _ key: ConversationKey, _ connection: borrowing Connection
    ) throws(StoreError) {
        switch change {
        case .edit(let target, let body):
            let id = SQLValue.integer(key.id(of: target))
            try SearchIndex.replace(target, in: key, with: body, connection)
            try connection.run(
                "UPDATE entries SET body = ?, edited = ? WHERE id = ?", [.blob(body.json), .time(entry.time), id])
            try self.showAnew(body, in: target, key, connection)
        case .recall(let target):
            let id = SQLValue.integer(key.id(of: target))
            try SearchIndex.replace(target, in: key, with: nil, connection)
            try connection.run("UPDATE entries SET body = NULL, recalled = ? WHERE id = ?", [.time(entry.time), id])
            try connection.run("UPDATE entries SET body = NULL WHERE target = ? AND sort = 1", [id])
            try connection.run("DELETE FROM reactions WHERE message = ?", [id])
            try FileQueries.hideAll(in: key.id(of: target), connection)
        case .react(let target, let reaction, let isOn):
            let values: [SQLValue] = [
                .integer(key.id(of: target)), .text(reaction.text), .user(entry.sender),
            ]
            let sql =
                isOn
                ? "INSERT OR IGNORE INTO reactions (message, reaction, user) VALUES (?, ?, ?)"
                : "DELETE FROM reactions WHERE message = ? AND reaction = ? AND user = ?"
            try connection.run(sql, values)
        case .post, .invite, .join, .leave, .remove, .rename, .setRole, .silence, .dissolve: break
        }
    }
}

extension ChangeQueries {
    /// What a message showed before it was changed, it shows no more.
    private static func showAnew(
        _ body: MessageBody, in target: UInt64, _ key: ConversationKey, _ connection: borrowing Connection
    ) throws(StoreError) {
        guard let kind = try EntryQueries.entry(target, in: key, connection)?.kind, kind.showsFiles else { return }
        try FileQueries.hideAll(in: key.id(of: target), connection)
        try FileQueries.show(body.files(as: kind), in: key.id(of: target), connection)
    }
}

extension Happening {
    fileprivate mutating func take(_ effect: ConversationMachine.Effect) {
        switch effect {
        case .came(let members): self.came = members.map(\.user)
        case .went(let user, _): self.went = user
        case .none, .spoke, .changed, .renamed, .dissolved: break
        }
    }
}

extension ChangeRequest {
    /// Puts the words of the message that is forwarded into the draft, if its sender can see them.
    fileprivate mutating func takeOriginal(
        _ connection: borrowing Connection
    ) throws(StoreError) -> ConversationRefusal? {
        guard let original = self.original, case .post(let wanted) = self.change else { return nil }
        guard let record = try ConversationBook.record(original.conversation, connection),
            let member = record.member(self.actor)
        else { return .notMember }
        guard original.number > member.since,
            let entry = try EntryQueries.entry(original.number, in: record.key, connection), let kind = entry.kind
        else { return .noMessage }
        guard !entry.isRecalled, let body = entry.body else { return .recalled }
        var draft = Draft(kind, self.keptFields.removed(from: MessageBody(proven: body)))
        draft.reply = wanted.reply
        draft.mentions = wanted.mentions
        draft.isForwarded = true
        self.change = .post(draft)
        return nil
    }
}
