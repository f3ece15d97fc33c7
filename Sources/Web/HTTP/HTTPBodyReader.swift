/// Takes a body from a connection's bytes where it lies.
///
///     fixed / chunked / untilClose ──▶ complete
struct HTTPBodyReader: Sendable {
    enum Step {
        /// Bytes of the body, in the bytes passed in.
        case data(Range<Int>)
        case end(trailers: HTTPFields?)
    }

    private enum State: Sendable {
        /// So many bytes are missing. Can become: complete.
        case fixed(remaining: Int)
        /// Can become: complete.
        case chunked(HTTPChunkedDecoder)
        /// Everything there is. Stays.
        case untilClose
        /// The last state.
        case complete
    }

    private var state: State
    private var maximumBytes: Int

    init(_ framing: HTTPBodyFraming, limits: HTTPLimits) {
        self.maximumBytes = limits.maximumBodyBytes
        switch framing {
        case .none: self.state = .complete
        case .length(let length): self.state = .fixed(remaining: length)
        case .chunked: self.state = .chunked(HTTPChunkedDecoder(limits: limits))
        case .untilClose: self.state = .untilClose
        }
    }

    /// Whether the body may end with the connection.
    var endsWithConnection: Bool {
        switch self.state {
        case .untilClose, .complete: true
        case .fixed, .chunked: false
        }
    }

    mutating func limit(to bytes: Int) {
        self.maximumBytes = min(self.maximumBytes, max(0, bytes))
        guard case .chunked(var decoder) = self.state else { return }
        decoder.maximumBodyBytes = self.maximumBytes
        self.state = .chunked(decoder)
    }

    /// The next piece, or nil when the bytes are used up.
    mutating func next(in bytes: Span<UInt8>, from offset: inout Int) throws(HTTPParseError) -> Step? {
        switch self.state {
        case .fixed(let remaining):
            // Before anything is read of a body, its whole length is what remains.
            guard remaining <= self.maximumBytes else { throw HTTPParseError(.bodyTooLarge, at: offset) }
            let data = Self.take(remaining, bytes, from: &offset)
            guard let data else { return nil }
            self.state = data.count == remaining ? .complete : .fixed(remaining: remaining - data.count)
            return .data(data)
        case .chunked(var decoder):
            // Taken out while it works, so that what it holds is not copied.
            self.state = .complete
            let step = try decoder.next(in: bytes, from: &offset)
            if case .end = step { return step }
            self.state = .chunked(decoder)
            return step
        case .untilClose:
            guard offset < bytes.count else { return nil }
            guard self.maximumBytes > 0 else { throw HTTPParseError(.bodyTooLarge, at: offset) }
            let data = Self.take(self.maximumBytes, bytes, from: &offset)
            self.maximumBytes -= data?.count ?? 0
            return data.map(Step.data)
        case .complete:
            return .end(trailers: nil)
        }
    }

    private static func take(_ count: Int, _ bytes: Span<UInt8>, from offset: inout Int) -> Range<Int>? {
        guard offset < bytes.count else { return nil }
        let start = offset
        offset += min(count, bytes.count - offset)
        return start..<offset
    }
}
