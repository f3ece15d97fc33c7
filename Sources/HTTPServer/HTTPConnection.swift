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
    private var isPaused = false
    private var hasHandedOver = false
    private var peerHasFinished = false
    private var drainsBefore = false

    private var timer: TimerToken?
    private var deadline: UInt64 = 0

    init(_ stream: any ByteStream, _ server: HTTPLoopServer) {
        self.stream = stream
        self.server = server
        self.parser = HTTPRequestParser(limits: server.settings.limits)
        server.connections.insert(self)
        self.expect(within: server.settings.headerTimeout)
    }

    /// Nothing is under way and nothing waits.
    var isIdle: Bool { self.exchange == nil && self.parser.isIdle && self.held.isEmpty }

    /// The server is about to stop: what is under way may finish, nothing new begins.
    func drain() {
        self.drainsBefore = true
        if self.isIdle { self.stream.close() }
    }

    var keepsUp: Bool { self.stream.isOpen && self.stream.queuedBytes <= self.server.settings.writePolicy.highWater }
}

// MARK: - Reading

extension HTTPConnection {
    package func received(_ bytes: inout MutableSpan<UInt8>) {
        guard self.held.isEmpty else { return self.hold(bytes.span, from: 0) }
        if self.exchange == nil, self.parser.isIdle { self.expect(within: self.server.settings.headerTimeout) }
        var offset = 0
        self.process(bytes.span, from: &offset)
        if self.hasHandedOver { return }
        self.hold(bytes.span, from: offset)
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
    }

    private var mayReadOn: Bool {
        guard self.stream.isOpen, !self.hasHandedOver else { return false }
        guard let exchange = self.exchange else { return true }
        return !exchange.machine.isRequestComplete && exchange.machine.takesBody
    }

    private func take(_ part: HTTPRequestPart, in bytes: Span<UInt8>, from offset: Int) {
        switch part {
        case .head(let head): self.begin(head, bytes, offset)
        case .body(let range): self.deliver(bytes.extracting(range))
        case .end: self.requestEnded()
        }
    }

    private func begin(_ head: HTTPRequestHead, _ bytes: Span<UInt8>, _ offset: Int) {
        let exchange = HTTPExchange(head, on: self)
        self.exchange = exchange
        self.server.metrics.requests.increment()
        self.expect(within: self.server.settings.bodyTimeout)
        // What follows an upgrade's head belongs to the new protocol; it has to be at hand before the answer.
        if head.isUpgrade(to: "websocket") { self.hold(bytes, from: offset) }
        self.server.respond(exchange)
        if head.isUpgrade(to: "websocket"), !self.hasHandedOver { self.held = [] }
    }

    private func deliver(_ bytes: Span<UInt8>) {
        guard let exchange = self.exchange else { return }
        self.expect(within: self.server.settings.bodyTimeout)
        if let body = exchange.body { return body.bodyReceived(bytes) }
        self.perform(exchange.machine.bodyDiscarded(bytes.count, atMost: self.server.settings.maxDiscardedBytes))
    }

    private func requestEnded() {
        guard let exchange = self.exchange else { return }
        self.stopExpecting()
        let action = exchange.machine.requestEnded()
        exchange.bodyEnded()
        // The end of the body may have brought the answer, and with it the next request.
        if self.exchange === exchange { self.perform(action) }
    }

    /// Keeps what cannot be read yet, and stops reading when that is enough.
    private func hold(_ bytes: Span<UInt8>, from offset: Int) {
        guard offset < bytes.count, self.stream.isOpen else { return }
        let rest = bytes.extracting(offset..<bytes.count)
        unsafe rest.withUnsafeBufferPointer { unsafe self.held.append(contentsOf: $0) }
        guard self.held.count > self.server.settings.maxPipelinedBytes, !self.isPaused else { return }
        self.isPaused = true
        self.stream.pauseReading()
    }

    /// Something that the held bytes waited for has happened.
    private func readHeld() {
        guard !self.isProcessing else { return }
        while !self.held.isEmpty, self.mayReadOn {
            let bytes = self.held
            self.held = []
            var offset = 0
            self.process(bytes.span, from: &offset)
            if self.hasHandedOver { return }
            if offset < bytes.count { self.held = Array(bytes[offset...]) + self.held }
        }
        if self.isPaused, self.held.count <= self.server.settings.maxPipelinedBytes {
            self.isPaused = false
            self.stream.resumeReading()
        }
        self.finishIfPeerDid()
    }

    func bodyClaimed() { self.readHeld() }
    func limitBody(to limit: Int) { self.parser.limitBody(to: limit) }
}

// MARK: - Writing

extension HTTPConnection {
    func writeContinue() {
        var bytes: [UInt8] = []
        HTTPResponseEncoder.writeContinue(into: &bytes)
        self.stream.write(bytes.span)
    }

    func writeHead(
        _ head: HTTPResponseHead, length: Int?, answering request: HTTPRequestHead
    ) -> HTTPResponseEncoder.Plan {
        let encoder = HTTPResponseEncoder(answering: request, keepAlive: !self.drainsBefore && !self.peerHasFinished)
        self.server.metrics.answered(head.status)
        return self.write(head, length: length, encoder)
    }

    private func write(_ head: HTTPResponseHead, length: Int?, _ encoder: HTTPResponseEncoder)
        -> HTTPResponseEncoder.Plan
    {
        var head = head
        if !head.status.isInformational { head.fields.set(.date, to: self.server.date) }
        return self.server.withScratch { scratch in
            let plan = encoder.write(head, bodyLength: length, into: &scratch)
            self.stream.write(scratch.span)
            return plan
        }
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

    /// The request cannot be read any further: say why, and close, since nobody knows where the next one begins.
    private func refuse(_ error: HTTPRequestError) {
        self.server.metrics.refusals.increment()
        self.server.journal.debug(
            .httpRefused, "a request was refused",
            [.peer: .private("\(self.stream.peer)"), .reason: .plain(error.reason)])
        let wasAnswered = self.exchange?.isAnswered ?? false
        self.exchange.take()?.abandoned()
        if !wasAnswered { self.answerWithoutExchange(error.status, error.reason) }
        self.stream.close()
    }

    private func answerWithoutExchange(_ status: HTTPStatus, _ reason: String) {
        let response = HTTPResponse.error(status, reason)
        self.server.metrics.answered(status)
        _ = self.write(response.head, length: response.bodyLength, .afterError)
        if case .bytes(let bytes) = response.body { self.stream.write(bytes.span) }
    }
}

// MARK: - From one request to the next

extension HTTPConnection {
    func perform(_ action: HTTPExchangeMachine.Action) {
        switch action {
        case .nothing: self.readHeld()
        case .takeNext: self.takeNext()
        case .close:
            self.exchange = nil
            self.stopExpecting()
            self.stream.close()
        }
    }

    private func takeNext() {
        self.exchange = nil
        if self.drainsBefore { return self.stream.close() }
        self.expect(within: self.server.settings.idleTimeout)
        self.readHeld()
    }

    func handOver(to handler: any StreamHandler) {
        self.hasHandedOver = true
        self.parser.handOver()
        self.exchange = nil
        self.leaveServer()
        self.stream.replaceHandler(with: handler)
        if self.isPaused { self.stream.resumeReading() }
        guard !self.held.isEmpty else { return }
        var held = self.held
        self.held = []
        var rest = held.mutableSpan
        handler.received(&rest)
    }
}

// MARK: - Time and the end

extension HTTPConnection {
    /// Moves the deadline; the timer itself is only moved when it rings too early.
    private func expect(within time: Duration) {
        self.deadline = self.stream.reactor.now &+ time.wholeMilliseconds
        if self.timer == nil { self.armTimer(after: time) }
    }

    private func stopExpecting() { self.deadline = .max }

    private func armTimer(after time: Duration) {
        self.timer = self.stream.reactor.schedule(after: time) { [unowned self] in self.timerRang() }
    }

    private func timerRang() {
        self.timer = nil
        let now = self.stream.reactor.now
        guard self.deadline != .max else { return self.armTimer(after: self.server.settings.idleTimeout) }
        guard now >= self.deadline else { return self.armTimer(after: .milliseconds(self.deadline - now)) }
        if !self.isIdle, self.exchange?.isAnswered != true {
            self.answerWithoutExchange(.requestTimeout, "the request took too long to arrive")
        }
        self.exchange.take()?.abandoned()
        self.stream.close()
    }

    private func leaveServer() {
        if let timer = self.timer.take() { self.stream.reactor.cancel(timer) }
        self.server.connections.remove(self)
    }

    /// A client may finish its side and still read answers, but it will send no more requests.
    package func peerFinished() {
        self.peerHasFinished = true
        self.finishIfPeerDid()
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
        self.server.said(goodbye: end)
        self.exchange.take()?.abandoned()
    }
}
