package import Journal
package import Reactor
internal import Web

/// Answers requests, on whichever loop they arrived.
package typealias HTTPResponder = (HTTPExchange) -> Void

/// The HTTP server as one loop knows it: its connections, and what they share.
package final class HTTPLoopServer {
    package let reactor: Reactor
    package let settings: HTTPServerSettings
    package let metrics: HTTPMetrics
    package let journal: Journal
    /// Compressors and the decompressor of all WebSockets on this loop.
    let codec = WebSocketCodec()
    var connections = ConnectionSet<HTTPConnection>()
    var webSockets = ConnectionSet<WebSocketConnection>()

    private let responder: HTTPResponder
    private var scratch: [UInt8] = []
    private var dateText = ""
    private var dateTime: UInt64 = .max
    private(set) var isDraining = false

    init(
        _ reactor: Reactor, _ settings: HTTPServerSettings, _ metrics: HTTPMetrics, _ journal: Journal,
        responder: @escaping HTTPResponder
    ) {
        self.reactor = reactor
        self.settings = settings
        self.metrics = metrics
        self.journal = journal
        self.responder = responder
    }

    func respond(_ exchange: HTTPExchange) { self.responder(exchange) }

    /// Room for putting a few bytes together before they are written.
    func withScratch<Result>(_ body: (inout [UInt8]) -> Result) -> Result {
        self.scratch.removeAll(keepingCapacity: true)
        return body(&self.scratch)
    }

    /// Now, as HTTP writes it; made once a second.
    var date: String {
        let now = self.reactor.now / 1000
        if now != self.dateTime {
            self.dateTime = now
            self.dateText = HTTPDate.format(Int(LogTime.now().secondsSince1970))
        }
        return self.dateText
    }

    /// Takes a fresh connection in, or turns it away.
    func welcome(_ stream: any ByteStream) -> (any StreamHandler)? {
        self.metrics.connectionsTotal.increment()
        guard self.connections.count + self.webSockets.count < self.settings.maxConnectionsPerLoop, !self.isDraining
        else {
            self.metrics.refusals.increment()
            return nil
        }
        self.metrics.connections.increment()
        return HTTPConnection(stream, self)
    }

    /// A connection that was welcomed has ended, whatever it had become.
    func said(goodbye end: StreamEnd) {
        self.metrics.connections.decrement()
        if end == .slowReader { self.metrics.slowReaders.increment() }
    }

    /// Lets what is under way finish and takes nothing new.
    package func drain() {
        self.isDraining = true
        for connection in self.connections.all { connection.drain() }
        for webSocket in self.webSockets.all { webSocket.close(.goingAway, reason: "the server is shutting down") }
    }

    package func abortAll() {
        for connection in self.connections.all { connection.stream.abort() }
        for webSocket in self.webSockets.all { webSocket.stream.abort() }
    }
}

/// The connections of one loop, by identity.
struct ConnectionSet<Connection: AnyObject> {
    private var members: [ObjectIdentifier: Connection] = [:]

    var count: Int { self.members.count }
    /// A copy: closing a connection takes it out of the set.
    var all: [Connection] { Array(self.members.values) }

    mutating func insert(_ connection: Connection) { self.members[ObjectIdentifier(connection)] = connection }

    @discardableResult
    mutating func remove(_ connection: Connection) -> Bool {
        self.members.removeValue(forKey: ObjectIdentifier(connection)) != nil
    }
}
