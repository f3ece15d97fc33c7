internal import Bytes

/// Takes a chunked body apart where it lies (RFC 9112 §7.1).
struct HTTPChunkedDecoder: Sendable {
    private enum State: Sendable {
        /// The digits of a chunk's size, so many of them so far.
        case size(digits: Int)
        /// From the semicolon to the line's end.
        case sizeExtension
        case sizeLineFeed
        case data(remaining: Int)
        case dataCarriageReturn
        case dataLineFeed
        case trailers
    }

    private var state = State.size(digits: 0)
    private var size = 0
    private var received = 0
    private var extensionBytes = 0
    private var trailers: HTTPSectionScanner
    private var held: [UInt8] = []
    private let limits: HTTPLimits
    var maximumBodyBytes: Int

    init(limits: HTTPLimits) {
        self.limits = limits
        self.maximumBodyBytes = limits.maximumBodyBytes
        self.trailers = HTTPSectionScanner(fields: limits.maximumTrailerBytes + 2)
    }

    /// The next piece, or nil when the bytes are used up.
    mutating func next(in bytes: Span<UInt8>, from offset: inout Int) throws(HTTPParseError) -> HTTPBodyReader.Step? {
        while offset < bytes.count {
            switch self.state {
            case .data(let remaining):
                return self.takeData(bytes, remaining, from: &offset)
            case .trailers:
                return try self.takeTrailers(bytes, from: &offset)
            case .size, .sizeExtension, .sizeLineFeed, .dataCarriageReturn, .dataLineFeed:
                try self.take(bytes[offset], at: offset)
                offset += 1
            }
        }
        return nil
    }

    private mutating func takeData(_ bytes: Span<UInt8>, _ remaining: Int, from offset: inout Int)
        -> HTTPBodyReader.Step
    {
        let start = offset
        offset += min(remaining, bytes.count - offset)
        let left = remaining - (offset - start)
        self.state = left == 0 ? .dataCarriageReturn : .data(remaining: left)
        return .data(start..<offset)
    }

    private mutating func take(_ byte: UInt8, at offset: Int) throws(HTTPParseError) {
        switch self.state {
        case .size(let digits):
            try self.takeSize(byte, digits: digits, at: offset)
        case .sizeExtension:
            try self.takeExtension(byte, at: offset)
        case .sizeLineFeed:
            guard byte == ASCII.lineFeed else { throw HTTPParseError(.bareCarriageReturn, at: offset) }
            try self.beginChunk(at: offset)
        case .dataCarriageReturn:
            guard byte == ASCII.carriageReturn else { throw HTTPParseError(.missingChunkEnd, at: offset) }
            self.state = .dataLineFeed
        case .dataLineFeed:
            guard byte == ASCII.lineFeed else { throw HTTPParseError(.missingChunkEnd, at: offset) }
            self.state = .size(digits: 0)
            self.size = 0
        case .data, .trailers:
            break
        }
    }

    private mutating func takeSize(_ byte: UInt8, digits: Int, at offset: Int) throws(HTTPParseError) {
        if let value = Hex.value(of: byte) {
            // Fifteen digits cannot overflow; leading zeros are no reason to read for ever.
            guard digits < 15 else { throw HTTPParseError(.invalidChunkSize, at: offset) }
            self.size = self.size << 4 | Int(value)
            self.state = .size(digits: digits + 1)
            return
        }
        guard digits > 0 else { throw HTTPParseError(.invalidChunkSize, at: offset) }
        switch byte {
        case ASCII.carriageReturn: self.state = .sizeLineFeed
        case ASCII.semicolon: self.state = .sizeExtension
        case ASCII.lineFeed: throw HTTPParseError(.bareLineFeed, at: offset)
        default: throw HTTPParseError(.invalidChunkSize, at: offset)
        }
    }

    /// Extensions mean nothing here, and their bytes are counted over the whole body.
    private mutating func takeExtension(_ byte: UInt8, at offset: Int) throws(HTTPParseError) {
        switch byte {
        case ASCII.carriageReturn:
            self.state = .sizeLineFeed
        case ASCII.lineFeed:
            throw HTTPParseError(.bareLineFeed, at: offset)
        default:
            guard byte == ASCII.tab || !byte.isControl else { throw HTTPParseError(.controlCharacter, at: offset) }
            self.extensionBytes += 1
            guard self.extensionBytes <= self.limits.maximumChunkExtensionBytes else {
                throw HTTPParseError(.chunkExtensionTooLarge, at: offset)
            }
        }
    }

    private mutating func beginChunk(at offset: Int) throws(HTTPParseError) {
        guard self.size <= self.maximumBodyBytes - self.received else {
            throw HTTPParseError(.bodyTooLarge, at: offset)
        }
        self.received += self.size
        self.state = self.size == 0 ? .trailers : .data(remaining: self.size)
    }

    private mutating func takeTrailers(_ bytes: Span<UInt8>, from offset: inout Int) throws(HTTPParseError)
        -> HTTPBodyReader.Step?
    {
        let start = offset
        let isComplete = try self.trailers.scan(bytes, from: &offset)
        self.held.append(copying: bytes.extracting(start..<offset))
        guard isComplete else { return nil }
        guard self.held.count > 2 else { return .end(trailers: nil) }
        do throws(HTTPParseError) {
            let fields = try HTTPFields(parsing: self.held.span, from: 0, limit: self.limits.maximumTrailerCount)
            guard !Self.forbidden.contains(where: fields.contains) else {
                throw HTTPParseError(.forbiddenTrailer, at: 0)
            }
            return .end(trailers: fields)
        } catch {
            throw error.moved(by: offset - self.held.count)
        }
    }

    /// Fields that frame, route, authorise or describe a message must come before it (RFC 9110 §6.5.1).
    private static let forbidden: [HTTPFieldName] = [
        .authorization, .cacheControl, .connection, .contentEncoding, .contentLength, .contentRange, .contentType,
        "Cookie", .expect, .host, .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange, "If-Unmodified-Since",
        "Keep-Alive", "Max-Forwards", "Pragma", "Proxy-Authenticate", "Proxy-Authorization", .range, "Set-Cookie",
        "TE", "Trailer", .transferEncoding, .upgrade, "WWW-Authenticate",
    ]
}
