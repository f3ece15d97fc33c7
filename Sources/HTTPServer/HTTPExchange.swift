internal import Bytes
internal import Journal
package import Reactor
package import Vocabulary
package import Web

/// One request that waits for its answer. Lives on its connection's loop; answer it from there, now or later.
package final class HTTPExchange {
    package let request: HTTPRequestHead
    /// The pairs of its query; nil when that is malformed.
    package private(set) lazy var query = QueryItems(self.request.query ?? "")
    /// Who is at the other end of the connection.
    package let peer: SocketAddress
    /// Who asks: the peer, or whom a trusted proxy there says it asks for. Limits count by it.
    package let client: IPAddress
    package let isEncrypted: Bool
    package let reactor: Reactor
    /// Its client is not in yet, also when this request is answered: others have the right of way.
    package var isOfNewcomer = false
    /// Told once when the client has gone before the answer was complete.
    package var onAbandoned: (() -> Void)?
    /// Told when the client will send no more. It may still read, but one that waits for long has usually gone,
    /// since closing a socket looks the same.
    package var onPeerFinished: (() -> Void)?
    /// Told when a streamed answer that had to wait for a slow reader may go on.
    package var onDrained: (() -> Void)?
    /// Fields that go with every answer.
    package var answerFields: [(HTTPFieldName, String)] = []

    var machine: HTTPExchangeMachine
    var body: (any HTTPBodySink)?
    private(set) weak var connection: HTTPConnection?
    private var plan: HTTPResponseEncoder.Plan?

    init(_ request: HTTPRequestHead, on connection: HTTPConnection) {
        self.request = request
        self.peer = connection.stream.peer
        self.client = connection.server.settings.trustedProxies.client(of: request, from: self.peer.ip)
        self.isEncrypted = connection.stream.isEncrypted
        self.reactor = connection.stream.reactor
        self.connection = connection
        self.machine = HTTPExchangeMachine(
            hasBody: request.framing != .none, keepAlive: request.keepAlive, expectsContinue: request.expectsContinue)
    }

    /// Whether the client still waits for the answer.
    package var isAlive: Bool { self.connection != nil && self.machine.answer != .complete }
    package var isAnswered: Bool { self.machine.answer != .none }

    func abandoned() {
        self.connection = nil
        self.body.take()?.bodyFailed()
        self.onDrained = nil
        self.onPeerFinished = nil
        self.onAbandoned.take()?()
    }
}

/// Where a request's body goes as it comes.
package protocol HTTPBodySink: AnyObject {
    /// The bytes are lent for the time of the call.
    func bodyReceived(_ bytes: Span<UInt8>)
    func bodyEnded()
    /// The client went away, or broke the rules, before the end.
    func bodyFailed()
}

// MARK: - The request's body

extension HTTPExchange {
    /// Lets a body of at most `limit` bytes flow into `sink`. A client that waits to be asked for it is asked now.
    package func streamBody(to sink: any HTTPBodySink, limit: Int) {
        guard let connection = self.connection, self.machine.answer == .none else { return }
        if let length = self.request.framing.length, length > limit {
            sink.bodyFailed()
            return self.respond(.error(.contentTooLarge, HTTPFault.bodyTooLarge.reason))
        }
        connection.limitBody(to: limit)
        self.body = sink
        if self.machine.bodyClaimed() { connection.writeContinue() }
        // What has no body is whole, even when its end is only read with what comes next, as after a move.
        let isWhole = self.machine.isRequestComplete || self.request.framing == .none
        if isWhole { self.bodyEnded() } else { connection.bodyClaimed() }
    }

    /// Gathers a body of at most `limit` bytes; a longer one is answered 413 without `completion`.
    package func collectBody(limit: Int, _ completion: @escaping ([UInt8]) -> Void) {
        guard let connection = self.connection else { return }
        let held = HeldBytes(connection.server.unfinishedBytes, for: self.client)
        let collector = HTTPBodyCollector(held, completion) { [unowned self] in
            self.respond(.error(.serviceUnavailable, "too much is unfinished already; send it again later"))
        }
        connection.minimumBodyRate = connection.server.settings.minimumBodyRate
        self.streamBody(to: collector, limit: limit)
    }

    /// What is there of a body that is gathered.
    package var gatheredBytes: Int { (self.body as? HTTPBodyCollector)?.count ?? 0 }

    /// What may wait for clients that do not read; nil when this one has gone.
    package var unreadBudget: HeldBytes.Budget? { self.connection?.server.unreadBytes }

    /// Lets the client wait: nothing more of the body is read until `resumeBody`.
    package func pauseBody() {
        if self.body != nil { self.connection?.pauseBody() }
    }

    package func resumeBody() {
        if self.body != nil { self.connection?.resumeBody() }
    }

    func bodyEnded() { self.body.take()?.bodyEnded() }
}

private final class HTTPBodyCollector: HTTPBodySink {
    private var bytes: [UInt8] = []
    private let held: HeldBytes
    private let completion: ([UInt8]) -> Void
    private let refuse: () -> Void

    init(_ held: HeldBytes, _ completion: @escaping ([UInt8]) -> Void, refuse: @escaping () -> Void) {
        self.held = held
        self.completion = completion
        self.refuse = refuse
    }

    func bodyReceived(_ bytes: Span<UInt8>) {
        guard self.held.hold(self.bytes.count + bytes.count) else { return self.refuse() }
        self.bytes.append(copying: bytes)
    }

    var count: Int { self.bytes.count }

    func bodyEnded() { self.completion(self.bytes) }
    func bodyFailed() {}
}

// MARK: - The answer

extension HTTPExchange {
    /// Gives the whole answer. A second one is ignored.
    package func respond(_ response: HTTPResponse) {
        let response = response.compressed(for: self.request)
        guard self.start(response.head, length: response.bodyLength) else { return }
        switch response.body {
        case .none: break
        case .bytes(let bytes): self.writeBody(bytes.span)
        case .shared(let shared): self.writeBody(shared)
        }
        self.finish()
    }

    /// Begins an answer whose body follows piece by piece. False when it is too late for that.
    @discardableResult
    package func start(_ head: HTTPResponseHead, length: Int?) -> Bool {
        guard let connection = self.connection, self.machine.answer == .none else { return false }
        let mayKeepAlive = self.machine.mayKeepAlive(
            bodyLength: self.request.framing.length ?? 0, atMost: connection.server.settings.maximumDiscardedBytes)
        if head.status == .contentTooLarge || head.status == .tooManyRequests {
            connection.server.metrics.refusals.increment()
        }
        let head = self.withAnswerFields(head)
        self.log(head.status, connection.server)
        let plan = connection.writeHead(head, length: length, answering: self.request, keepAlive: mayKeepAlive)
        self.machine.answerStarted(keepAlive: plan.keepAlive)
        self.plan = plan
        return true
    }

    /// Without the query, in which some clients carry secrets.
    private func log(_ status: HTTPStatus, _ server: HTTPLoopServer) {
        guard server.settings.logsRequests else { return }
        let path = self.request.target.prefix { $0 != "?" }.prefix(Self.maximumLoggedPath)
        let trace = self.request.fields[.traceParent].flatMap { TraceContext($0) }
        let journal = trace.map { server.journal.with([.trace: .plain($0.trace)]) } ?? server.journal
        journal.info(
            .httpRequest, "a request was answered",
            [
                .address: .plain(self.client), .method: .plain(self.request.method.text),
                .path: .plain(String(path)), .status: .integer(status.code),
            ])
    }

    private static let maximumLoggedPath = 256

    /// What an answer varies with adds up; of everything else there is one.
    private func withAnswerFields(_ head: HTTPResponseHead) -> HTTPResponseHead {
        var head = head
        for (name, value) in self.answerFields {
            if name == .vary { head.fields.append(name, value) } else { head.fields.set(name, to: value) }
        }
        return head
    }

    /// Writes a piece of the body. True while the client keeps up; when false, `onDrained` tells when to go on.
    @discardableResult
    package func write(_ bytes: Span<UInt8>) -> Bool {
        guard self.machine.answer == .streaming, bytes.count > 0 else { return true }
        self.writeBody(bytes)
        return self.connection?.keepsUp ?? false
    }

    /// Something went wrong in the middle: what was begun cannot be told from a whole answer, except by cutting it.
    package func fail() {
        self.connection?.stream.abort()
    }

    package func finish() {
        guard self.machine.answer == .streaming, let connection = self.connection else { return }
        if self.plan?.framing == .chunked { connection.writeLastChunk() }
        // Who answers before the body's end does not want the rest.
        self.body = nil
        self.onPeerFinished = nil
        connection.perform(self.machine.answerEnded())
    }

    private func writeBody(_ bytes: Span<UInt8>) {
        guard let connection = self.connection, let plan = self.plan else { return }
        switch plan.framing {
        case .none: break
        case .length, .untilClose: connection.stream.write(bytes)
        case .chunked: connection.writeChunk(bytes)
        }
    }

    private func writeBody(_ shared: SharedBytes) {
        guard self.plan?.framing != HTTPBodyFraming.none else { return }
        self.connection?.stream.write(shared)
    }

    /// Leaves HTTP: after `101` the stream belongs to what `makeHandler` returns.
    func switchProtocols(
        _ fields: HTTPFields, _ makeHandler: (any ByteStream, HTTPLoopServer) -> any StreamHandler
    ) {
        guard let connection = self.connection, self.machine.answer == .none else { return }
        let head = HTTPResponseHead(.switchingProtocols, fields: fields)
        self.log(.switchingProtocols, connection.server)
        _ = connection.writeHead(head, length: nil, answering: self.request, keepAlive: true)
        self.machine.answerStarted(keepAlive: true)
        _ = self.machine.answerEnded()
        connection.handOver(to: makeHandler(connection.stream, connection.server))
    }
}

extension HTTPBodyFraming {
    /// How long the body said it would be.
    package var length: Int? { if case .length(let length) = self { length } else { nil } }
}

extension HTTPExchange {
    /// Has the request answered on another loop. Only before the body is claimed and an answer begun.
    package func move(to loop: EventLoop) {
        precondition(self.machine.answer == .none && loop !== self.reactor.loop, "there is nothing to move")
        self.connection?.leave(for: loop)
    }
}
