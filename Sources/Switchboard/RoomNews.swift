package import Calling

/// What other parts of the server hear of a room.
package enum RoomNews: Hashable, Sendable {
    /// The first one comes.
    case opened
    case joined(Line)
    case gone(Line, RoomDeparture)
    /// The last one went.
    case ended

    /// Nothing of a seat that waits for its line, and of what those in the room do.
    static func news(_ announcement: RoomAnnouncement) -> [RoomNews] {
        switch announcement.content {
        case .joined(let line): announcement.number == 1 ? [.opened, .joined(line)] : [.joined(line)]
        case .gone(let line, let departure): [.gone(line, departure)]
        case .away, .back, .recording: []
        }
    }
}
