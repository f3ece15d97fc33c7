package import Calling
package import Vocabulary

/// What other parts of the server hear of a room.
package enum RoomNews: Hashable, Sendable {
    /// `isFirst`: the room was opened with it.
    case joined(Line, isFirst: Bool)
    case gone(SessionID, UserID?, RoomDeparture)
    /// The last one went.
    case ended

    /// Nil of a seat that waits for its line, and of what those in the room do.
    ///
    /// - Parameter user: whose a line is.
    init?(_ announcement: RoomAnnouncement, user: (SessionID) -> UserID?) {
        switch announcement.content {
        case .joined(let line): self = .joined(line, isFirst: announcement.number == 1)
        case .gone(let session, let departure): self = .gone(session, user(session), departure)
        case .away, .back, .recording: return nil
        }
    }
}
