/// The frame of both parsers: one message after another, however the connection's bytes are cut.
///
///     head ──head──▶ body ──body*, end──▶ head …
///       └──handOver──▶ handedOver
///
/// After an error the connection is to be closed: where the next message begins is no longer known.
struct HTTPMessageReader: Sendable {
    enum Part<Head> {
        /// Without a framing no body follows, not even an empty one.
        case head(Head, HTTPBodyFraming?)
        /// Bytes of the body, in the bytes passed in.
        case body(Range<Int>)
        case end(trailers: HTTPFields?)
    }

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

    let limits: HTTPLimits
    private var state = State.head
    private var collector: HTTPHeadCollector
    /// Bytes of the connection that lie before the ones passed in.
    private var consumed = 0

    init(limits: HTTPLimits, maximumStartLineBytes: Int, leadingEmptyLines: Int) {
        self.limits = limits
        self.collector = HTTPHeadCollector(
            HTTPSectionScanner(
                startLine: maximumStartLineBytes, fields: limits.maximumHeaderBytes + 2,
                leadingEmptyLines: leadingEmptyLines))
    }

    /// True between messages: nothing is held and nothing is missing.
    var isIdle: Bool {
        guard case .head = self.state else { return false }
        return self.collector.isIdle
    }

    /// The next part, or nil when the bytes are used up; `read` makes a head of the lines of one.
    mutating func next<Head>(
        in bytes: Span<UInt8>, from offset: inout Int,
        read: (Span<UInt8>) throws(HTTPParseError) -> (Head, HTTPBodyFraming?)
    ) throws(HTTPParseError) -> Part<Head>? {
        let start = offset
        do throws(HTTPParseError) {
            let part = try self.part(in: bytes, from: &offset, read)
            self.consumed += offset - start
            return part
        } catch {
            if case .failed = self.state { throw error }
            throw self.fail(error.moved(by: self.consumed - start))
        }
    }

    /// Lowers the body limit for the message whose head just came; the next call refuses what is too large.
    mutating func limitBody(to bytes: Int) {
        guard case .body(var body) = self.state else { return }
        body.limit(to: bytes)
        self.state = .body(body)
    }

    /// Stops after an upgrade: the bytes from the offset on belong to the new protocol.
    mutating func handOver() {
        self.state = .handedOver
    }

    /// The connection was closed by the other side. True when that ends a body, false between messages, an
    /// error in the middle of one.
    mutating func connectionClosed() throws(HTTPParseError) -> Bool {
        switch self.state {
        case .head where self.collector.isIdle, .handedOver:
            return false
        case .body(let body) where body.endsWithConnection:
            self.state = .head
            return true
        case .head, .body:
            throw self.fail(HTTPParseError(.truncatedBody, at: self.consumed))
        case .failed(let error):
            throw error
        }
    }

    private mutating func fail(_ error: HTTPParseError) -> HTTPParseError {
        self.state = .failed(error)
        return error
    }

    private mutating func part<Head>(
        in bytes: Span<UInt8>, from offset: inout Int,
        _ read: (Span<UInt8>) throws(HTTPParseError) -> (Head, HTTPBodyFraming?)
    ) throws(HTTPParseError) -> Part<Head>? {
        switch self.state {
        case .head:
            let head = try self.collector.next(in: bytes, from: &offset, read: read)
            guard let (head, framing) = head else { return nil }
            if let framing { self.state = .body(HTTPBodyReader(framing, limits: self.limits)) }
            return .head(head, framing)
        case .body(let body): return try self.takeBody(body, bytes, from: &offset)
        case .handedOver: return nil
        case .failed(let error): throw error
        }
    }

    private mutating func takeBody<Head>(
        _ body: consuming HTTPBodyReader, _ bytes: Span<UInt8>, from offset: inout Int
    ) throws(HTTPParseError) -> Part<Head>? {
        // Taken out while it works, so that what it holds is not copied.
        self.state = .head
        let step = try body.next(in: bytes, from: &offset)
        if case .end(let trailers) = step { return .end(trailers: trailers) }
        self.state = .body(body)
        guard case .data(let range) = step else { return nil }
        return .body(range)
    }
}
