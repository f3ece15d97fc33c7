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
    private var method = HTTPMethod.get
    /// Bytes of the connection that lie before the ones passed in.
    private var consumed = 0

    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        self.collector = HTTPHeadCollector(
            HTTPSectionScanner(
                startLine: limits.maxURIBytes, fields: limits.maxHeaderBytes + 2, leadingEmptyLines: 0))
    }

    /// Says what the next answer answers: one to HEAD has no body, whatever its fields say.
    package mutating func expect(answerTo method: HTTPMethod) {
        self.method = method
    }

    /// The next part, or nil when the bytes are used up. Call again until nil comes back.
    package mutating func next(
        in bytes: Span<UInt8>, from offset: inout Int
    ) throws(HTTPResponseError) -> HTTPResponsePart? {
        if case .failed(let error) = self.state { throw error }
        let start = offset
        do throws(HTTPParseError) {
            let part = try self.part(in: bytes, from: &offset)
            self.consumed += offset - start
            return part
        } catch {
            throw self.fail(error.moved(by: self.consumed - start))
        }
    }

    /// The connection was closed by the other side: the end of a body that lasts until then, an error in the
    /// middle of any other, nothing between answers.
    package mutating func connectionClosed() throws(HTTPResponseError) -> HTTPResponsePart? {
        switch self.state {
        case .head where self.collector.isIdle, .handedOver:
            return nil
        case .body(let body) where body.endsWithConnection:
            self.state = .head
            return .end(trailers: nil)
        case .head, .body:
            throw self.fail(HTTPParseError(.truncatedBody, at: self.consumed))
        case .failed(let error):
            throw error
        }
    }

    /// Stops after an upgrade: the bytes from `offset` on belong to the new protocol.
    package mutating func handOver() {
        self.state = .handedOver
    }

    private mutating func fail(_ error: HTTPParseError) -> HTTPParseError {
        self.state = .failed(error)
        return error
    }

    private mutating func part(
        in bytes: Span<UInt8>, from offset: inout Int
    ) throws(HTTPParseError) -> HTTPResponsePart? {
        switch self.state {
        case .head: return try self.takeHead(bytes, from: &offset)
        case .body(let body): return try self.takeBody(body, bytes, from: &offset)
        case .handedOver: return nil
        case .failed(let error): throw error
        }
    }

    private mutating func takeHead(
        _ bytes: Span<UInt8>, from offset: inout Int
    ) throws(HTTPParseError) -> HTTPResponsePart? {
        let (limits, method) = (self.limits, self.method)
        let read = try self.collector.next(in: bytes, from: &offset) { section throws(HTTPParseError) in
            let head = try HTTPResponseHead(parsing: section, limits: limits)
            return (head, try head.framing(answering: method, limits: limits))
        }
        guard let (head, framing) = read else { return nil }
        if head.status.isInformational, head.status != .switchingProtocols { return .informational(head) }
        self.state = .body(HTTPBodyReader(framing, limits: limits))
        return .head(head)
    }

    private mutating func takeBody(
        _ body: consuming HTTPBodyReader, _ bytes: Span<UInt8>, from offset: inout Int
    ) throws(HTTPParseError) -> HTTPResponsePart? {
        // Taken out while it works, so that what it holds is not copied.
        self.state = .head
        let step = try body.next(in: bytes, from: &offset)
        if case .end(let trailers) = step { return .end(trailers: trailers) }
        self.state = .body(body)
        guard case .data(let range) = step else { return nil }
        return .body(range)
    }
}
