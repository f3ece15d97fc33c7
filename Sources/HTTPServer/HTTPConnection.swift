internal import Bytes
internal import Journal
package import Reactor
internal import Web

/// One client's connection: reads requests, hands each to the responder in its turn, writes the answers.
///
/// Requests that come while one is not answered yet wait in `held`, and when too much waits the socket is not
/// read at all.
package final class HTTPConnection: StreamHandler {
    let stream: any ByteStream
    let server: HTTPLoopServer
    private var parser: HTTPRequestParser
    private var exchange: HTTPExchange?
    private var held: [UInt8] = []
    private var isProcessing = false
    /// Too much waits already.
    private var isFull = false
    /// Who takes the body is not ready for more of it.
    private var isBodyPaused = false
    private var hasHandedOver = false
    private var peerHasFinished = false
    private var isDraining = false
    private var hasServed = false
    /// The loop that this connection is about to move to.
    private var destination: EventLoop?

    /// Bytes a second that the body has to bring, where it is gathered in memory.
    var minimumBodyRate: Int?
    private var claimedBody: (start: UInt64, bytes: Int) = (0, 0)
    private var awaited = Awaited.head
    private var deadline: UInt64 = .max
    private var timer: Timer?

    init(_ stream: any ByteStream, _ server: HTTPLoopServer) {
        self.stream = stream
        self.server = server
        self.parser = HTTPRequestParser(limits: server.settings.limits)
        server.connections.insert(self)
        self.await(.head)
    }

    /// Goes on where a connection on another loop left off: with a request that is not answered yet.
    init(_ parcel: Parcel, on stream: any ByteStream, _ server: HTTPLoopServer) {
        self.stream = stream
        self.server = server
        self.parser = parcel.parser
        self.held = parcel.held
        self.peerHasFinished = parcel.peerHasFinished
        self.isDraining = server.isDraining
        server.connections.insert(self)
    }

    /// Nothing is under way and nothing waits.
    var isIdle: Bool { self.exchange == nil && self.parser.isIdle && self.held.isEmpty }

    /// The server is about to stop: what is under way may finish, nothing new begins.
    func drain() {
        self.isDraining = true
        guard self.isIdle else { return }
        guard !self.hasServed else { return self.stream.close() }
        // It was accepted a moment ago: its first request is on its way, and is answered.
        self.server.reactor.schedule(after: Self.firstRequestGrace) { [weak self] in
            if let self, self.isIdle { self.stream.close() }
        }
    }

    private static let firstRequestGrace = Duration.milliseconds(500)

    var keepsUp: Bool { self.stream.isOpen && self.stream.queuedBytes <= self.server.settings.writePolicy.highWater }
}

// MARK: - Reading

extension HTTPConnection {
    package func received(_ bytes: inout MutableSpan<UInt8>) {
        guard self.held.isEmpty else { return self.hold(bytes.span, from: 0) }
        if !self.hasServed, self.parser.isIdle, let takes = self.server.otherProtocol(of: bytes.span, on: self.stream) {
            return self.giveAway(bytes.span, takes)
        }
        var offset = 0
        self.process(bytes.span, from: &offset)
        if self.hasHandedOver { return }
        self.hold(bytes.span, from: offset)
        self.departIfWanted()
    }

    /// Reads on until the bytes are used up or have to wait for an answer.
    private func process(_ bytes: Span<UInt8>, from offset: inout Int) {
        self.isProcessing = true
        defer { self.isProcessing = false }
        do throws(HTTPRequestError) {
            while self.mayReadOn, let part = try self.parser.next(in: bytes, from: &offset) {
                self.take(part, in: bytes, from: offset)
            }
        } catch {
            offset = bytes.count
            self.refuse(error)
        }
        if self.awaited == .request, !self.parser.isIdle { self.await(.head) }
    }

    private var mayReadOn: Bool {
        guard self.stream.isOpen, !self.hasHandedOver, !self.isBodyPaused, self.destination == nil else { return false }
        return self.exchange?.machine.takesBody ?? true
    }

    private func take(_ part: HTTPRequestPart, in bytes: Span<UInt8>, from offset: Int) {
        switch part {
        case .head(let head): self.begin(head, bytes, offset)
        case .body(let range): self.deliver(bytes.extracting(range))
        case .end: self.requestEnded()
        }
    }

    private func begin(_ head: HTTPRequestHead, _ bytes: Span<UInt8>, _ offset: Int) {
        self.hasServed = true
        let exchange = HTTPExchange(head, on: self)
        self.exchange = exchange
        self.minimumBodyRate = nil
        self.server.metrics.requests.increment()
        self.await(.nothing)
        // What follows an upgrade's head belongs to the new protocol; it has to be at hand before the answer.
        let isUpgrade = head.isUpgrade(to: "websocket")
        if isUpgrade { self.hold(bytes, from: offset) }
        self.server.respond(exchange)
        if isUpgrade, !self.hasHandedOver { self.held = [] }
    }

    private func deliver(_ bytes: Span<UInt8>) {
        guard let exchange = self.exchange else { return }
        self.claimedBody.bytes += bytes.count
        self.await(.body)
        if let body = exchange.body { return body.bodyReceived(bytes) }
        self.perform(exchange.machine.bodyDiscarded(bytes.count, atMost: self.server.settings.maximumDiscardedBytes))
    }

    private func requestEnded() {
        guard let exchange = self.exchange else { return }
        self.await(.nothing)
        let action = exchange.machine.requestEnded()
        exchange.bodyEnded()
        // The end of the body may have brought the answer, and with it the next request.
        if self.exchange === exchange { self.perform(action) }
    }

    /// Keeps what cannot be read yet, and stops reading when that is enough.
    private func hold(_ bytes: Span<UInt8>, from offset: Int) {
        guard offset < bytes.count, self.stream.isOpen else { return }
        self.held.append(copying: bytes.extracting(offset..<bytes.count))
        self.updateReading()
    }

    private func updateReading() {
        self.isFull = self.held.count > self.server.settings.maximumPipelinedBytes
        if self.isFull || self.isBodyPaused { self.stream.pauseReading() } else { self.stream.resumeReading() }
    }

    /// Something that the held bytes waited for has happened.
    private func readHeld() {
        guard !self.isProcessing else { return }
        // A body that was paused after its last bytes still has its end to come, without any more bytes.
        var mayEnd = !self.parser.isIdle
        while mayEnd || !self.held.isEmpty, self.mayReadOn {
            mayEnd = false
            let bytes = self.held
            self.held = []
            var offset = 0
            self.process(bytes.span, from: &offset)
            if self.hasHandedOver { return }
            if offset < bytes.count { self.held = Array(bytes[offset...]) + self.held }
        }
        if self.destination != nil { return self.departIfWanted() }
        if self.isFull { self.updateReading() }
        self.finishIfPeerDid()
    }

    func bodyClaimed() {
        self.claimedBody = (self.stream.reactor.now, 0)
        self.await(.body)
        self.readHeld()
    }

    func limitBody(to limit: Int) { self.parser.limitBody(to: limit) }

    func pauseBody() {
        self.isBodyPaused = true
        self.await(.nothing)
        self.updateReading()
    }

    func resumeBody() {
        guard self.isBodyPaused else { return }
        self.isBodyPaused = false
        self.await(.body)
        self.readHeld()
        self.updateReading()
    }
}

// MARK: - Writing

extension HTTPConnection {
    func writeContinue() {
        var bytes: [UInt8] = []
        HTTPResponseEncoder.writeContinue(into: &bytes)
        self.stream.write(bytes.span)
    }

    func writeHead(
        _ head: HTTPResponseHead, length: Int?, answering request: HTTPRequestHead, keepAlive: Bool
    ) -> HTTPResponseEncoder.Plan {
        let isLast = !keepAlive || self.isDraining || (self.peerHasFinished && self.held.isEmpty)
        let encoder = HTTPResponseEncoder(answering: request, keepAlive: !isLast)
        return self.server.writeHead(head, length: length, encoder, to: self.stream)
    }

    func writeChunk(_ bytes: Span<UInt8>) {
        self.server.withScratch { scratch in
            HTTPChunk.writeHead(of: bytes.count, into: &scratch)
            self.stream.write(scratch.span)
            self.stream.write(bytes)
            scratch.removeAll(keepingCapacity: true)
            HTTPChunk.writeEnd(into: &scratch)
            self.stream.write(scratch.span)
        }
    }

    func writeLastChunk() {
        self.server.withScratch { scratch in
            HTTPChunk.writeLast(into: &scratch)
            self.stream.write(scratch.span)
        }
    }

    /// The request cannot be read any further: say why, and close, since the start of the next one is unknown.
    private func refuse(_ error: HTTPRequestError) {
        self.server.metrics.refusals.increment()
        self.server.journal.debug(
            .httpRefused, "a request was refused",
            [.peer: .private("\(self.stream.peer)"), .reason: .plain(error.reason)])
        let wasAnswered = self.exchange?.isAnswered ?? false
        self.exchange.take()?.abandoned()
        if !wasAnswered { self.server.writeLastAnswer(error.status, error.reason, to: self.stream) }
        self.stream.close()
    }
}

// MARK: - From one request to the next

extension HTTPConnection {
    func perform(_ action: HTTPExchangeMachine.Action) {
        switch action {
        case .nothing:
            if self.exchange?.machine.isDiscarding == true { self.resumeAfterAnswer() }
            self.readHeld()
        case .takeNext: self.takeNext()
        case .close:
            self.exchange = nil
            self.await(.nothing)
            self.stream.close()
        }
    }

    /// The rest of the body has no reader any more, so none can hold it up either.
    private func resumeAfterAnswer() {
        self.isBodyPaused = false
        self.await(.body)
        self.updateReading()
    }

    /// Its client need not wait in line any more, unless the request was only a step on its way in.
    private func letIn() { if self.exchange?.isOfNewcomer != true { self.stream.isNewcomer = false } }

    private func takeNext() {
        self.letIn()
        self.exchange = nil
        if self.isDraining { return self.stream.close() }
        self.await(.request)
        self.readHeld()
    }

    func leave(for loop: EventLoop) {
        self.destination = loop
        if !self.isProcessing { self.departIfWanted() }
    }

    private func departIfWanted() {
        guard let loop = self.destination.take(), let exchange = self.exchange.take() else { return }
        self.leaveServer()
        do throws(ReactorError) {
            let (connection, tls) = try self.detachStream()
            let parcel = Parcel(
                parser: self.parser, request: exchange.request, held: self.held,
                peerHasFinished: self.peerHasFinished, connection: connection, tls: tls)
            let siblings = self.server.siblings
            loop.execute { HTTPConnection.arrive(parcel, siblings.value(on: $0)) }
        } catch {
            self.stream.abort()
        }
    }

    private func detachStream() throws(ReactorError) -> (DetachedConnection, DetachedTLS?) {
        if let tls = self.stream as? TLSStream {
            let (connection, state) = try tls.detach()
            return (connection, state)
        }
        guard let connection = self.stream as? TCPConnection else {
            preconditionFailure("a stream that is neither TCP nor TLS")
        }
        return (try connection.detach(), nil)
    }

    /// Answers the request that the connection came with, then reads on.
    func resume(_ request: HTTPRequestHead) {
        let exchange = HTTPExchange(request, on: self)
        self.exchange = exchange
        self.server.respond(exchange)
        // The end of a request without a body needs no bytes to be read, and the loop before had stopped short of it.
        var offset = 0
        if self.held.isEmpty { self.process([UInt8]().span, from: &offset) }
        if !self.hasHandedOver { self.readHeld() }
    }

    /// The client wants to talk to somebody else, who may live on another loop.
    private func giveAway(_ received: Span<UInt8>, _ takes: OtherProtocol.Takes) {
        self.hasHandedOver = true
        self.stream.isNewcomer = false
        self.leaveServer()
        do throws(ReactorError) {
            let (connection, tls) = try self.detachStream()
            self.server.connectionEnded(.closed, self.stream.peer)
            takes(DetachedStream(connection: connection, tls: tls, received: Array(copying: received)))
        } catch {
            self.stream.abort()
        }
    }

    func handOver(to handler: any StreamHandler) {
        self.hasHandedOver = true
        self.parser.handOver()
        self.letIn()
        self.exchange = nil
        self.leaveServer()
        self.stream.replaceHandler(with: handler)
        if self.isFull { self.stream.resumeReading() }
        guard !self.held.isEmpty else { return }
        var held = self.held
        self.held = []
        var rest = held.mutableSpan
        handler.received(&rest)
    }
}

// MARK: - Time and the end

extension HTTPConnection {
    /// What the client has to bring next, in time.
    private enum Awaited {
        /// The rest of a head. Its time runs from the beginning, whatever comes of it in between.
        case head
        /// Another request.
        case request
        /// The next piece of a body.
        case body
        /// The turn is ours.
        case nothing
    }

    private struct Timer {
        let token: TimerToken
        let rings: UInt64
    }

    private func await(_ awaited: Awaited) {
        self.awaited = awaited
        let settings = self.server.settings
        switch awaited {
        case .head: self.expect(within: settings.headerTimeout)
        case .request: self.expect(within: settings.idleTimeout)
        case .body: self.expect(within: min(settings.bodyTimeout, self.remainingBodyTime ?? settings.bodyTimeout))
        case .nothing: self.deadline = .max
        }
    }

    /// Who sends a byte now and then would keep what came before for as long as they like.
    private var remainingBodyTime: Duration? {
        guard let rate = self.minimumBodyRate else { return nil }
        let allowed = self.server.settings.bodyTimeout + .seconds(Double(self.claimedBody.bytes) / Double(rate))
        let taken = Duration.milliseconds(self.stream.reactor.now &- self.claimedBody.start)
        return max(.zero, allowed - taken)
    }

    /// Moves the deadline. The timer is left where it is unless it would ring too late: most deadlines move on
    /// long before they pass.
    private func expect(within time: Duration) {
        self.deadline = self.stream.reactor.now &+ time.wholeMilliseconds
        if let timer = self.timer, timer.rings <= self.deadline { return }
        self.armTimer()
    }

    private func armTimer() {
        self.disarmTimer()
        let reactor = self.stream.reactor
        let delay = self.deadline > reactor.now ? self.deadline - reactor.now : 0
        let token = reactor.schedule(after: .milliseconds(delay)) { [unowned self] in self.timerRang() }
        self.timer = Timer(token: token, rings: self.deadline)
    }

    private func disarmTimer() {
        if let timer = self.timer.take() { self.stream.reactor.cancel(timer.token) }
    }

    private func timerRang() {
        self.timer = nil
        guard self.deadline != .max, self.stream.isOpen else { return }
        guard self.stream.reactor.now >= self.deadline else { return self.armTimer() }
        if !self.isIdle, self.exchange?.isAnswered != true {
            self.server.writeLastAnswer(.requestTimeout, "the request took too long to arrive", to: self.stream)
        }
        self.exchange.take()?.abandoned()
        self.stream.close()
    }

    private func leaveServer() {
        self.disarmTimer()
        self.server.connections.remove(self)
    }

    /// A client may finish its side and still read answers, but it will send no more requests.
    package func peerFinished() {
        self.peerHasFinished = true
        self.finishIfPeerDid()
        self.exchange?.onPeerFinished?()
    }

    private func finishIfPeerDid() {
        guard self.peerHasFinished, self.stream.isOpen else { return }
        let waitsForAnswer = self.exchange.map { $0.machine.isRequestComplete } ?? false
        if !waitsForAnswer, self.held.isEmpty || self.exchange == nil {
            self.exchange.take()?.abandoned()
            self.stream.close()
        }
    }

    package func drained() { self.exchange?.onDrained?() }

    package func ended(_ end: StreamEnd) {
        self.leaveServer()
        self.server.connectionEnded(end, self.stream.peer)
        self.exchange.take()?.abandoned()
    }
}
