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
/// Anything that another program on the way could read differently is refused (RFC 9112 §11.2).
package struct HTTPRequestParser: Sendable {
    private var reader: HTTPMessageReader

    package init(limits: HTTPLimits = HTTPLimits()) {
        self.reader = HTTPMessageReader(
            limits: limits,
            // Around the target: a method, two spaces, a version and the line's end.
            maximumStartLineBytes: HTTPMethod.maximumBytes + limits.maximumURIBytes + 12,
            leadingEmptyLines: limits.maximumLeadingEmptyLines)
    }

    /// True between requests: nothing is held and nothing is missing.
    package var isIdle: Bool { self.reader.isIdle }

    /// The next part, or nil when the bytes are used up.
    ///
    /// `offset` moves past what was read. Call again until nil comes back: a part can follow without more bytes.
    package mutating func next(
        in bytes: Span<UInt8>, from offset: inout Int
    ) throws(HTTPRequestError) -> HTTPRequestPart? {
        let limits = self.reader.limits
        let part = try self.reader.next(in: bytes, from: &offset) { lines throws(HTTPParseError) in
            let head = try HTTPRequestHead(parsing: lines, limits: limits)
            return (head, head.framing)
        }
        switch part {
        case .head(let head, _): return .head(head)
        case .body(let range): return .body(range)
        case .end(let trailers): return .end(trailers: trailers)
        case nil: return nil
        }
    }

    /// Lowers the body limit for the request whose head just came; the next call refuses what is too large.
    package mutating func limitBody(to bytes: Int) {
        self.reader.limitBody(to: bytes)
    }

    /// Stops after an upgrade: the bytes from `offset` on belong to the new protocol.
    package mutating func handOver() {
        self.reader.handOver()
    }
}
