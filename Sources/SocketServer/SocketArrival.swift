package import SocketIO
internal import Vocabulary

/// A client that wants into a namespace, and is let in or turned away once.
package final class SocketArrival {
    package let namespace: Namespace
    /// What the client said of itself, in JSON; nothing when it said nothing.
    package let auth: [UInt8]
    package let client: SocketClient
    package let version: EngineVersion
    private let link: EngineLink
    private let layer: SocketLayer
    private var isSettled = false

    init(_ namespace: Namespace, auth: [UInt8], on link: EngineLink, layer: SocketLayer) {
        self.namespace = namespace
        self.auth = auth
        self.client = link.client
        self.version = link.version
        self.link = link
        self.layer = layer
    }

    /// Lets the client in. Nil when it has gone in the meantime.
    ///
    /// - Parameter mayReturn: whether its place is kept when its line breaks. Every event then has one more argument,
    ///   by which the client tells how far it got.
    /// - Parameter isCorked: nothing reaches the client, this answer neither, until `Socket.uncork()`.
    @discardableResult
    package func accept(mayReturn: Bool = true, isCorked: Bool = false) -> Socket? {
        guard self.settle() else { return nil }
        if isCorked { self.link.cork() }
        let socket = self.layer.makeSocket(in: self.namespace, on: self.link, mayReturn: mayReturn)
        self.link.send([socket.welcome])
        return socket
    }

    package func refuse(_ message: String) {
        guard self.settle() else { return }
        let refusal = SocketPacketWriter.connectError(self.version, from: self.namespace, message: message)
        self.link.send([refusal])
        self.layer.refused(on: self.link)
    }

    /// False when it was settled before, or the client has gone.
    private func settle() -> Bool {
        guard !self.isSettled, !self.link.isOver else { return false }
        self.isSettled = true
        self.layer.answered(self)
        return true
    }
}
