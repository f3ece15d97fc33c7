internal import Bytes
internal import HTTPServer
internal import Reactor
internal import RealtimeTree
internal import Vocabulary
internal import Web

/// Puts the segments of long messages together.
package struct TreeSegments {
    private var left = 0
    private var bytes: [UInt8] = []

    package init() {}

    package struct TooLong: Error {}

    /// A frame that only says how many follow is as short as this.
    private static let longestCount = 6

    /// Nil while there is more to come, and for what says nothing.
    package mutating func add(_ frame: Span<UInt8>) throws(TooLong) -> [UInt8]? {
        if self.left == 0 {
            guard let count = Self.count(frame) else { return [UInt8](copying: frame) }
            // A lone zero only says that the client is there.
            guard count > 0 else { return nil }
            guard count <= TreeLimits.writeBytes / TreeFraming.maximumUnits + 16 else { throw TooLong() }
            self.left = count
            return nil
        }
        guard self.bytes.count + frame.count <= TreeLimits.writeBytes + (64 << 10) else { throw TooLong() }
        self.bytes.append(copying: frame)
        self.left -= 1
        guard self.left == 0 else { return nil }
        defer { self.bytes = [] }
        return self.bytes
    }

    private static func count(_ frame: Span<UInt8>) -> Int? {
        guard (1...self.longestCount).contains(frame.count) else { return nil }
        return Int(String(decoding: [UInt8](copying: frame), as: UTF8.self))
    }

    /// What is there of a message whose end has not come.
    package var byteCount: Int { self.bytes.count }
}

/// A session over a WebSocket (`/.ws`).
final class TreeSocket: WebSocketHandler, TreeTransport {
    private let socket: WebSocketConnection
    private let session: TreeSession
    private var segments = TreeSegments()
    /// Until the session goes on here, which began by polling; nil for one that began here.
    private var joining: TreePolling?
    private var silenceTimer: TimerToken?

    /// Clients say that they are there every 45 s.
    private static let silence = Duration.seconds(120)
    /// As much as waits for a client on a socket.
    private static let maximumQueuedBytes = 16_000_000
    /// A segment has 16,384 UTF-16 units.
    static let maximumFrameBytes = 64 << 10

    init(_ socket: WebSocketConnection, _ session: TreeSession, joining: TreePolling? = nil) {
        self.socket = socket
        self.session = session
        self.joining = joining
        self.restartSilence()
    }

    func received(_ kind: WebSocketMessageKind, _ payload: Span<UInt8>, on webSocket: WebSocketConnection) {
        self.restartSilence()
        do throws(TreeSegments.TooLong) {
            guard let json = try self.segments.add(payload) else { return }
            guard let message = TreeWireMessage(json.span) else {
                return self.socket.close(.policyViolation, reason: "no message of the protocol")
            }
            self.received(message)
        } catch {
            self.socket.close(.messageTooBig, reason: "the message is too long")
        }
    }

    private func received(_ message: TreeWireMessage) {
        guard let polling = self.joining else { return TreeWire(session: self.session).received(message) }
        switch message {
        case .control("p"): self.socket.send(.text, Array(#"{"t":"c","d":{"t":"o","d":null}}"#.utf8).span)
        // From here on the client sends this way; it hears by polling until it has said so there as well.
        case .control("a"): polling.clientMoved()
        case .control: break
        case .request: TreeWire(session: self.session).received(message)
        }
    }

    /// The last message by polling is on its way.
    func took() {
        self.joining = nil
        self.session.move(to: self)
    }

    // MARK: - Sending

    func send(_ json: [UInt8]) {
        for segment in TreeFraming.segments(of: json) { self.socket.send(.text, segment.span) }
        self.cutIfSlow()
    }

    func send(_ message: TreeMessage) {
        for frame in message.messages { self.socket.send(frame) }
        self.cutIfSlow()
    }

    private func cutIfSlow() {
        if self.socket.queuedBytes > Self.maximumQueuedBytes { self.socket.abort() }
    }

    func close() { self.socket.close(.goingAway) }

    func closed(_ webSocket: WebSocketConnection, _ code: WebSocketCloseCode?, reason: String) {
        if let timer = self.silenceTimer.take() { self.socket.reactor.cancel(timer) }
        if self.joining.take() == nil { self.session.end() }
    }

    private func restartSilence() {
        if let timer = self.silenceTimer.take() { self.socket.reactor.cancel(timer) }
        self.silenceTimer = self.socket.reactor.schedule(after: Self.silence) { [weak self] in
            self?.silenceTimer = nil
            self?.socket.abort()
        }
    }
}
