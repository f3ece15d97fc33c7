internal import Conversing
package import Vocabulary

/// Messages with these words. Ask through `Store.search`, which brings the index up to date first.
package struct SearchRequest: StoreRequest {
    package let user: UserID
    /// All of the user's when nil.
    package let conversation: ConversationID?
    package let text: String
    package let limit: Int

    package static let access = StoreAccess.readsCommitted
    package static let isHeavy = true
    package var asker: UserID? { self.user }
    /// Whoever is in more conversations searches in those that moved last.
    static let maximumConversations = 500
    private static let maximumBytes = 1 << 20
    private static let entriesAtOnce = 32

    package init(_ text: String, for user: UserID, in conversation: ConversationID? = nil, limit: Int) {
        self.text = text
        self.user = user
        self.conversation = conversation
        self.limit = limit
    }
}

extension SearchRequest {
    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<EntryPage> {
        let phrases = SearchWords.phrases(self.text)
        guard !phrases.isEmpty else { return .success(EntryPage()) }
        let marks: [MembershipMark]
        if let conversation = self.conversation {
            guard let membership = try Views.membership(self.user, conversation, tables) else {
                return .failure(.notMember)
            }
            marks = [MembershipMark(membership)]
        } else {
            marks = try Self.marks(of: self.user, tables)
        }
        let ranges = marks.compactMap { mark -> SearchRange? in
            let (first, last) = (mark.since + 1, mark.latest.number)
            return first <= last ? SearchRange(mark.key, first...last) : nil
        }
        // One too many, to know whether there are more.
        let found = try tables.search(phrases, in: ranges, limit: self.limit + 1)
        let names = Dictionary(marks.map { ($0.key, $0.id) }) { first, _ in first }
        return .success(try self.page(of: found, names, tables))
    }

    /// Of the conversations in which is searched, the one that moved last first.
    fileprivate static func marks(of user: UserID, _ tables: some Tables) throws(StoreError) -> [MembershipMark] {
        let marks = try tables.membershipMarks(of: user).sorted { $0.place > $1.place }
        return Array(marks.prefix(Self.maximumConversations))
    }

    private func page(
        of found: [EntryKey], _ names: [ConversationKey: ConversationID], _ tables: some Tables
    ) throws(StoreError) -> EntryPage {
        var (page, bytes, rest) = (EntryPage(), 0, found[...])
        while !rest.isEmpty, page.items.count < self.limit {
            let portion = rest.prefix(min(Self.entriesAtOnce, self.limit - page.items.count))
            let entries = try tables.entries(Array(portion))
            for key in portion {
                guard bytes < Self.maximumBytes else {
                    page.hasMore = true
                    return page
                }
                guard let entry = entries[key], let name = names[key.conversation] else { continue }
                bytes += entry.size
                page.items.append(EntryPage.Item(conversation: name, key: key.conversation, entry: entry))
            }
            rest = rest.dropFirst(portion.count)
        }
        page.hasMore = !rest.isEmpty
        return page
    }
}

extension Store {
    /// The index is brought up to date first, portion by portion, so that others get their turn in between.
    package func search(
        _ request: SearchRequest, _ answer: @escaping @Sendable (Result<Verdict<EntryPage>, StoreError>) -> Void
    ) {
        let scope: IndexMessages.Scope = request.conversation.map { .conversation($0) } ?? .user(request.user)
        self.send(IndexMessages(scope, for: request.user)) { result in
            switch result {
            case .success(true): self.search(request, answer)
            case .success(false): self.send(request, answer)
            case .failure(let error): answer(.failure(error))
            }
        }
    }
}

/// Puts the next messages into the index of words. It follows what is written at some distance, in large portions, because
/// one large portion costs a fraction of many small ones. Answers whether more wait.
package struct IndexMessages: StoreRequest {
    package enum Scope: Hashable, Sendable {
        /// What was written since the program began, as far as the engine remembers.
        case cached
        /// In the conversations in which a search looks.
        case user(UserID)
        case conversation(ConversationID)
    }

    package let scope: Scope
    package let limit: Int
    /// Who searches, and waits for it.
    package var asker: UserID?

    package static let access = StoreAccess.writes
    /// Long enough to be worth it, short enough for those who wait behind it.
    package static let portion = 1000

    package init(_ scope: Scope, limit: Int = Self.portion, for asker: UserID? = nil) {
        self.scope = scope
        self.limit = limit
        self.asker = asker
    }

    /// All is read before anything is written. `ReplayConnection` carries a request out again for each answer it reads, and would tokenize
    /// every message as often as there are conversations behind it.
    package func perform(on tables: some Tables) throws(StoreError) -> Bool {
        var (room, read) = (self.limit, [(conversation: ConversationRow, entries: [BodyRow])]())
        for conversation in try self.conversations(tables) where room > 0 {
            let entries = try self.unindexed(conversation, limit: room, tables)
            room -= entries.count
            read.append((conversation, entries))
        }
        for (conversation, entries) in read { try self.index(entries, of: conversation, tables) }
        // Where the portion ended there may be more.
        for (conversation, _) in room > 0 ? read : read.dropLast() { tables.cache?.indexed(conversation.key) }
        return room <= 0
    }

    private func conversations(_ tables: some Tables) throws(StoreError) -> [ConversationRow] {
        switch self.scope {
        case .cached:
            var rows: [ConversationRow] = []
            for key in tables.cache?.unindexedConversations ?? [] {
                if let row = try tables.conversation(key) { rows.append(row) }
            }
            return rows
        case .conversation(let id): return try tables.conversation(id).map { [$0] } ?? []
        case .user(let user):
            let behind = try SearchRequest.marks(of: user, tables).filter { $0.indexed < $0.latest.number }
            return try tables.memberships(of: user, in: behind.map(\.key)).map(\.conversation)
        }
    }

    private func unindexed(
        _ conversation: ConversationRow, limit: Int, _ tables: some Tables
    ) throws(StoreError) -> [BodyRow] {
        let start = conversation.indexed + 1
        guard start <= ConversationKey.maximumEntry else { return [] }
        return try tables.bodies(of: conversation.key, from: start, limit: limit)
    }

    private func index(
        _ entries: [BodyRow], of conversation: ConversationRow, _ tables: some Tables
    ) throws(StoreError) {
        for entry in entries where entry.sort == .message {
            try SearchIndex.add(entry.body, EntryKey(conversation.key, entry.number), tables)
        }
        if let last = entries.last { try tables.update(conversation.key, .indexed(last.number)) }
    }
}

package enum SearchIndex {
    static func add(_ body: [UInt8]?, _ key: EntryKey, _ tables: some Tables) throws(StoreError) {
        let words = self.words(of: body)
        if !words.isEmpty { try tables.index(words, as: key) }
    }

    /// A message got other words, or none.
    static func replace(
        _ entry: Entry, _ key: EntryKey, with body: MessageBody?, _ tables: some Tables
    ) throws(StoreError) {
        guard let conversation = try tables.conversation(key.conversation), conversation.indexed >= key.number,
            entry.sort == .message, entry.body != nil
        else { return }
        let words = self.words(of: entry.body)
        if !words.isEmpty { try tables.unindex(words, of: key) }
        try self.add(body?.json, key, tables)
    }

    /// In the form in which they are indexed; empty where there are none.
    package static func words(of body: [UInt8]?) -> String {
        body.map { SearchWords.indexed(MessageBody(proven: $0).words) } ?? ""
    }
}
