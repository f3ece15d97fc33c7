/// The name of a header field: a token, compared without regard to case (RFC 9110 §5.1).
package struct HTTPFieldName: Sendable, CustomStringConvertible {
    /// As it was spelled; this is also how it is written.
    package let text: String

    /// Nil when the text is no token.
    package init?(_ text: String) {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isToken) else { return nil }
        self.text = text
    }

    package var description: String { self.text }
}

extension HTTPFieldName: ExpressibleByStringLiteral {
    /// A literal stands in our own source, so a malformed one is our own mistake.
    package init(stringLiteral text: StaticString) {
        guard let name = HTTPFieldName(text.description) else {
            preconditionFailure("\"\(text)\" is no name for a header field")
        }
        self = name
    }
}

extension HTTPFieldName: Hashable {
    package static func == (one: HTTPFieldName, other: HTTPFieldName) -> Bool {
        let bytes = one.text.utf8.span
        return bytes.matchesIgnoringCase(other.text.utf8.span, in: 0..<bytes.count)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in self.text.utf8 { hasher.combine(byte.lowercased) }
    }
}

extension HTTPFieldName {
    package static let acceptEncoding: HTTPFieldName = "Accept-Encoding"
    package static let acceptRanges: HTTPFieldName = "Accept-Ranges"
    package static let allow: HTTPFieldName = "Allow"
    package static let authorization: HTTPFieldName = "Authorization"
    package static let cacheControl: HTTPFieldName = "Cache-Control"
    package static let connection: HTTPFieldName = "Connection"
    package static let contentEncoding: HTTPFieldName = "Content-Encoding"
    package static let contentLength: HTTPFieldName = "Content-Length"
    package static let contentRange: HTTPFieldName = "Content-Range"
    package static let contentType: HTTPFieldName = "Content-Type"
    package static let date: HTTPFieldName = "Date"
    package static let eTag: HTTPFieldName = "ETag"
    package static let expect: HTTPFieldName = "Expect"
    package static let host: HTTPFieldName = "Host"
    package static let ifMatch: HTTPFieldName = "If-Match"
    package static let ifModifiedSince: HTTPFieldName = "If-Modified-Since"
    package static let ifNoneMatch: HTTPFieldName = "If-None-Match"
    package static let ifRange: HTTPFieldName = "If-Range"
    package static let lastModified: HTTPFieldName = "Last-Modified"
    package static let location: HTTPFieldName = "Location"
    package static let origin: HTTPFieldName = "Origin"
    package static let range: HTTPFieldName = "Range"
    package static let retryAfter: HTTPFieldName = "Retry-After"
    /// W3C Trace Context.
    package static let traceParent: HTTPFieldName = "traceparent"
    package static let server: HTTPFieldName = "Server"
    package static let transferEncoding: HTTPFieldName = "Transfer-Encoding"
    package static let upgrade: HTTPFieldName = "Upgrade"
    package static let vary: HTTPFieldName = "Vary"
    package static let webSocketAccept: HTTPFieldName = "Sec-WebSocket-Accept"
    package static let webSocketExtensions: HTTPFieldName = "Sec-WebSocket-Extensions"
    package static let webSocketKey: HTTPFieldName = "Sec-WebSocket-Key"
    package static let webSocketProtocol: HTTPFieldName = "Sec-WebSocket-Protocol"
    package static let webSocketVersion: HTTPFieldName = "Sec-WebSocket-Version"
}
