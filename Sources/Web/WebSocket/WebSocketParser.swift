internal import Bytes

/// What came over a WebSocket.
package enum WebSocketEvent: Hashable, Sendable {
    /// A whole message, unmasked in place inside the bytes passed in: nothing was copied.
    case message(WebSocketMessageKind, Range<Int>)
    /// A message that was fragmented, compressed or split over reads.
    case assembled(WebSocketMessageKind, [UInt8])
    case ping([UInt8])
    case pong([UInt8])
    /// The last event; what comes after it is skipped. A code of nil: the frame had none.
    case close(WebSocketCloseCode?, reason: String)
}

/// Reads frames from a connection's bytes, however they are cut (RFC 6455 §5, RFC 7692).
///
///     header ──(complete)──▶ payload ──(complete)──▶ header …
///        └──────────(a whole frame at once)────────────▲
///
/// Text is checked as it comes, so a wrong byte is noticed before its frame is complete. Between messages
/// nothing is held on the heap. After an error the connection is to be closed.
package struct WebSocketParser: Sendable {
    private enum State: Sendable {
        /// Waiting for a header, or in the middle of one. Can become: payload, closed, failed.
        case header
        /// In the middle of a frame. Can become: header, closed, failed.
        case payload(WebSocketIncomingFrame)
        /// A close frame came. The last state.
        case closed
        /// The last state.
        case failed(WebSocketError)
    }

    /// A message that is not complete yet.
    private struct Unfinished: Sendable {
        let kind: WebSocketMessageKind
        let isCompressed: Bool
        var text = UTF8Validator()
        var fragments: UInt32 = 0
        var bytes: [UInt8] = []
    }

    package let role: WebSocketRole
    /// May be raised and lowered between messages.
    package var limits: WebSocketLimits
    /// What compressed messages have become so far.
    package private(set) var inflatedBytes = 0
    private var state = State.header
    /// The part of a header that came with earlier reads.
    private var header: InlineArray<14, UInt8> = .init(repeating: 0)
    private var headerCount: UInt8 = 0
    private var message: Unfinished?
    private var control: [UInt8] = []

    package init(role: WebSocketRole, limits: WebSocketLimits = WebSocketLimits()) {
        self.role = role
        self.limits = limits
    }

    /// The next event, or nil when the bytes are used up.
    ///
    /// `offset` moves past what was read; the bytes before it may have been unmasked in place. Pass the loop's
    /// inflater if, and only if, compression was agreed on.
    package mutating func next(
        in bytes: inout MutableSpan<UInt8>, from offset: inout Int, inflater: WebSocketInflater?
    ) throws(WebSocketError) -> WebSocketEvent? {
        do throws(WebSocketError) {
            return try self.event(in: &bytes, from: &offset, inflater)
        } catch {
            self.state = .failed(error)
            self.message = nil
            self.control = []
            throw error
        }
    }

    /// What is held of a message that is not complete.
    package var unfinishedBytes: Int { self.message?.bytes.count ?? 0 }

    /// Hands every event to `take` until the bytes are used up or it answers false.
    ///
    /// - Returns: how many bytes were read.
    package mutating func readAll(
        in bytes: inout MutableSpan<UInt8>, inflater: WebSocketInflater?,
        _ take: (WebSocketEvent, Span<UInt8>, _ inflatedBytes: Int) -> Bool
    ) throws(WebSocketError) -> Int {
        var offset = 0
        while let event = try self.next(in: &bytes, from: &offset, inflater: inflater) {
            guard take(event, bytes.span, self.inflatedBytes) else { break }
        }
        return offset
    }

    private mutating func event(
        in bytes: inout MutableSpan<UInt8>, from offset: inout Int, _ inflater: WebSocketInflater?
    ) throws(WebSocketError) -> WebSocketEvent? {
        while true {
            switch self.state {
            case .header:
                if let event = try self.takeShortMessage(&bytes, from: &offset) { return event }
                let frame = try self.takeHeader(bytes.span, from: &offset, mayCompress: inflater != nil)
                guard var frame else { return nil }
                try self.begin(frame)
                if let event = try self.takeWhole(&frame, &bytes, from: &offset, inflater) { return event }
                self.state = .payload(frame)
            case .payload(let frame):
                if let event = try self.takePart(of: frame, &bytes, from: &offset, inflater) { return event }
                guard case .header = self.state else { return nil }
            case .closed:
                offset = bytes.count
                return nil
            case .failed(let error):
                throw error
            }
        }
    }
}

// MARK: Headers

extension WebSocketParser {
    /// A header, or nil when its end has not come yet; what is there of it is then kept.
    private mutating func takeHeader(
        _ bytes: Span<UInt8>, from offset: inout Int, mayCompress: Bool
    ) throws(WebSocketError) -> WebSocketIncomingFrame? {
        if self.headerCount == 0, bytes.count - offset >= 2 {
            let length = WebSocketIncomingFrame.headerLength(bytes[offset + 1])
            if bytes.count - offset >= length {
                defer { offset += length }
                let opcode = try self.opcode(bytes[offset], bytes[offset + 1], mayCompress)
                return try WebSocketIncomingFrame(opcode, bytes, at: offset)
            }
        }
        while offset < bytes.count {
            self.header[Int(self.headerCount)] = bytes[offset]
            self.headerCount += 1
            offset += 1
            guard self.headerCount >= 2 else { continue }
            let opcode = try self.opcode(self.header[0], self.header[1], mayCompress)
            guard Int(self.headerCount) == WebSocketIncomingFrame.headerLength(self.header[1]) else { continue }
            self.headerCount = 0
            return try WebSocketIncomingFrame(opcode, self.header.span, at: 0)
        }
        return nil
    }

    /// What a frame is, once its first two bytes are found to be in order.
    private func opcode(_ first: UInt8, _ second: UInt8, _ mayCompress: Bool) throws(WebSocketError) -> WebSocketOpcode
    {
        let opcode = try WebSocketIncomingFrame.check(first, second, role: self.role, mayCompress: mayCompress)
        switch opcode {
        case .continuation: if self.message == nil { throw WebSocketError(.unexpectedContinuation) }
        case .text, .binary: if self.message != nil { throw WebSocketError(.missingContinuation) }
        case .close, .ping, .pong: break
        }
        return opcode
    }

    /// Checks a frame against the message it belongs to, and against the limits, before any of it is taken.
    private mutating func begin(_ frame: WebSocketIncomingFrame) throws(WebSocketError) {
        guard !frame.opcode.isControl else { return }
        guard frame.missing <= self.limits.maximumFrameBytes else { throw WebSocketError(.frameTooBig) }
        guard frame.missing <= self.limits.maximumMessageBytes - (self.message?.bytes.count ?? 0) else {
            throw WebSocketError(.messageTooBig)
        }
        guard Int(self.message?.fragments ?? 0) < self.limits.maximumFragments else {
            throw WebSocketError(.tooManyFragments)
        }
        self.message?.fragments += 1
    }
}

// MARK: Payloads

extension WebSocketParser {
    /// The shortest way, for what nearly all traffic is: a whole message of under 126 bytes from a client, in one
    /// frame that is all there. Anything else is left to the general way, errors included.
    private mutating func takeShortMessage(
        _ bytes: inout MutableSpan<UInt8>, from offset: inout Int
    ) throws(WebSocketError) -> WebSocketEvent? {
        guard self.role == .server, self.headerCount == 0, bytes.count - offset >= 6 else { return nil }
        let (first, length) = (bytes[offset], Int(bytes[offset + 1] ^ 0x80))
        let start = offset + 6
        guard first == 0x81 || first == 0x82, length < 126, start + length <= bytes.count,
            length <= min(self.limits.maximumFrameBytes, self.limits.maximumMessageBytes), self.message == nil
        else { return nil }
        var mask = WebSocketMask(bytes.span, at: offset + 2)
        let range = start..<(start + length)
        mask.apply(to: &bytes, in: range)
        offset = range.upperBound
        guard first == 0x82 || UTF8Validator.isValid(bytes.span.extracting(range)) else {
            throw WebSocketError(.invalidText)
        }
        return .message(first == 0x81 ? .text : .binary, range)
    }

    /// The way almost everything goes: a message in one frame that is all there, read where it lies.
    private mutating func takeWhole(
        _ frame: inout WebSocketIncomingFrame, _ bytes: inout MutableSpan<UInt8>, from offset: inout Int,
        _ inflater: WebSocketInflater?
    ) throws(WebSocketError) -> WebSocketEvent? {
        guard let kind = frame.opcode.messageKind else { return nil }
        guard frame.isFinal, frame.missing <= bytes.count - offset else {
            self.message = Unfinished(kind: kind, isCompressed: frame.isCompressed, fragments: 1)
            // Once and for all: what grows by doubling leaves as much behind.
            if frame.isFinal { self.message?.bytes.reserveCapacity(frame.missing) }
            return nil
        }
        let range = frame.take(&bytes, from: &offset)
        guard !frame.isCompressed else {
            return try self.inflated(kind, bytes.span.extracting(range), inflater)
        }
        if kind == .text {
            guard UTF8Validator.isValid(bytes.span.extracting(range)) else { throw WebSocketError(.invalidText) }
        }
        return .message(kind, range)
    }

    /// Takes what is there of a frame. An event when that completes something.
    private mutating func takePart(
        of begun: WebSocketIncomingFrame, _ bytes: inout MutableSpan<UInt8>, from offset: inout Int,
        _ inflater: WebSocketInflater?
    ) throws(WebSocketError) -> WebSocketEvent? {
        var frame = begun
        let range = frame.take(&bytes, from: &offset)
        let part = bytes.span.extracting(range)
        if frame.opcode.isControl { self.control.append(copying: part) } else { try self.keep(part) }
        self.state = frame.missing == 0 ? .header : .payload(frame)
        guard frame.missing == 0 else { return nil }
        return frame.opcode.isControl
            ? try self.endControl(frame.opcode) : try self.endFragment(isFinal: frame.isFinal, inflater)
    }

    private mutating func keep(_ part: Span<UInt8>) throws(WebSocketError) {
        self.message?.bytes.append(copying: part)
        guard let message = self.message, message.kind == .text, !message.isCompressed else { return }
        guard self.message?.text.consume(part) == true else { throw WebSocketError(.invalidText) }
    }

    private mutating func endFragment(
        isFinal: Bool, _ inflater: WebSocketInflater?
    ) throws(WebSocketError) -> WebSocketEvent? {
        guard isFinal, let message = self.message else { return nil }
        self.message = nil
        if message.isCompressed { return try self.inflated(message.kind, message.bytes.span, inflater) }
        guard message.text.isComplete else { throw WebSocketError(.invalidText) }
        return .assembled(message.kind, message.bytes)
    }

    private mutating func inflated(
        _ kind: WebSocketMessageKind, _ payload: Span<UInt8>, _ inflater: WebSocketInflater?
    ) throws(WebSocketError) -> WebSocketEvent {
        guard let inflater else { throw WebSocketError(.reservedBits) }
        let bytes = try inflater.inflate(payload, limit: self.limits.maximumMessageBytes)
        self.inflatedBytes &+= bytes.count
        guard kind == .binary || UTF8Validator.isValid(bytes.span) else { throw WebSocketError(.invalidText) }
        return .assembled(kind, bytes)
    }

    private mutating func endControl(_ opcode: WebSocketOpcode) throws(WebSocketError) -> WebSocketEvent? {
        let payload = self.control
        self.control = []
        switch opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        case .close:
            self.state = .closed
            return try Self.close(payload)
        case .continuation, .text, .binary: return nil
        }
    }

    /// Nothing, or two bytes of code and then a reason in UTF-8 (RFC 6455 §5.5.1).
    private static func close(_ payload: [UInt8]) throws(WebSocketError) -> WebSocketEvent {
        guard !payload.isEmpty else { return .close(nil, reason: "") }
        guard payload.count >= 2 else { throw WebSocketError(.malformedClose) }
        guard let code = WebSocketCloseCode(UInt16(payload[0]) << 8 | UInt16(payload[1])) else {
            throw WebSocketError(.invalidCloseCode)
        }
        guard let reason = String(utf8: payload.span.extracting(2..<payload.count)) else {
            throw WebSocketError(.invalidText)
        }
        return .close(code, reason: reason)
    }
}

extension WebSocketOpcode {
    fileprivate var messageKind: WebSocketMessageKind? {
        switch self {
        case .text: .text
        case .binary: .binary
        case .continuation, .close, .ping, .pong: nil
        }
    }
}
