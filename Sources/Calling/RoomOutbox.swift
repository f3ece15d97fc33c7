package import Vocabulary

/// Something that happened in a room. The numbers of a room's events have no gap, so all members see the same order.
package struct RoomAnnouncement: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case joined(Line)
        /// The member's line broke; the seat waits.
        case away(SessionID)
        /// The line is back.
        case back(SessionID)
        case gone(Line, RoomDeparture)
        /// The member keeps what is said from then on; nil no longer. Who is gone keeps nothing more.
        case recording(SessionID, since: WallTime?)
    }

    package let number: UInt64
    package let content: Content

    package init(_ number: UInt64, _ content: Content) {
        self.number = number
        self.content = content
    }
}

/// What a room wants done, in order. The shell empties it after every event.
package struct RoomOutbox: Sendable {
    package enum Order: Hashable, Sendable {
        /// Tell every member but the one it is about, who learns it in another way or is gone.
        case announce(RoomAnnouncement, except: SessionID)
        /// Tell this line that it is no longer in the room, by another's doing.
        case dismiss(SessionID, RoomDeparture)
        /// Tell every member who the host is now.
        case host(UserID)
        /// No member is left. The room can be forgotten.
        case ended
    }

    package private(set) var orders: [Order] = []

    package init() {}

    package var isEmpty: Bool { self.orders.isEmpty }

    /// Keeps its memory, for one outbox serves all rooms of a loop.
    package mutating func removeAll() {
        self.orders.removeAll(keepingCapacity: true)
    }

    mutating func append(_ order: Order) {
        self.orders.append(order)
    }
}
