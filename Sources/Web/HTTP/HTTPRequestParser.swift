/// One piece of a request.
package enum HTTPRequestPart: Sendable {
    case head(HTTPRequestHead)
    /// Bytes of the body, in the bytes passed in: nothing is copied.
    case body(Range<Int>)
    /// The request is complete; the next part belongs to the next one.
    case end(trailers: HTTPFields?)
}

/// Reads requests from a connection's bytes, however they are cut.
///
///     head ──head──▶ fixed / chunked ──body*──▶ ──end──▶ head …
///       └───────────── no body ─────────────────end──────▶
///
/// Anything that another program on the way could read differently is refused (RFC 9112 §11.2), and after
/// an error the connection is to be closed: where the next request begins is no longer known.
package struct HTTPRequestParser: Sendable {
    /// The longest method anybody registered has seventeen letters.
    static let maxMethodBytes = 32

    private enum State: Sendable {
        /// Reading a head, or waiting for one. Can become: fixed, chunked, ending, handedOver, failed.
        case head
        /// So many bytes of the body are missing. Can become: ending, failed.
        case fixed(remaining: Int)
        /// Can become: head, failed.
        case chunked(HTTPChunkedDecoder)
        /// The request is complete and has yet to say so. Can become: head, handedOver.
        case ending
        /// The bytes belong to another protocol now. The last state.
        case handedOver
        /// The last state.
        case failed(HTTPParseError)
    }

    package let limits: HTTPLimits
    private var state = State.head
    private var scanner: HTTPSectionScanner
    /// The part of a head that came with earlier reads.
    private var held: [UInt8] = []
    private var maxBodyBytes: Int
    /// Bytes of the connection that lie before the ones passed in.
    private var consumed = 0

    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        self.maxBodyBytes = limits.maxBodyBytes
        self.scanner = Self.scanner(limits)
    }

    /// True between requests: nothing is held and nothing is missing.
    package var isIdle: Bool {
        guard case .head = self.state else { return false }
        return !self.scanner.hasBegun
    }

    /// The next part, or nil when the bytes are used up.
    ///
    /// `offset` moves past what was read. Call again until nil comes back: a part can follow without more bytes.
    package mutating func next(
        in bytes: Span<UInt8>, from offset: inout Int
    ) throws(HTTPRequestError) -> HTTPRequestPart? {
        let start = offset
        do throws(HTTPParseError) {
            let part = try self.part(in: bytes, from: &offset)
            self.consumed += offset - start
            return part
        } catch {
            if case .failed = self.state { throw error }
            let located = error.moved(by: self.consumed - start)
            self.state = .failed(located)
            throw located
        }
    }

    /// Lowers the body limit for the request whose head just came; the next call refuses what is too large.
    package mutating func limitBody(to bytes: Int) {
        self.maxBodyBytes = min(self.maxBodyBytes, max(0, bytes))
        guard case .chunked(var decoder) = self.state else { return }
        decoder.maxBodyBytes = self.maxBodyBytes
        self.state = .chunked(decoder)
    }

    /// Stops after an upgrade: the bytes from `offset` on belong to the new protocol.
    package mutating func handOver() {
        self.state = .handedOver
    }

    private mutating func part(
        in bytes: Span<UInt8>, from offset: inout Int
    ) throws(HTTPParseError) -> HTTPRequestPart? {
        switch self.state {
        case .head:
            return try self.takeHead(bytes, from: &offset)
        case .fixed(let remaining):
            return try self.takeBody(bytes, remaining, from: &offset)
        case .chunked(var decoder):
            // Taken out while it works, so that what it holds is not copied.
            self.state = .ending
            guard let step = try decoder.next(in: bytes, from: &offset) else {
                self.state = .chunked(decoder)
                return nil
            }
            return self.answer(step, decoder)
        case .ending:
            return self.end(trailers: nil)
        case .handedOver:
            return nil
        case .failed(let error):
            throw error
        }
    }

    private mutating func takeHead(
        _ bytes: Span<UInt8>, from offset: inout Int
    ) throws(HTTPParseError) -> HTTPRequestPart? {
        let start = offset
        let isComplete = try self.scanner.scan(bytes, from: &offset)
        guard isComplete else {
            self.held.append(copying: bytes.extracting(start..<offset))
            return nil
        }
        let leading = self.scanner.leadingBytes
        let head: HTTPRequestHead
        if self.held.isEmpty {
            head = try self.read(bytes.extracting(start..<offset), leading: leading, from: start)
        } else {
            self.held.append(copying: bytes.extracting(start..<offset))
            head = try self.read(self.held.span, leading: leading, from: offset - self.held.count)
            self.held = []
        }
        self.begin(head)
        return .head(head)
    }

    /// Reads a complete section whose first byte lies at `start`.
    private func read(
        _ section: Span<UInt8>, leading: Int, from start: Int
    ) throws(HTTPParseError) -> HTTPRequestHead {
        do throws(HTTPParseError) {
            let head = try HTTPRequestHead(parsing: section.extracting(leading..<section.count), limits: self.limits)
            if case .length(let length) = head.framing, length > self.limits.maxBodyBytes {
                throw HTTPParseError(.bodyTooLarge, at: 0)
            }
            return head
        } catch {
            throw error.moved(by: start + leading)
        }
    }

    private mutating func begin(_ head: HTTPRequestHead) {
        self.maxBodyBytes = self.limits.maxBodyBytes
        self.scanner = Self.scanner(self.limits)
        switch head.framing {
        case .none, .untilClose: self.state = .ending
        case .length(let length): self.state = .fixed(remaining: length)
        case .chunked: self.state = .chunked(HTTPChunkedDecoder(limits: self.limits, maxBodyBytes: self.maxBodyBytes))
        }
    }

    private mutating func takeBody(
        _ bytes: Span<UInt8>, _ remaining: Int, from offset: inout Int
    ) throws(HTTPParseError) -> HTTPRequestPart? {
        guard remaining <= self.maxBodyBytes else { throw HTTPParseError(.bodyTooLarge, at: offset) }
        guard offset < bytes.count else { return nil }
        let start = offset
        offset += min(remaining, bytes.count - offset)
        let left = remaining - (offset - start)
        self.state = left == 0 ? .ending : .fixed(remaining: left)
        return .body(start..<offset)
    }

    private mutating func answer(_ step: HTTPChunkedDecoder.Step, _ decoder: HTTPChunkedDecoder) -> HTTPRequestPart {
        switch step {
        case .data(let range):
            self.state = .chunked(decoder)
            return .body(range)
        case .end(let trailers):
            return self.end(trailers: trailers)
        }
    }

    private mutating func end(trailers: HTTPFields?) -> HTTPRequestPart {
        self.state = .head
        return .end(trailers: trailers)
    }

    private static func scanner(_ limits: HTTPLimits) -> HTTPSectionScanner {
        // Around the target: a method, two spaces, a version and the line's end.
        HTTPSectionScanner(
            startLine: self.maxMethodBytes + limits.maxURIBytes + 12, fields: limits.maxHeaderBytes + 2,
            leadingEmptyLines: limits.maxLeadingEmptyLines)
    }
}
