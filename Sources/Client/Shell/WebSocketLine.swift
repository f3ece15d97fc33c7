internal import Reactor
internal import Web

/// Who is told what comes over a WebSocket of ours.
protocol WebSocketLineOwner: AnyObject {
    func lineOpened(_ line: WebSocketLine)
    func line(_ line: WebSocketLine, received text: Span<UInt8>)
    /// The last call of all; it does not come after `drop`.
    func line(_ line: WebSocketLine, ended failure: LinkFailure)
}

/// The client's side of one WebSocket, on a stream that was just opened.
final class WebSocketLine: StreamHandler {
    private enum State {
        /// We asked for a WebSocket. Can become: open, closed.
        case asking
        /// Can become: closed.
        case open
        /// The last state.
        case closed
    }

    /// A server keeps no more than this for one client, so that no message is larger.
    private static let limits = {
        var limits = WebSocketLimits()
        (limits.maximumMessageBytes, limits.maximumFrameBytes) = (4_000_000, 4_000_000)
        return limits
    }()

    private let stream: any ByteStream
    private weak var owner: (any WebSocketLineOwner)?
    private let handshake: WebSocketClientHandshake
    private var state = State.asking
    private var response = HTTPResponseParser()
    private var frames = WebSocketParser(role: .client, limits: WebSocketLine.limits)

    init(_ stream: any ByteStream, owner: any WebSocketLineOwner) {
        self.stream = stream
        self.owner = owner
        let nonce = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        self.handshake = WebSocketClientHandshake(nonce: nonce, offersCompression: false)
    }

    /// Asks for the WebSocket.
    func start(_ target: String, at host: String) {
        var request: [UInt8] = []
        HTTPRequestEncoder.write(.get, target: target, host: host, fields: self.handshake.fields, into: &request)
        self.stream.write(request.span)
    }

    func send(text: [UInt8]) {
        guard case .open = self.state else { return }
        self.write(.text, text)
    }

    /// Closes without another word to the owner.
    func drop() {
        self.close(.normal)
    }

    private func write(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        let key = UInt32.random(in: .min ... .max)
        var frame: [UInt8] = []
        frame.reserveCapacity(payload.count + 14)
        WebSocketFrameHeader(opcode, length: payload.count, mask: key).append(to: &frame)
        let start = frame.count
        frame.append(contentsOf: payload)
        var mask = WebSocketMask(key)
        var view = frame.mutableSpan
        mask.apply(to: &view, in: start..<view.count)
        self.stream.write(frame.span)
    }

    private func close(_ code: WebSocketCloseCode) {
        switch self.state {
        case .open: self.write(.close, [UInt8(code.number >> 8), UInt8(truncatingIfNeeded: code.number)])
        case .asking: break
        case .closed: return
        }
        self.state = .closed
        self.stream.close()
    }

    private func fail(_ failure: LinkFailure, saying code: WebSocketCloseCode = .normal) {
        if case .closed = self.state { return }
        self.close(code)
        self.owner?.line(self, ended: failure)
    }
}

// MARK: - What the stream brings

extension WebSocketLine {
    func received(_ bytes: inout MutableSpan<UInt8>) {
        var offset = 0
        if case .asking = self.state { self.readAnswer(bytes.span, from: &offset) }
        if case .open = self.state { self.readFrames(&bytes, from: &offset) }
    }

    private func readAnswer(_ bytes: Span<UInt8>, from offset: inout Int) {
        do throws(HTTPResponseError) {
            while let part = try self.response.next(in: bytes, from: &offset) {
                guard case .head(let head) = part else { continue }
                return self.answered(head)
            }
        } catch {
            self.fail(.noHTTP(error))
        }
    }

    private func answered(_ head: HTTPResponseHead) {
        do throws(WebSocketClientHandshake.Failure) {
            _ = try self.handshake.check(head)
            self.response.handOver()
            self.state = .open
            self.owner?.lineOpened(self)
        } catch {
            self.fail(LinkFailure(error, in: head))
        }
    }

    private func readFrames(_ bytes: inout MutableSpan<UInt8>, from offset: inout Int) {
        do throws(WebSocketError) {
            while let event = try self.frames.next(in: &bytes, from: &offset, inflater: nil) {
                self.take(event, bytes.span)
                guard case .open = self.state else { return }
            }
        } catch {
            self.fail(.brokenWebSocket(error), saying: error.closeCode)
        }
    }

    private func take(_ event: WebSocketEvent, _ bytes: Span<UInt8>) {
        switch event {
        case .message(.text, let range): self.owner?.line(self, received: bytes.extracting(range))
        case .assembled(.text, let message): self.owner?.line(self, received: message.span)
        // Nothing of ours is binary.
        case .message(.binary, _), .assembled(.binary, _): self.fail(.brokenPacket(nil), saying: .unsupportedData)
        case .ping(let payload): self.write(.pong, payload)
        case .pong: break
        case .close(let code, _): self.fail(.closedByServer(code), saying: code ?? .normal)
        }
    }

    func peerFinished() { self.fail(.closedByServer(nil)) }

    func drained() {}

    func ended(_ end: StreamEnd) {
        self.fail(end.failure(of: self.stream))
    }
}
