internal import Conversing
package import Vocabulary

/// How far a user got in a conversation, and each of their devices. Others are told of the user alone.
package struct ViewMarks: StoreRequest {
    package let conversation: ConversationID
    package let user: UserID

    package static let access = StoreAccess.readsCommitted
    package var asker: UserID? { self.user }

    /// Of so many devices one is told.
    private static let maximumDevices = 100

    package init(in conversation: ConversationID, of user: UserID) {
        self.conversation = conversation
        self.user = user
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<Marks> {
        guard let key = try tables.conversation(self.conversation)?.key,
            let member = try tables.member(self.user, of: key)?.member
        else { return .failure(.notMember) }
        let devices = try tables.cursors(of: self.user, in: key, limit: Self.maximumDevices)
        let delivered = try Views.delivered(to: member, in: key, tables)
        return .success(Marks(delivered: delivered, read: member.read, devices: devices))
    }
}

package struct Marks: Hashable, Sendable {
    package let delivered: UInt64
    package let read: UInt64
    /// Those first that got on last.
    package let devices: [DeviceMark]
}
