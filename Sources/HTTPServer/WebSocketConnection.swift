internal import Bytes
internal import Journal
package import Reactor
internal import Vocabulary
package import Web

/// Who is told what comes over a WebSocket, always on its loop.
package protocol WebSocketHandler: AnyObject {
    /// The payload is lent for the time of the call.
    func received(_ kind: WebSocketMessageKind, _ payload: Span<UInt8>, on webSocket: WebSocketConnection)
    /// What waits to be written fell below the low-water mark again.
    func drained(_ webSocket: WebSocketConnection)
    /// The last call of all. No code: the other side went without a word.
    func closed(_ webSocket: WebSocketConnection, _ code: WebSocketCloseCode?, reason: String)
}

extension WebSocketHandler {
    package func drained(_ webSocket: WebSocketConnection) {}
}

/// One WebSocket.
///
///     open ──close()──▶ closing ──peer's close / timeout──▶ closed
///       └──peer's close, an error, the stream ended────────▲
package final class WebSocketConnection: StreamHandler {
    private enum State {
        /// Can become: closing, closed.
        case open
        /// Our close frame is out; the peer's is awaited. Can become: closed.
        case closing
        case closed
    }

    let stream: any ByteStream
    private let server: HTTPLoopServer
    private var handler: (any WebSocketHandler)?
    private var parser: WebSocketParser
    private let compression: PerMessageDeflate?
    private var state = State.open
    private var closeTimer: TimerToken?
    /// Who asked for it, which a proxy may have done for them.
    private let client: IPAddress
    /// Its share of what is unfinished, while it has more than a little.
    private var unfinished: HeldBytes?
    /// Runs while nothing is read, since compressed messages have cost enough; what came already waits.
    private var restTimer: TimerToken?
    private var waiting: [UInt8] = []
    private var inflatedBytes = 0
    private var newLimit: Int?

    init(
        _ stream: any ByteStream, for client: IPAddress, _ server: HTTPLoopServer, _ compression: PerMessageDeflate?,
        _ limits: WebSocketLimits
    ) {
        self.stream = stream
        self.client = client
        self.server = server
        self.compression = compression
        self.parser = WebSocketParser(role: .server, limits: limits)
        server.webSockets.insert(self)
        server.metrics.webSockets.increment()
    }

    package func start(_ handler: any WebSocketHandler) { self.handler = handler }

    package var reactor: Reactor { self.stream.reactor }
    package var isOpen: Bool { self.state == .open && self.stream.isOpen }
    package var queuedBytes: Int { self.stream.queuedBytes }

    /// How much one message may weigh from the next read on.
    package func limitMessages(to count: Int) { self.newLimit = count }

    /// Its client is in.
    package func admit() { self.stream.isNewcomer = false }
}

// MARK: - Sending

extension WebSocketConnection {
    package func send(_ kind: WebSocketMessageKind, _ payload: Span<UInt8>) {
        guard self.isOpen else { return }
        if let compression = self.compression, payload.count >= self.server.settings.compressionThreshold {
            return self.sendCompressed(kind, payload, compression)
        }
        self.sendFrame(kind.opcode, payload)
    }

    /// The same message goes to many; it is encoded at the first of them.
    package func send(_ message: WebSocketMessage) {
        guard self.isOpen else { return }
        guard let compression = self.compression, message.count >= self.server.settings.compressionThreshold else {
            return self.stream.write(message.encoded.frame)
        }
        self.stream.write(message.compressed(windowBits: compression.windowBits, self.server.codec))
    }

    private func sendFrame(_ opcode: WebSocketOpcode, _ payload: Span<UInt8>, isCompressed: Bool = false) {
        if payload.count < 126, !isCompressed {
            return self.stream.write(WebSocketFrameHeader.short(opcode, length: payload.count).span, payload)
        }
        let header = WebSocketFrameHeader(opcode, length: payload.count, isCompressed: isCompressed)
        self.stream.write(header.bytes.span.extracting(first: header.count), payload)
    }

    private func sendCompressed(_ kind: WebSocketMessageKind, _ payload: Span<UInt8>, _ compression: PerMessageDeflate)
    {
        self.server.withScratch { scratch in
            self.server.codec.deflater(windowBits: compression.windowBits).deflate(payload, into: &scratch)
            self.sendFrame(kind.opcode, scratch.span, isCompressed: true)
        }
    }
}

// MARK: - Receiving

extension WebSocketConnection {
    package func received(_ bytes: inout MutableSpan<UInt8>) {
        if self.restTimer != nil { return self.waiting.append(copying: bytes.span) }
        let inflater = self.compression == nil ? nil : self.server.codec.inflater
        guard let handler = self.handler else { return }
        if let limit = self.newLimit.take() { self.parser.limits = WebSocketLimits(toMessagesOf: limit) }
        // Counted here and told once: a message of a few bytes would feel the cost of a shared counter.
        var delivered = 0
        do throws(WebSocketError) {
            let count = try self.parser.readAll(in: &bytes, inflater: inflater) { event, bytes, inflated in
                if self.take(event, in: bytes, handler) { delivered += 1 }
                return self.state != .closed && self.mayReadOn(after: inflated)
            }
            if self.restTimer != nil { self.waiting.append(copying: bytes.span.extracting(count..<bytes.count)) }
            try self.holdUnfinished()
        } catch {
            self.fail(error)
        }
        if delivered > 0 { self.server.metrics.webSocketMessages.increment(by: delivered) }
    }

    private func holdUnfinished() throws(WebSocketError) {
        let count = self.parser.unfinishedBytes
        guard count > Self.freelyUnfinished else { return self.unfinished = nil }
        let held = self.unfinished ?? HeldBytes(self.server.unfinishedBytes, for: self.client)
        self.unfinished = held
        guard held.hold(count) else { throw WebSocketError(.tooMuchUnfinished) }
    }

    /// What is there of a message whose end has not come.
    package var unfinishedBytes: Int { self.parser.unfinishedBytes }

    private static let freelyUnfinished = 4096

    /// A few bytes can unfold to many, and all that is done with those is work for everybody who waits behind them.
    private func mayReadOn(after inflated: Int) -> Bool {
        guard inflated != self.inflatedBytes else { return true }
        let cost = inflated &- self.inflatedBytes
        self.inflatedBytes = inflated
        guard let wait = self.server.spend(inflated: cost, by: self.client) else { return true }
        self.stream.pauseReading()
        self.restTimer = self.reactor.schedule(after: wait) { [unowned self] in self.rested() }
        return false
    }

    private func rested() {
        self.restTimer = nil
        var waiting = self.waiting
        self.waiting = []
        var bytes = waiting.mutableSpan
        self.received(&bytes)
        if self.restTimer == nil, self.state != .closed { self.stream.resumeReading() }
    }

    /// True when a message was handed on.
    private func take(_ event: WebSocketEvent, in bytes: Span<UInt8>, _ handler: any WebSocketHandler) -> Bool {
        switch event {
        case .message(let kind, let range): return self.deliver(kind, bytes.extracting(range), to: handler)
        case .assembled(let kind, let payload): return self.deliver(kind, payload.span, to: handler)
        case .ping(let payload): if self.isOpen { self.sendFrame(.pong, payload.span) }
        case .pong: break
        case .close(let code, let reason): self.peerClosed(code, reason)
        }
        return false
    }

    /// After our own goodbye nothing is delivered any more.
    private func deliver(_ kind: WebSocketMessageKind, _ payload: Span<UInt8>, to handler: any WebSocketHandler)
        -> Bool
    {
        guard self.state == .open else { return false }
        handler.received(kind, payload, on: self)
        return true
    }
}

// MARK: - Closing

extension WebSocketConnection {
    /// Says goodbye and waits a while for the other side's.
    package func close(_ code: WebSocketCloseCode, reason: String = "") {
        guard self.state == .open else { return }
        self.state = .closing
        self.sendClose(code, reason)
        self.closeTimer = self.reactor.schedule(after: self.server.settings.closeTimeout) { [unowned self] in
            self.closeTimer = nil
            self.finish(nil, "")
        }
    }

    package func abort() { self.stream.abort() }

    /// The server is about to stop.
    func sayGoingAway() { self.close(.goingAway, reason: "the server is shutting down") }

    /// The peer's close frame is answered with its own code; ours was out already when we began.
    private func peerClosed(_ code: WebSocketCloseCode?, _ reason: String) {
        if self.state == .open { self.sendClose(code, "") }
        self.finish(code, reason)
    }

    private func fail(_ error: WebSocketError) {
        self.server.metrics.refusals.increment()
        if self.state == .open { self.sendClose(error.closeCode, error.reason) }
        self.finish(error.closeCode, error.reason)
    }

    private func sendClose(_ code: WebSocketCloseCode?, _ reason: String) {
        var payload: [UInt8] = []
        if let code {
            payload = [UInt8(code.number >> 8), UInt8(code.number & 255)] + Self.fitting(reason)
        }
        self.sendFrame(.close, payload.span)
    }

    /// As much of a reason as a close frame has room for, never half a character.
    private static func fitting(_ reason: String) -> [UInt8] {
        var bytes = Array(reason.utf8.prefix(123))
        while String(utf8: bytes.span) == nil { bytes.removeLast() }
        return bytes
    }

    private func finish(_ code: WebSocketCloseCode?, _ reason: String) {
        guard self.state != .closed else { return }
        self.state = .closed
        if let timer = self.closeTimer.take() { self.reactor.cancel(timer) }
        if let timer = self.restTimer.take() { self.reactor.cancel(timer) }
        (self.waiting, self.unfinished) = ([], nil)
        self.stream.close()
        self.handler.take()?.closed(self, code, reason: reason)
    }

    package func peerFinished() { self.finish(nil, "") }
    package func drained() { self.handler?.drained(self) }

    package func ended(_ end: StreamEnd) {
        self.server.connectionEnded(end, self.stream.peer)
        self.finish(nil, "")
        if self.server.webSockets.remove(self) { self.server.metrics.webSockets.decrement() }
    }
}

// MARK: - Beginning

extension HTTPExchange {
    /// Makes a WebSocket of a request that asks for one, or answers why not.
    ///
    /// - Parameter maximumMessageBytes: how much one message may weigh, where the server's settings do not say it.
    package func upgradeToWebSocket(
        subprotocols: [String] = [], maximumMessageBytes: Int? = nil,
        _ makeHandler: (WebSocketConnection) -> any WebSocketHandler
    ) {
        do throws(WebSocketRefusal) {
            let upgrade = try WebSocketHandshake.accept(self.request, subprotocols: subprotocols)
            self.switchProtocols(upgrade.response.fields) { [client] stream, server in
                let limits = maximumMessageBytes.map { WebSocketLimits(toMessagesOf: $0) }
                let webSocket = WebSocketConnection(
                    stream, for: client, server, upgrade.compression, limits ?? server.settings.webSocketLimits)
                webSocket.start(makeHandler(webSocket))
                if server.isDraining { webSocket.sayGoingAway() }
                return webSocket
            }
        } catch {
            var response = HTTPResponse.error(error.response.status, error.description)
            for (name, value) in error.response.fields { response.head.fields.setIfKnown(name, to: value) }
            self.respond(response)
        }
    }
}

extension WebSocketLimits {
    fileprivate init(toMessagesOf count: Int) {
        self.init()
        (self.maximumMessageBytes, self.maximumFrameBytes) = (count, count)
    }
}

extension HTTPFields {
    fileprivate mutating func setIfKnown(_ text: String, to value: String) {
        if let name = HTTPFieldName(text) { self.set(name, to: value) }
    }
}
