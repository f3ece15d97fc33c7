package import HTTPServer
package import Sessions
internal import Reactor
package import Vocabulary
internal import Web

/// Everything a service is told before it starts.
package struct ServiceConfiguration: Sendable {
    package enum TLS: Hashable, Sendable {
        case off
        case files(certificate: String, key: String)
        /// Made at the start and gone at the end.
        case selfSigned
    }

    package var listen = SocketAddress(.loopback, port: 8080)
    /// Health and metrics, off the public port.
    package var admin = SocketAddress(.loopback, port: 8081)
    package var data = DataDirectory("parley-data")
    package var tls = TLS.off
    /// How long what is under way may take once the service is asked to stop.
    package var drainTimeout = Duration.seconds(10)
    /// Nil for one on each core.
    package var loops: Int?
    /// A folder of web pages to serve.
    package var web: String?
    package var crossOrigin = CrossOrigin()
    package var http = HTTPServerSettings()
    /// The heartbeat of Socket.IO clients, and how much they may send at once.
    package var engine = EngineSettings()
    /// Echo and broadcast endpoints for conformance suites and benchmarks; never for a service in earnest.
    package var exposesTestEndpoints = false

    package init() {}

    /// Conformance suites send messages of 16 MiB, some in tens of thousands of pieces, and want them back.
    var effectiveHTTP: HTTPServerSettings {
        guard self.exposesTestEndpoints else { return self.http }
        var http = self.http
        http.webSocketLimits.maxMessageBytes = max(http.webSocketLimits.maxMessageBytes, 16 << 20)
        http.webSocketLimits.maxFrameBytes = max(http.webSocketLimits.maxFrameBytes, 16 << 20)
        http.webSocketLimits.maxFragments = max(http.webSocketLimits.maxFragments, 1 << 17)
        http.writePolicy.limit = max(http.writePolicy.limit, 32 << 20)
        return http
    }
}
