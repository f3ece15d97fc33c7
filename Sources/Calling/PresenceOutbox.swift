package import Vocabulary

/// What presence wants told, in order. The shell empties it after every event.
package struct PresenceOutbox: Sendable {
    package enum Order: Hashable, Sendable {
        /// Tell those who watch this user.
        case cameOnline(UserID)
        /// Tell those who watch this user, and keep when the last line went.
        case wentOffline(UserID, lastSeen: Instant)
    }

    package private(set) var orders: [Order] = []

    package init() {}

    package var isEmpty: Bool { self.orders.isEmpty }

    /// Keeps its memory, for one outbox serves all users of a loop.
    package mutating func removeAll() {
        self.orders.removeAll(keepingCapacity: true)
    }

    mutating func append(_ order: Order) {
        self.orders.append(order)
    }
}

/// Why a line is not told about more users.
package enum PresenceRefusal: Error, Hashable, Sendable {
    /// It would be more users than one line can ask about. Nothing was added.
    case tooManyWatched
}
