package import Calling
package import Vocabulary

/// What other parts of the server hear of a room.
package enum RoomNews: Hashable, Sendable {
    case joined(Line)
    case gone(SessionID, RoomDeparture)
    /// The last one went.
    case ended

    /// Nil of a seat that waits for its line.
    init?(_ announcement: RoomAnnouncement) {
        switch announcement.content {
        case .joined(let line): self = .joined(line)
        case .gone(let session, let departure): self = .gone(session, departure)
        case .away, .back: return nil
        }
    }
}
