package import Conversing
internal import Operations
package import Vocabulary

/// Conversations.
extension ParleyClient {
    /// Says something. With an `id` it can be said again when no answer came, and is there once all the same.
    package func send(
        _ body: RawJSON, kind: MessageKind = .text, to target: ChatTarget, as id: MessageID? = nil,
        replyingTo reply: UInt64? = nil
    ) async throws(ClientError) -> ChatOutcome {
        try ChatOutcome(
            try await self.request(
                .chat(.send), Field.recipient(target.recipient), Field.messageKind(kind), Field.client.optional(id),
                Field.reply.optional(reply), Field.body(MessageBody(proven: body.bytes))))
    }

    package func send(
        text: String, to target: ChatTarget, as id: MessageID? = nil
    ) async throws(ClientError) -> ChatOutcome {
        try await self.send(RawJSON { $0.members([("text", text)]) }, to: target, as: id)
    }

    /// Says something and sees to it: what becomes of it comes as `outgoing`, at the latest after twenty seconds.
    package func post(_ message: OutgoingMessage) { self.outgoing { $0.said(message, at: $1) } }

    /// Says once more what has failed, under the same name.
    package func postAgain(_ id: MessageID) { self.outgoing { $0.again(id, at: $1) } }

    package func recall(_ number: UInt64, in conversation: ConversationID) async throws(ClientError) -> ChatOutcome {
        try ChatOutcome(
            try await self.request(.chat(.recall), Field.conversation(conversation), Field.number(number)))
    }

    package func pin(
        _ number: UInt64, _ isOn: Bool = true, in conversation: ConversationID
    ) async throws(ClientError) -> ChatOutcome {
        let place = (Field.conversation(conversation), Field.number(number))
        return try ChatOutcome(try await self.request(.chat(.pin), place.0, place.1, Field.isOn(isOn)))
    }

    /// The latest pin first.
    package func pins(of conversation: ConversationID) async throws(ClientError) -> ChatPage {
        try ChatPage(try await self.request(.chat(.pins), Field.conversation(conversation)))
    }

    /// How far this device's reader got. What is unread then comes back.
    @discardableResult
    package func markRead(_ number: UInt64, in conversation: ConversationID) async throws(ClientError) -> Int {
        let answer = try await self.request(
            .chat(.read), Field.conversation(conversation), Field.number(number))
        guard let unread = answer.integer("unread") else { throw .unreadableAnswer }
        return unread
    }

    package func typing(_ isOn: Bool, in conversation: ConversationID) async throws(ClientError) {
        try await self.request(.chat(.typing), Field.conversation(conversation), Field.isOn(isOn))
    }

    /// Brings what was missed; from then on events come live. Ask again after every `connected`.
    ///
    /// - Parameter newest: of each conversation only so many of the newest entries, also of one that was seen before.
    package func sync(
        from positions: [ConversationID: UInt64] = [:], newest: Int? = nil
    ) async throws(ClientError) -> [(view: ChatView, entries: [ChatEntry], remaining: Int)] {
        let answer = try await self.request(
            .chat(.sync), Field.positions(positions), Field.newest.optional(newest))
        guard let list = answer.list("conversations") else { throw .unreadableAnswer }
        var pieces: [(view: ChatView, entries: [ChatEntry], remaining: Int)] = []
        for piece in list {
            guard let view = ChatView(piece) else { throw .unreadableAnswer }
            let entries = try ChatPage(piece).entries
            pieces.append((view, entries, piece.integer("remaining") ?? 0))
        }
        return pieces
    }

    package func history(
        of conversation: ConversationID, before number: UInt64? = nil, limit: Int = 20
    ) async throws(ClientError) -> ChatPage {
        try ChatPage(
            try await self.request(
                .chat(.history), Field.conversation(conversation), Field.before.optional(number), Field.limit(limit)))
    }

    /// The latest conversations.
    package func conversations(limit: Int = 50) async throws(ClientError) -> [ChatView] {
        var (views, place): ([ChatView], String?) = ([], nil)
        repeat {
            let page = try await self.conversations(before: place, limit: min(limit - views.count, 200))
            views += page.views
            place = page.next
        } while place != nil && views.count < limit
        return views
    }

    /// The conversation with somebody, however long it has been quiet.
    package func conversation(with user: UserID) async throws(ClientError) -> ChatView? {
        var place: String?
        repeat {
            let page = try await self.conversations(before: place, limit: 200)
            if let view = page.views.first(where: { $0.kind == "direct" && $0.peer == user }) { return view }
            place = page.next
        } while place != nil
        return nil
    }

    /// As many as one answer holds, and where the next one begins.
    private func conversations(
        before place: String?, limit: Int
    ) async throws(ClientError) -> (views: [ChatView], next: String?) {
        let answer = try await self.request(
            .chat(.conversations), Field.limit(limit), Field.place.optional(place))
        guard let list = answer.list("conversations") else { throw .unreadableAnswer }
        return (list.compactMap { ChatView($0) }, answer.text("next"))
    }

    /// The latest entries in which some words stand.
    package func search(
        _ text: String, in conversation: ConversationID? = nil
    ) async throws(ClientError) -> ChatPage {
        try ChatPage(
            try await self.request(.chat(.search), Field.words(text), Field.conversation.optional(conversation)))
    }

    package func createGroup(
        titled title: DisplayName? = nil, with users: [UserID]
    ) async throws(ClientError) -> ChatOutcome {
        try ChatOutcome(
            try await self.request(.chat(.create), Field.title.optional(title), Field.users(users)))
    }
}
