package import Reactor
package import Web

/// A connection that has left HTTP (RFC 9110 §7.8) and belongs to what handles it now. It still counts as one of the server's, and ends with it.
final class UpgradedConnection: StreamHandler {
    let stream: any ByteStream
    private let server: HTTPLoopServer
    private let handler: any StreamHandler

    init(_ stream: any ByteStream, _ server: HTTPLoopServer, _ handler: any StreamHandler) {
        self.stream = stream
        self.server = server
        self.handler = handler
        server.upgraded.insert(self)
    }

    func received(_ bytes: inout MutableSpan<UInt8>) { self.handler.received(&bytes) }
    func peerFinished() { self.handler.peerFinished() }
    func drained() { self.handler.drained() }

    func ended(_ end: StreamEnd) {
        self.server.connectionEnded(end, self.stream.peer)
        self.server.upgraded.remove(self)
        self.handler.ended(end)
    }
}

extension HTTPExchange {
    /// Leaves HTTP: after `101` with these fields the stream belongs to what `makeHandler` returns, until the server drains.
    package func upgrade(_ fields: HTTPFields, _ makeHandler: (any ByteStream) -> any StreamHandler) {
        self.switchProtocols(fields) { stream, server in
            let connection = UpgradedConnection(stream, server, makeHandler(stream))
            if server.isDraining { stream.close() }
            return connection
        }
    }
}
