package import Pacing
package import Reactor
internal import Vocabulary
package import Web

/// What a stranger may ask of the server, and for how long it waits.
package struct HTTPServerSettings: Sendable {
    package var limits = HTTPLimits()
    package var webSocketLimits = WebSocketLimits()
    package var writePolicy = WritePolicy()

    /// Whether each request leaves a line in the journal, with the address it came from.
    package var logsRequests = false

    /// From the connection's start, or the first byte of a further request, to the end of its head.
    package var headerTimeout = Duration.seconds(10)
    /// Between requests on a connection that stays open.
    package var idleTimeout = Duration.seconds(75)
    /// Within a body that the handler reads, for the next piece of it.
    package var bodyTimeout = Duration.seconds(30)
    /// What a body that is gathered in memory has to bring a second, after a first `bodyTimeout`.
    package var minimumBodyRate = 4 << 10
    /// For the peer's side of a WebSocket's goodbye.
    package var closeTimeout = Duration.seconds(5)

    /// Open connections on one loop, those that moved there included; those beyond are answered 503 and closed, or
    /// just closed behind TLS.
    package var maximumConnectionsPerLoop = 60_000
    /// Open connections of one client prefix, over all loops; those beyond are answered 429 and closed in the same way.
    package var maximumConnectionsPerAddress = 4_000
    /// This machine itself has as many as it likes: a proxy on it may speak for all clients.
    package var countsThisMachine = false
    /// What may wait behind a request that is not answered yet.
    package var maximumPipelinedBytes = 64 << 10
    /// What is read and thrown away of an unwanted body, to keep its connection.
    package var maximumDiscardedBytes = 256 << 10
    /// Half messages and bodies, which nobody can use yet.
    package var unfinishedBytes = PrefixBudget.Limits(ofPrefix: 32 << 20, total: 256 << 20)
    /// What waits for WebSocket clients that do not read.
    package var unreadBytes = PrefixBudget.Limits(ofPrefix: 64 << 20, total: 256 << 20)
    /// How much compressed messages of one client prefix may unfold to: bytes at once, and a second.
    package var inflation = TokenBucket.Rate(perSecond: 2_000_000, burst: 1_000_000)
    /// Smaller messages are not worth compressing.
    package var compressionThreshold = 1024
    /// Browsers are told to come by TLS only (RFC 6797). Not with a certificate that they do not trust anyway.
    package var demandsTLS = false
    /// Who in front of the server is believed about whom it speaks for.
    package var trustedProxies = TrustedProxies()

    /// Whether connections from there are counted. A proxy has as many as it likes.
    func counts(_ address: IPAddress) -> Bool {
        !self.trustedProxies.contains(address) && (self.countsThisMachine || !address.isLoopback)
    }

    /// How large a body may be is said by the handler that reads it; one without a reader is not read at all.
    package init() {
        self.limits.maximumBodyBytes = .max
    }
}
