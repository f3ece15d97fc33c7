package import SocketServer

/// The words in which one kind of client is told what happened: our own events, or those of a client from elsewhere.
package protocol Dialect: AnyObject {
    /// The event for this notice, encoded for as many as hear it; nil when these clients have no word for it.
    func event(for notice: Notice) -> SocketBroadcast?

    /// Whether its clients know people by the very name with which these came in, so that it must stay as it is.
    var keepsNames: Bool { get }
}

extension Dialect {
    package var keepsNames: Bool { false }
}
