package import Vocabulary

/// What a session wants done, in this order.
package struct ClientOutbox: Hashable, Sendable {
    package enum Order: Hashable, Sendable {
        /// Open a WebSocket, and say when it is open or that it cannot be opened.
        case dial
        /// One text frame.
        case send([UInt8])
        /// Let go of the WebSocket; nothing more is heard of it.
        case hangUp
        case tell(News)
    }

    /// What the program hears.
    package enum News: Hashable, Sendable {
        /// The server let us in, under this name. When the session was taken up again nothing was missed.
        case arrived(SessionID, isRecovered: Bool)
        case event(name: String, argument: RawJSON)
        case answered(Int, RawJSON)
        case unanswered(Int, ClientError)
        /// The connection is gone; another attempt is made after a rest.
        case away(LinkFailure, retryIn: Duration)
        /// The last one.
        case ended(LinkFailure)
    }

    package var orders: [Order] = []

    package init() {}

    mutating func tell(_ news: News) { self.orders.append(.tell(news)) }
}
