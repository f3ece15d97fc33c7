package import Reactor
package import Web

/// What a stranger may ask of the server, and for how long it waits.
package struct HTTPServerSettings: Sendable {
    package var limits = HTTPLimits()
    package var webSocketLimits = WebSocketLimits()
    package var writePolicy = WritePolicy()

    /// From the connection's start, or the first byte of a further request, to the end of its head.
    package var headerTimeout = Duration.seconds(10)
    /// Between requests on a connection that stays open.
    package var idleTimeout = Duration.seconds(75)
    /// Within a body that somebody takes, for the next piece of it.
    package var bodyTimeout = Duration.seconds(30)
    /// For the peer's side of a WebSocket's goodbye.
    package var closeTimeout = Duration.seconds(5)

    /// Open connections on one loop, those that moved there included; those beyond are answered 503 and closed, or
    /// just closed behind TLS.
    package var maxConnectionsPerLoop = 60_000
    /// What may wait behind a request that is not answered yet.
    package var maxPipelinedBytes = 64 << 10
    /// What is read and thrown away of a body nobody wanted, to keep its connection.
    package var maxDiscardedBytes = 256 << 10
    /// Smaller messages are not worth compressing.
    package var compressionThreshold = 1024

    /// How large a body may be is said by whoever takes it; one that nobody takes is not read at all.
    package init() {
        self.limits.maxBodyBytes = .max
    }
}
