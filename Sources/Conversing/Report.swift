package import Vocabulary

/// What a user reports to the operators.
package enum ReportTarget: Hashable, Sendable {
    case message(ConversationID, UInt64)
    case conversation(ConversationID)
    case user(UserID)
    /// A signalling room, or somebody in it; the reporter is there.
    case room(RoomName, UserID?)

    /// By which two reports of the same thing are told.
    package var name: String {
        switch self {
        case .message(let id, let number): "message:\(id.text):\(number)"
        case .conversation(let id): "conversation:\(id.text)"
        case .user(let user): "user:\(user.text)"
        case .room(let room, let user): "room:\(room.text)" + (user.map { ":\($0.text)" } ?? "")
        }
    }
}

/// Why.
package enum ReportReason: String, Hashable, Sendable, CaseIterable {
    case spam, abuse, violence, sexual, illegal, other
}
