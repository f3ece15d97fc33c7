package import Keeping
package import Vocabulary

/// What is only asked of the store.
extension ChatDesk {
    /// What a device missed, for somebody who asks from time to time.
    package func missed(_ request: SyncRequest, _ completion: @escaping Completion<Synced>) {
        self.store.send(request, self.returning(completion))
    }

    package func history(_ request: HistoryRequest, _ completion: @escaping Completion<EntryPage>) {
        self.store.send(request, self.ruling(completion))
    }

    package func search(_ request: SearchRequest, _ completion: @escaping Completion<EntryPage>) {
        self.store.search(request, self.ruling(completion))
    }

    package func conversations(
        of user: UserID, before: ConversationPlace?, limit: Int, _ completion: @escaping Completion<ConversationList>
    ) {
        self.store.send(ListConversations(of: user, before: before, limit: limit), self.returning(completion))
    }

    package func conversation(
        _ id: ConversationID, of user: UserID, _ completion: @escaping Completion<ConversationView>
    ) {
        self.store.send(ViewConversation(id, for: user), self.ruling(completion))
    }

    package func members(_ request: MemberRequest, _ completion: @escaping Completion<[MemberView]>) {
        self.store.send(request, self.ruling(completion))
    }

    package func clear(_ id: ConversationID, of user: UserID, _ completion: @escaping Completion<UInt64>) {
        self.store.send(ClearHistory(of: id, for: user), self.ruling(completion))
    }

    package func setRetention(
        _ retention: Duration?, _ id: ConversationID, by user: UserID, _ completion: @escaping Completion<Void>
    ) {
        self.store.send(SetRetention(retention, id, by: user), self.ruling(completion))
    }

    package func setMuted(
        _ isMuted: Bool, _ id: ConversationID, of user: UserID, _ completion: @escaping Completion<Void>
    ) {
        self.store.send(SetMuted(isMuted, id, of: user), self.ruling(completion))
    }

    package func setBlocked(
        _ isBlocked: Bool, _ other: UserID, by user: UserID, _ completion: @escaping Completion<Void>
    ) {
        self.store.send(
            SetBlocked(isBlocked, other, by: user),
            self.ruling { [unowned self] result in
                if case .success = result { self.onBlock(other, user, isBlocked) }
                completion(result)
            })
    }

    package func blocked(by user: UserID, _ completion: @escaping Completion<[UserID]>) {
        self.store.send(ListBlocked(by: user), self.returning(completion))
    }
}
