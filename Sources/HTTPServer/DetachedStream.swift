package import Reactor
package import Vocabulary

/// A connection on its way to another loop, or to whom its client wants to talk.
package struct DetachedStream: Sendable {
    let connection: DetachedConnection
    let tls: DetachedTLS?
    /// What was read of it already.
    let received: [UInt8]

    package var peer: SocketAddress { self.connection.peer }

    /// Takes it up on this loop.
    ///
    /// - Parameter accept: makes what handles the stream. Nil turns it away.
    package func resume(
        on reactor: Reactor, accept: (any ByteStream) -> (any StreamHandler)?
    ) throws(ReactorError) {
        let connection = try TCPConnection(self.connection, on: reactor)
        let tls = self.tls.map { TLSStream($0, over: connection) }
        guard let handler = accept(tls ?? connection) else { return connection.abort() }
        tls?.start(handler)
        connection.start(tls ?? handler)
        var received = self.received
        var view = received.mutableSpan
        handler.received(&view)
        tls?.readOn()
    }
}
