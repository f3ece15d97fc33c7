package import Conversing
package import Vocabulary

/// What a user has here, a portion at a time, from the moment each portion is read.
///
///     account ──▶ conversation by conversation, the youngest first, each with the user's entries ──▶ files ──▶ the end
package struct ExportRequest: StoreRequest {
    package let user: UserID
    package var place: ExportPlace
    package let now: WallTime

    package static let access = StoreAccess.readsCommitted
    package static let isHeavy = true
    package var asker: UserID? { self.user }
    /// Looked at, of which only the user's own are told.
    private static let entriesAtOnce = 500
    private static let bytesAtOnce = 256 << 10
    private static let filesAtOnce = 100

    package init(of user: UserID, from place: ExportPlace = .account, at now: WallTime) {
        self.user = user
        self.place = place
        self.now = now
    }
}

/// Where an export goes on.
package enum ExportPlace: Hashable, Sendable {
    case account
    /// The conversation after this one.
    case conversation(after: ConversationKey?)
    case entries(ConversationKey, after: UInt64)
    case files(after: FileID?)
}

package enum ExportedItem: Hashable, Sendable {
    case account(Profile, created: WallTime)
    case devices([RefreshFamily.Use])
    case blocked([UserID])
    case conversation(ConversationView, delivered: UInt64)
    case entry(Entry, ConversationID, ConversationKey)
    case file(FileRecord)
}

package struct ExportPortion: Hashable, Sendable {
    package var items: [ExportedItem] = []
    /// Nil at the end.
    package var next: ExportPlace?

    package init(_ items: [ExportedItem] = [], next: ExportPlace?) {
        self.items = items
        self.next = next
    }
}

extension ExportRequest {
    package func perform(on tables: some Tables) throws(StoreError) -> ExportPortion {
        switch self.place {
        case .account: try self.account(tables)
        case .conversation(let key): try self.conversation(after: key, tables)
        case .entries(let key, let number): try self.entries(of: key, after: number, tables)
        case .files(let file): try self.files(after: file, tables)
        }
    }

    private func account(_ tables: some Tables) throws(StoreError) -> ExportPortion {
        let row = try tables.user(self.user)
        let uses = try tables.refreshFamilyUses(of: self.user).filter { $0.expiry > self.now }
        let profile = row?.profile ?? Profile(self.user)
        return ExportPortion(
            [
                .account(profile, created: row?.account.created ?? self.now), .devices(uses),
                .blocked(try tables.blocked(by: self.user)),
            ], next: .conversation(after: nil))
    }

    private func conversation(
        after key: ConversationKey?, _ tables: some Tables
    ) throws(StoreError) -> ExportPortion {
        guard let next = try tables.conversations(of: self.user, after: key, limit: 1).first else {
            return ExportPortion(next: .files(after: nil))
        }
        guard let id = try tables.conversation(next)?.id,
            let membership = try Views.membership(self.user, id, tables)
        else { return ExportPortion(next: .conversation(after: next)) }
        let view = try Views.view(membership, tables)
        let delivered = try Views.delivered(to: membership.member, in: next, tables)
        return ExportPortion([.conversation(view, delivered: delivered)], next: .entries(next, after: 0))
    }

    private func entries(
        of key: ConversationKey, after number: UInt64, _ tables: some Tables
    ) throws(StoreError) -> ExportPortion {
        let following = ExportPlace.conversation(after: key)
        // Who has left meanwhile is asked about no further.
        guard let id = try tables.conversation(key)?.id, try tables.member(self.user, of: key) != nil,
            let bounds = try tables.entryBounds(of: key), number < bounds.upperBound
        else { return ExportPortion(next: following) }
        let entries = try tables.entries(
            of: key, in: max(number + 1, bounds.lowerBound)...bounds.upperBound, fromEnd: false,
            limit: Self.entriesAtOnce, maximumBytes: Self.bytesAtOnce)
        let own = entries.filter { $0.sender == self.user }.map { ExportedItem.entry($0, id, key) }
        guard let last = entries.last?.number, last < bounds.upperBound else {
            return ExportPortion(own, next: following)
        }
        return ExportPortion(own, next: .entries(key, after: last))
    }

    private func files(after file: FileID?, _ tables: some Tables) throws(StoreError) -> ExportPortion {
        let files = try tables.files(of: self.user, after: file, limit: Self.filesAtOnce)
        let next = files.count == Self.filesAtOnce ? files.last.map { ExportPlace.files(after: $0.id) } : nil
        return ExportPortion(files.map { .file($0) }, next: next)
    }
}
