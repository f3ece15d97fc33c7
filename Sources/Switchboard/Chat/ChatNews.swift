internal import Conversing
internal import JSON
package import Operations
package import SocketServer
package import Keeping
package import Vocabulary

/// Something that happened in a conversation or to a member, encoded once for all who hear it.
package final class ChatNews {
    package let event: ServerEvent
    /// One JSON object.
    package let json: [UInt8]
    /// The entry, when it is about one.
    package let outcome: ChangeOutcome?
    /// The same for all sockets.
    package let broadcast: SocketBroadcast

    convenience init(
        _ event: ServerEvent, _ outcome: ChangeOutcome? = nil, isVolatile: Bool = false,
        _ object: (inout JSONWriter) -> Void
    ) {
        self.init(event, outcome, isVolatile: isVolatile, json: JSONWriter.bytes(object))
    }

    /// - Parameter json: one object, as another node has written it.
    init(_ event: ServerEvent, _ outcome: ChangeOutcome? = nil, isVolatile: Bool = false, json bytes: [UInt8]) {
        self.event = event
        self.json = bytes
        self.outcome = outcome
        self.broadcast = SocketBroadcast(event, isVolatile: isVolatile) { $0.raw(bytes) }
    }

    convenience init(_ outcome: ChangeOutcome) {
        self.init(.chatEntry, outcome) { json in
            json.entry(outcome.entry, in: outcome.conversation, outcome.key)
        }
    }
}

/// A subscriber that hears what happens in its user's conversations as it happens: a socket, a stream, a request that waits.
package protocol ChatListener: AnyObject {
    var user: UserID { get }
    func hear(_ news: ChatNews)
}

/// One of our own clients on its line.
final class ChatSubscription: ChatListener {
    let guest: Guest
    /// Whether it wants to hear what it said itself.
    var hasEcho: Bool

    init(_ guest: Guest, hasEcho: Bool) {
        self.guest = guest
        self.hasEcho = hasEcho
    }

    var user: UserID { self.guest.user }

    func hear(_ news: ChatNews) { news.broadcast.sendShared(to: self.guest.socket) }
}
