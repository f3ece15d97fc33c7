package import Journal
internal import System
internal import Pacing
package import Reactor
internal import Vocabulary
internal import Web

/// Answers requests, on whichever loop they arrived.
package typealias HTTPResponder = (HTTPExchange) -> Void

/// What all loops of a server count together.
struct HTTPBudgets: Sendable {
    let connections = Locked(PrefixCount())
    let unfinishedBytes: HeldBytes.Budget
    let unreadBytes: HeldBytes.Budget

    init(_ settings: HTTPServerSettings) {
        self.unfinishedBytes = Locked(PrefixBudget(settings.unfinishedBytes))
        self.unreadBytes = Locked(PrefixBudget(settings.unreadBytes))
    }
}

/// The HTTP server as one loop knows it: its connections, and what they share.
package final class HTTPLoopServer {
    /// The same server on the other loops. Not owned: they are owned together.
    unowned let siblings: LoopLocal<HTTPLoopServer>
    package let reactor: Reactor
    package let settings: HTTPServerSettings
    package let metrics: HTTPMetrics
    package let journal: Journal
    /// Compressors and the decompressor of all WebSockets on this loop.
    let codec = WebSocketCodec()
    var connections = ConnectionSet<HTTPConnection>()
    var webSockets = ConnectionSet<WebSocketConnection>()
    /// Those that speak another protocol now.
    var upgraded = ConnectionSet<UpgradedConnection>()

    /// Of all connections.
    let writePolicy: Shared<WritePolicy>
    private let responder: HTTPResponder
    private let otherProtocol: OtherProtocol
    /// How many connections each client prefix has, on all loops.
    private let prefixes: Locked<PrefixCount>
    let unfinishedBytes: HeldBytes.Budget
    let unreadBytes: HeldBytes.Budget
    private var inflation: PrefixBuckets
    private var scratch: [UInt8] = []
    private var turnedAway = 0
    private var common = HTTPFields()
    private var commonTime: UInt64 = .max
    private(set) var isDraining = false

    init(
        _ reactor: Reactor, _ siblings: LoopLocal<HTTPLoopServer>, _ settings: HTTPServerSettings,
        _ metrics: HTTPMetrics, _ journal: Journal, _ budgets: HTTPBudgets,
        _ otherProtocol: OtherProtocol, responder: @escaping HTTPResponder
    ) {
        self.siblings = siblings
        self.reactor = reactor
        self.settings = settings
        self.writePolicy = Shared(settings.writePolicy)
        self.metrics = metrics
        self.journal = journal
        self.prefixes = budgets.connections
        self.unfinishedBytes = budgets.unfinishedBytes
        self.unreadBytes = budgets.unreadBytes
        self.inflation = PrefixBuckets(settings.inflation)
        self.responder = responder
        self.otherProtocol = otherProtocol
    }

    func otherProtocol(of bytes: Span<UInt8>, on stream: any ByteStream) -> OtherProtocol.Takes? {
        self.otherProtocol.takes(bytes, on: stream)
    }

    func respond(_ exchange: HTTPExchange) { self.responder(exchange) }

    /// Room for putting a few bytes together before they are written.
    func withScratch<Result>(_ body: (inout [UInt8]) -> Result) -> Result {
        // The room a very large message took is not kept.
        self.scratch.removeAll(keepingCapacity: self.scratch.capacity <= Self.maximumScratch)
        return body(&self.scratch)
    }

    private static let maximumScratch = 256 << 10

    /// How long a client has to wait after its messages unfolded to so many bytes.
    func spend(inflated count: Int, by address: IPAddress) -> Duration? {
        self.inflation.spend(count, by: address, at: Instant(milliseconds: Int64(clamping: self.reactor.now)))
    }

    /// What every answer says; made once a second, for the date is in it.
    private var commonFields: HTTPFields {
        let now = self.reactor.now / 1000
        if now != self.commonTime {
            self.commonTime = now
            self.common = self.makeCommonFields()
        }
        return self.common
    }

    private func makeCommonFields() -> HTTPFields {
        // A browser goes by the media type, and does not guess one from bytes that some client sent.
        var fields: HTTPFields = [.contentTypeOptions: "nosniff"]
        fields.set(.date, to: HTTPDate.format(Int(LogTime.now().secondsSince1970)))
        if self.settings.demandsTLS { fields.set(.strictTransportSecurity, to: "max-age=31536000") }
        return fields
    }

    /// No further connection may come, neither fresh nor from another loop.
    var isFull: Bool {
        self.connections.count + self.webSockets.count + self.upgraded.count >= self.settings.maximumConnectionsPerLoop
    }

    /// Takes a fresh connection in, or turns it away.
    func welcome(_ stream: any ByteStream) -> (any StreamHandler)? {
        self.metrics.connectionsTotal.increment()
        guard !self.isFull else { return self.turnAway(stream) }
        guard self.admits(stream.peer.ip) else {
            return self.turnAway(stream, .tooManyRequests, "too many connections from your address")
        }
        self.metrics.connections.increment()
        let connection = HTTPConnection(stream, self)
        // The door was closed while it was on its way to this loop.
        if self.isDraining { connection.drain() }
        return connection
    }

    /// Whether one more may come from there; it is counted then.
    private func admits(_ address: IPAddress) -> Bool {
        guard self.settings.counts(address) else { return true }
        let limit = self.settings.maximumConnectionsPerAddress
        return self.prefixes.withLock { $0.add(address, atMost: limit) }
    }

    /// Says why and closes; what comes back sees the connection off. Nil, to be cut without a word: behind TLS,
    /// whose handshake is the dear part, and when many who were turned away have not gone yet.
    func turnAway(
        _ stream: any ByteStream, _ status: HTTPStatus = .serviceUnavailable,
        _ reason: String = "too many connections, please come back later"
    ) -> (any StreamHandler)? {
        self.metrics.refusals.increment()
        guard !stream.isEncrypted, self.turnedAway < Self.maximumTurnedAway else { return nil }
        self.turnedAway += 1
        self.writeLastAnswer(status, reason, to: stream)
        stream.close()
        return Farewell { self.turnedAway -= 1 }
    }

    private static let maximumTurnedAway = 1024

    /// A connection that was welcomed has ended, whatever it had become.
    func connectionEnded(_ end: StreamEnd, _ peer: SocketAddress) {
        self.metrics.connections.decrement()
        if self.settings.counts(peer.ip) { self.prefixes.withLock { $0.remove(peer.ip) } }
        if end == .slowReader { self.metrics.slowReaders.increment() }
    }

    /// Lets what is under way finish and takes nothing new.
    package func drain() {
        self.isDraining = true
        for connection in self.connections.all { connection.drain() }
        for webSocket in self.webSockets.all { webSocket.sayGoingAway() }
        for connection in self.upgraded.all { connection.stream.close() }
    }

    package func abortAll() {
        for connection in self.connections.all { connection.stream.abort() }
        for webSocket in self.webSockets.all { webSocket.stream.abort() }
        for connection in self.upgraded.all { connection.stream.abort() }
    }
}

// MARK: - Answers

extension HTTPLoopServer {
    func writeHead(
        _ head: HTTPResponseHead, length: Int?, _ encoder: HTTPResponseEncoder, to stream: any ByteStream
    ) -> HTTPResponseEncoder.Plan {
        self.metrics.answered(head.status)
        let common = head.status.isInformational ? HTTPFields() : self.commonFields
        return self.withScratch { scratch in
            let plan = encoder.write(head, and: common, bodyLength: length, into: &scratch)
            stream.write(scratch.span)
            return plan
        }
    }

    /// An answer to something that could not be read as a request: the connection ends with it.
    func writeLastAnswer(_ status: HTTPStatus, _ reason: String, to stream: any ByteStream) {
        let response = HTTPResponse.unreadable(status, reason)
        _ = self.writeHead(response.head, length: response.bodyLength, .afterError, to: stream)
        if case .bytes(let bytes) = response.body { stream.write(bytes.span) }
    }
}

/// Sees a connection off that was closed as soon as it came.
private final class Farewell: StreamHandler {
    private let onEnd: () -> Void

    init(_ onEnd: @escaping () -> Void) { self.onEnd = onEnd }

    func received(_ bytes: inout MutableSpan<UInt8>) {}
    func peerFinished() {}
    func drained() {}
    func ended(_ end: StreamEnd) { self.onEnd() }
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
