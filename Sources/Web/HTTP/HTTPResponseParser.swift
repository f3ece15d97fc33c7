/// One piece of an answer.
package enum HTTPResponsePart: Sendable {
    /// Something said before the answer itself, such as `100 Continue`.
    case informational(HTTPResponseHead)
    /// `101 Switching Protocols` is one of these: nothing follows it but the other protocol.
    case head(HTTPResponseHead)
    /// Bytes of the body, in the bytes passed in: nothing is copied.
    case body(Range<Int>)
    case end(trailers: HTTPFields?)
}

/// Reads answers from a connection's bytes, however they are cut; as strict as the parser of requests.
package struct HTTPResponseParser: Sendable {
    private var reader: HTTPMessageReader
    private var method = HTTPMethod.get

    package init(limits: HTTPLimits = HTTPLimits()) {
        self.reader = HTTPMessageReader(
            limits: limits, maximumStartLineBytes: limits.maximumURIBytes, leadingEmptyLines: 0)
    }

    /// Says what the next answer answers: one to HEAD has no body, whatever its fields say.
    package mutating func expect(answerTo method: HTTPMethod) {
        self.method = method
    }

    /// The next part, or nil when the bytes are used up. Call again until nil comes back.
    package mutating func next(
        in bytes: Span<UInt8>, from offset: inout Int
    ) throws(HTTPResponseError) -> HTTPResponsePart? {
        let (limits, method) = (self.reader.limits, self.method)
        let part = try self.reader.next(in: bytes, from: &offset) { lines throws(HTTPParseError) in
            let head = try HTTPResponseHead(parsing: lines, limits: limits)
            let framing = try head.framing(answering: method, limits: limits)
            let isInterim = head.status.isInformational && head.status != .switchingProtocols
            return (head, isInterim ? nil : framing)
        }
        switch part {
        case .head(let head, nil): return .informational(head)
        case .head(let head, _): return .head(head)
        case .body(let range): return .body(range)
        case .end(let trailers): return .end(trailers: trailers)
        case nil: return nil
        }
    }

    /// The connection was closed by the other side: the end of a body that lasts until then, an error in the
    /// middle of any other, nothing between answers.
    package mutating func connectionClosed() throws(HTTPResponseError) -> HTTPResponsePart? {
        try self.reader.connectionClosed() ? .end(trailers: nil) : nil
    }

    /// Stops after an upgrade: the bytes from `offset` on belong to the new protocol.
    package mutating func handOver() {
        self.reader.handOver()
    }
}
