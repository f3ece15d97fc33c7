internal import Conversing
internal import JSON
package import Operations
package import SocketServer
package import Keeping
package import Vocabulary

/// Something that happened in a conversation or to somebody in it, put into words once for everybody who hears it.
package final class ChatNews {
    package let event: ServerEvent
    /// One JSON object.
    package let json: [UInt8]
    /// The entry, when it is about one.
    package let happening: ChangeOutcome?
    /// The same for all sockets.
    package let broadcast: SocketBroadcast

    init(
        _ event: ServerEvent, _ happening: ChangeOutcome? = nil, isVolatile: Bool = false,
        _ object: (inout JSONWriter) -> Void
    ) {
        var json = JSONWriter()
        object(&json)
        let bytes = json.bytes
        self.event = event
        self.json = bytes
        self.happening = happening
        self.broadcast = SocketBroadcast(event, isVolatile: isVolatile) { $0.raw(bytes) }
    }

    convenience init(_ happening: ChangeOutcome) {
        self.init(.chatEntry, happening) { json in
            json.entry(happening.entry, in: happening.conversation, happening.key)
        }
    }
}

/// Somebody who hears what happens in their conversations as it happens: a socket, a stream, a request that waits.
package protocol ChatListener: AnyObject {
    var user: UserID { get }
    func hear(_ news: ChatNews)
}

/// One of our own clients on its line.
final class ChatEar: ChatListener {
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
