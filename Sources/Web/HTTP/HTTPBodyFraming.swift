/// How a message says where its body ends (RFC 9112 §6).
package enum HTTPBodyFraming: Hashable, Sendable {
    case none
    /// Exactly so many bytes, at least one.
    case length(Int)
    case chunked
    /// Everything up to the end of the connection; only answers can have this.
    case untilClose

    /// What a request's fields say. Whatever two programs could read differently is refused.
    static func ofRequest(_ fields: HTTPFields, version: HTTPVersion) throws(HTTPParseError) -> HTTPBodyFraming {
        let length = try self.contentLength(fields)
        guard try self.isChunked(fields, version: version) else { return length.map(self.fixed) ?? .none }
        guard length == nil else { throw HTTPParseError(.contentLengthWithTransferEncoding, at: 0) }
        return .chunked
    }

    /// What an answer's fields say, once its status allows a body.
    static func ofResponse(_ fields: HTTPFields, version: HTTPVersion) throws(HTTPParseError) -> HTTPBodyFraming {
        let length = try self.contentLength(fields)
        guard try self.isChunked(fields, version: version) else { return length.map(self.fixed) ?? .untilClose }
        guard length == nil else { throw HTTPParseError(.contentLengthWithTransferEncoding, at: 0) }
        return .chunked
    }

    private static func fixed(_ length: Int) -> HTTPBodyFraming { length == 0 ? .none : .length(length) }

    /// One field, digits only. RFC 9110 §8.6 lets equal repetitions pass; no honest client sends them.
    private static func contentLength(_ fields: HTTPFields) throws(HTTPParseError) -> Int? {
        let values = fields.values(of: .contentLength)
        guard let value = values.first else { return nil }
        guard values.count == 1 else { throw HTTPParseError(.repeatedContentLength, at: 0) }
        guard !value.isEmpty, value.utf8.count <= 19, value.utf8.allSatisfy(\.isDigit), let length = Int(value) else {
            throw HTTPParseError(.invalidContentLength, at: 0)
        }
        return length
    }

    private static func isChunked(_ fields: HTTPFields, version: HTTPVersion) throws(HTTPParseError) -> Bool {
        let values = fields.values(of: .transferEncoding)
        guard let value = values.first else { return false }
        guard version == .http11 else { throw HTTPParseError(.transferEncodingInHTTP10, at: 0) }
        guard values.count == 1 else { throw HTTPParseError(.repeatedTransferEncoding, at: 0) }
        guard value.lowercased() == "chunked" else { throw HTTPParseError(.unsupportedTransferEncoding, at: 0) }
        return true
    }
}
