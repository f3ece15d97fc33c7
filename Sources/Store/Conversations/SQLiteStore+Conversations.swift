internal import Conversing
internal import System
package import Vocabulary

extension SQLiteStore: ConversationStore {
    package func change(_ request: ChangeRequest, _ answer: @escaping Answer<Verdict<Happening>>) {
        self.database.send(ChangeQueries.Change(request: request), answer)
        if case .post = request.change { self.noteMessage() }
    }

    package func create(_ request: CreationRequest, _ answer: @escaping Answer<Verdict<Happening>>) {
        self.database.send(ChangeQueries.Create(request: request), answer)
    }

    package func mark(_ request: MarkRequest, _ answer: @escaping Answer<Verdict<Marked>>) {
        self.database.send(MarkQueries.Mark(request: request), answer)
    }

    package func sync(_ request: SyncRequest, _ answer: @escaping Answer<Synced>) {
        self.database.send(HistoryQueries.Sync(request: request), answer)
    }

    package func history(_ request: HistoryRequest, _ answer: @escaping Answer<Verdict<EntryPage>>) {
        self.database.send(HistoryQueries.Page(request: request), answer)
    }

    package func conversations(
        of user: UserID, before: ConversationPlace?, limit: Int, _ answer: @escaping Answer<ConversationList>
    ) {
        self.database.send(ViewQueries.List(user: user, before: before, limit: limit), answer)
    }

    package func conversation(
        _ id: ConversationID, of user: UserID, _ answer: @escaping Answer<Verdict<ConversationView>>
    ) {
        self.database.send(ViewQueries.One(id: id, user: user), answer)
    }

    package func members(_ request: MemberRequest, _ answer: @escaping Answer<Verdict<[MemberView]>>) {
        self.database.send(ViewQueries.Members(request: request), answer)
    }

    package func clear(_ id: ConversationID, of user: UserID, _ answer: @escaping Answer<Verdict<UInt64>>) {
        self.database.send(MarkQueries.Clear(conversation: id, user: user), answer)
    }

    package func setMuted(
        _ isMuted: Bool, _ id: ConversationID, of user: UserID, _ answer: @escaping Answer<Verdict<Void>>
    ) {
        self.database.send(MarkQueries.SetMuted(conversation: id, user: user, isMuted: isMuted), answer)
    }

    package func setRetention(
        _ retention: Duration?, _ id: ConversationID, by user: UserID, _ answer: @escaping Answer<Verdict<Void>>
    ) {
        self.database.send(RetentionQueries.Set(retention: retention, id: id, user: user), answer)
    }

    package func setBlocked(
        _ isBlocked: Bool, _ other: UserID, by user: UserID, _ answer: @escaping Answer<Verdict<Void>>
    ) {
        self.database.send(BlockQueries.Set(user: user, other: other, isBlocked: isBlocked), answer)
    }

    package func blocked(by user: UserID, _ answer: @escaping Answer<[UserID]>) {
        self.database.send(BlockQueries.All(user: user), answer)
    }
}

// MARK: - Searching

extension SQLiteStore {
    /// One portion of indexing: long enough to be worth it, short enough for those who wait behind it.
    private static let portion = 1000

    /// The index is brought up to date first, portion by portion, so that others get their turn in between.
    package func search(_ request: SearchRequest, _ answer: @escaping Answer<Verdict<EntryPage>>) {
        let scope: SearchIndex.Scope = request.conversation.map { .conversation($0) } ?? .user(request.user)
        let database = self.database
        database.send(SearchIndex.CatchUp(scope: scope, limit: Self.portion)) { result in
            switch result {
            case .success(true): self.search(request, answer)
            case .success(false): database.send(SearchIndex.Find(request: request), answer)
            case .failure(let error): answer(.failure(error))
            }
        }
    }

    private func noteMessage() {
        let isDue = self.unindexed.withLock { count -> Bool in
            count += 1
            guard count >= Self.portion else { return false }
            count = 0
            return true
        }
        guard isDue else { return }
        // What it could not do now is done by whoever searches.
        self.database.send(SearchIndex.CatchUp(scope: .background, limit: Self.portion)) { _ in }
    }
}
