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
///     head ──head──▶ body ──body*, end──▶ head …
///       └──handOver──▶ handedOver
///
/// Anything that another program on the way could read differently is refused (RFC 9112 §11.2), and after
/// an error the connection is to be closed: where the next request begins is no longer known.
package struct HTTPRequestParser: Sendable {
    private enum State: Sendable {
        /// Reading a head, or waiting for one. Can become: body, handedOver, failed.
        case head
        /// Reading what follows a head. Can become: head, handedOver, failed.
        case body(HTTPBodyReader)
        /// The bytes belong to another protocol now. The last state.
        case handedOver
        /// The last state.
        case failed(HTTPParseError)
    }

    package let limits: HTTPLimits
    private var state = State.head
    private var collector: HTTPHeadCollector
    /// Bytes of the connection that lie before the ones passed in.
    private var consumed = 0

    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        self.collector = HTTPHeadCollector(
            // Around the target: a method, two spaces, a version and the line's end.
            HTTPSectionScanner(
                startLine: HTTPMethod.maxBytes + limits.maxURIBytes + 12, fields: limits.maxHeaderBytes + 2,
                leadingEmptyLines: limits.maxLeadingEmptyLines))
    }

    /// True between requests: nothing is held and nothing is missing.
    package var isIdle: Bool {
        guard case .head = self.state else { return false }
        return self.collector.isIdle
    }

    /// The next part, or nil when the bytes are used up.
    ///
    /// `offset` moves past what was read. Call again until nil comes back: a part can follow without more bytes.
    package mutating func next(
        in bytes: Span<UInt8>, from offset: inout Int
    ) throws(HTTPRequestError) -> HTTPRequestPart? {
        if case .failed(let error) = self.state { throw error }
        let start = offset
        do throws(HTTPParseError) {
            let part = try self.part(in: bytes, from: &offset)
            self.consumed += offset - start
            return part
        } catch {
            let located = error.moved(by: self.consumed - start)
            self.state = .failed(located)
            throw located
        }
    }

    /// Lowers the body limit for the request whose head just came; the next call refuses what is too large.
    package mutating func limitBody(to bytes: Int) {
        guard case .body(var body) = self.state else { return }
        body.limit(to: bytes)
        self.state = .body(body)
    }

    /// Stops after an upgrade: the bytes from `offset` on belong to the new protocol.
    package mutating func handOver() {
        self.state = .handedOver
    }

    private mutating func part(
        in bytes: Span<UInt8>, from offset: inout Int
    ) throws(HTTPParseError) -> HTTPRequestPart? {
        switch self.state {
        case .head: return try self.takeHead(bytes, from: &offset)
        case .body(let body): return try self.takeBody(body, bytes, from: &offset)
        case .handedOver: return nil
        case .failed(let error): throw error
        }
    }

    private mutating func takeHead(
        _ bytes: Span<UInt8>, from offset: inout Int
    ) throws(HTTPParseError) -> HTTPRequestPart? {
        let limits = self.limits
        let head = try self.collector.next(in: bytes, from: &offset) { section throws(HTTPParseError) in
            try HTTPRequestHead(parsing: section, limits: limits)
        }
        guard let head else { return nil }
        self.state = .body(HTTPBodyReader(head.framing, limits: limits))
        return .head(head)
    }

    private mutating func takeBody(
        _ body: consuming HTTPBodyReader, _ bytes: Span<UInt8>, from offset: inout Int
    ) throws(HTTPParseError) -> HTTPRequestPart? {
        // Taken out while it works, so that what it holds is not copied.
        self.state = .head
        let step = try body.next(in: bytes, from: &offset)
        if case .end(let trailers) = step { return .end(trailers: trailers) }
        self.state = .body(body)
        guard case .data(let range) = step else { return nil }
        return .body(range)
    }
}
