package import Conversing
package import Vocabulary

/// Who is in a conversation, in the order of their ids, from the one after `after`.
package struct MemberRequest: StoreRequest {
    package let conversation: ConversationID
    package let user: UserID
    package var after: String
    package let limit: Int

    package static let access = StoreAccess.readsCommitted
    package static let isHeavy = true
    package var asker: UserID? { self.user }

    package init(_ conversation: ConversationID, for user: UserID, after: String = "", limit: Int) {
        self.conversation = conversation
        self.user = user
        self.after = after
        self.limit = limit
    }
}

package struct MemberView: Hashable, Sendable {
    package let user: UserID
    /// Nil for a member without a name.
    package let name: DisplayName?
    package let avatar: AvatarLink?
    package let role: Role
    package let delivered: UInt64
    package let read: UInt64
    package let silencedUntil: WallTime?
}

extension MemberRequest {
    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<[MemberView]> {
        guard let conversation = try tables.conversation(self.conversation),
            try tables.member(self.user, of: conversation.key) != nil
        else { return .failure(.notMember) }
        var views: [MemberView] = []
        for row in try tables.members(of: conversation.key, after: self.after, limit: max(self.limit, 0)) {
            views.append(try self.view(row.member, of: conversation.key, tables))
        }
        return .success(views)
    }

    private func view(
        _ member: Member, of key: ConversationKey, _ tables: some Tables
    ) throws(StoreError) -> MemberView {
        let profile = try tables.user(member.user)?.profile
        return MemberView(
            user: member.user, name: profile?.shownName, avatar: profile?.avatar, role: member.role,
            delivered: try Views.delivered(to: member, in: key, tables), read: member.read,
            silencedUntil: member.silencedUntil)
    }
}
