/// Everything of a request but its body. An object, for it is handed on many times and never changed.
package final class HTTPRequestHead: Sendable {
    package let method: HTTPMethod
    /// As it came.
    package let target: String
    /// Decoded once, resolved, valid UTF-8 without control characters; begins with a slash and never leads above it.
    /// `*` for `OPTIONS *`.
    package let path: String
    /// As it came, without the question mark; `QueryItems` takes it apart.
    package let query: String?
    package let version: HTTPVersion
    /// Host and port: of the target when that is a whole URI (RFC 9112 §3.2.2), else of `Host`. Nil only in HTTP/1.0.
    package let authority: String?
    package let fields: HTTPFields
    package let framing: HTTPBodyFraming

    /// Reads a head that `HTTPSectionScanner` found complete.
    init(parsing head: Span<UInt8>, limits: HTTPLimits) throws(HTTPParseError) {
        let line = 0..<(head.firstIndex(of: ASCII.carriageReturn, in: 0..<head.count) ?? head.count)
        let (method, target, version) = try Self.parts(of: head, line: line, limits: limits)
        self.method = method
        self.version = try HTTPVersion(head, in: version)
        self.target = head.text(in: target)
        let parsed = try RequestTarget(head, in: target, method: method)
        self.path = parsed.path
        self.query = parsed.query
        self.fields = try HTTPFields(parsing: head, from: line.upperBound + 2, limit: limits.maximumHeaderCount)
        let host = try Self.host(in: self.fields, version: self.version)
        self.authority = parsed.authority ?? host
        self.framing = try HTTPBodyFraming.ofRequest(self.fields, version: self.version)
        if let expectation = self.fields[.expect], expectation.lowercased() != "100-continue" {
            throw HTTPParseError(.unsupportedExpectation, at: 0)
        }
        if case .length(let length) = self.framing, length > limits.maximumBodyBytes {
            throw HTTPParseError(.bodyTooLarge, at: 0)
        }
    }

    /// Whether the client wants to go on using the connection (RFC 9112 §9.3).
    package var keepAlive: Bool {
        switch self.version {
        case .http11: !self.fields.hasToken("close", in: .connection)
        case .http10:
            self.fields.hasToken("keep-alive", in: .connection) && !self.fields.hasToken("close", in: .connection)
        }
    }

    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
    package var expectsContinue: Bool {
        self.version == .http11 && self.framing != .none && self.fields.hasToken("100-continue", in: .expect)
    }

    /// Whether the client asks to go on in another protocol (RFC 9110 §7.8).
    package func isUpgrade(to name: String) -> Bool {
        self.version == .http11 && self.fields.hasToken("upgrade", in: .connection)
            && self.fields.hasToken(name, in: .upgrade)
    }
}

extension HTTPRequestHead {
    /// A method, one space, a target, one space, a version, and nothing else (RFC 9112 §3).
    private static func parts(
        of head: Span<UInt8>, line: Range<Int>, limits: HTTPLimits
    ) throws(HTTPParseError) -> (method: HTTPMethod, target: Range<Int>, version: Range<Int>) {
        guard let first = head.firstIndex(of: ASCII.space, in: line),
            let second = head.firstIndex(of: ASCII.space, in: (first + 1)..<line.upperBound)
        else { throw HTTPParseError(.malformedStartLine, at: 0) }
        guard let method = HTTPMethod(head, in: 0..<first) else { throw HTTPParseError(.malformedStartLine, at: 0) }
        // A tunnel would turn everything after this head into bytes of another protocol.
        guard method != .connect, first <= HTTPMethod.maximumBytes else {
            throw HTTPParseError(.unsupportedMethod, at: 0)
        }
        guard second - first - 1 <= limits.maximumURIBytes else { throw HTTPParseError(.uriTooLong, at: first + 1) }
        return (method, (first + 1)..<second, (second + 1)..<line.upperBound)
    }

    private static func host(in fields: HTTPFields, version: HTTPVersion) throws(HTTPParseError) -> String? {
        guard !fields.isRepeated(.host) else { throw HTTPParseError(.repeatedHost, at: 0) }
        guard let host = fields[.host] else {
            guard version == .http10 else { throw HTTPParseError(.missingHost, at: 0) }
            return nil
        }
        guard HTTPHost.isValid(host) else { throw HTTPParseError(.invalidHost, at: 0) }
        return host
    }
}
