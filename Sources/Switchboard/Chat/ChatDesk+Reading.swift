package import Store
package import Vocabulary

/// What is only asked of the store.
extension ChatDesk {
    /// What a device missed, for somebody who asks from time to time.
    package func missed(_ request: SyncRequest, _ completion: @escaping Completion<Synced>) {
        self.store.sync(request, self.returning(completion))
    }

    package func history(_ request: HistoryRequest, _ completion: @escaping Completion<EntryPage>) {
        self.store.history(request, self.ruling(completion))
    }

    package func search(_ request: SearchRequest, _ completion: @escaping Completion<EntryPage>) {
        self.store.search(request, self.ruling(completion))
    }

    package func conversations(
        of user: UserID, before: ConversationPlace?, limit: Int, _ completion: @escaping Completion<ConversationList>
    ) {
        self.store.conversations(of: user, before: before, limit: limit, self.returning(completion))
    }

    package func conversation(
        _ id: ConversationID, of user: UserID, _ completion: @escaping Completion<ConversationView>
    ) {
        self.store.conversation(id, of: user, self.ruling(completion))
    }

    package func members(_ request: MemberRequest, _ completion: @escaping Completion<[MemberView]>) {
        self.store.members(request, self.ruling(completion))
    }

    package func clear(_ id: ConversationID, of user: UserID, _ completion: @escaping Completion<UInt64>) {
        self.store.clear(id, of: user, self.ruling(completion))
    }

    package func setRetention(
        _ retention: Duration?, _ id: ConversationID, by user: UserID, _ completion: @escaping Completion<Void>
    ) {
        self.store.setRetention(retention, id, by: user, self.ruling(completion))
    }

    package func setMuted(
        _ isMuted: Bool, _ id: ConversationID, of user: UserID, _ completion: @escaping Completion<Void>
    ) {
        self.store.setMuted(isMuted, id, of: user, self.ruling(completion))
    }

    package func setBlocked(
        _ isBlocked: Bool, _ other: UserID, by user: UserID, _ completion: @escaping Completion<Void>
    ) {
        self.store.setBlocked(
            isBlocked, other, by: user,
            self.ruling { [unowned self] result in
                if case .success = result { self.onBlock(other, user, isBlocked) }
                completion(result)
            })
    }

    package func blocked(by user: UserID, _ completion: @escaping Completion<[UserID]>) {
        self.store.blocked(by: user, self.returning(completion))
    }
}
