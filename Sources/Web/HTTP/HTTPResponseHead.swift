/// Everything of an answer but its body.
package struct HTTPResponseHead: Equatable, Sendable {
    package var status: HTTPStatus
    package var fields: HTTPFields
    /// What the other side speaks; our own answers are always HTTP/1.1 (RFC 9110 §6.2).
    package var version: HTTPVersion

    package init(_ status: HTTPStatus, fields: HTTPFields = HTTPFields(), version: HTTPVersion = .http11) {
        self.status = status
        self.fields = fields
        self.version = version
    }

    /// Whether the connection can be used again after this answer (RFC 9112 §9.3).
    package var keepAlive: Bool {
        switch self.version {
        case .http11: !self.fields.hasToken("close", in: .connection)
        case .http10: self.fields.hasToken("keep-alive", in: .connection)
        }
    }
}

extension HTTPResponseHead {
    /// Reads a head that `HTTPSectionScanner` found complete.
    init(parsing head: Span<UInt8>, limits: HTTPLimits) throws(HTTPParseError) {
        let line = 0..<(head.firstIndex(of: ASCII.carriageReturn, in: 0..<head.count) ?? head.count)
        // A version of eight bytes, a space, three digits, a space, and a phrase that may be empty or missing.
        guard line.count >= 12, head[8] == ASCII.space, line.count == 12 || head[12] == ASCII.space else {
            throw HTTPParseError(.malformedStartLine, at: 0)
        }
        self.version = try HTTPVersion(head, in: 0..<8)
        guard head.allSatisfy(in: 9..<12, \.isDigit) else { throw HTTPParseError(.malformedStartLine, at: 9) }
        let code = (9..<12).reduce(0) { $0 * 10 + Int(head[$1] - UInt8(ascii: "0")) }
        let phrase = line.count > 13 ? head.text(in: 13..<line.upperBound) : ""
        guard let status = HTTPStatus(code: code, reason: phrase) else {
            throw HTTPParseError(.malformedStartLine, at: 9)
        }
        self.status = status
        self.fields = try HTTPFields(parsing: head, from: line.upperBound + 2, limit: limits.maximumHeaderCount)
    }

    /// How the body ends, which also depends on what was asked (RFC 9112 §6.3).
    func framing(answering method: HTTPMethod, limits: HTTPLimits) throws(HTTPParseError) -> HTTPBodyFraming {
        let framing = try HTTPBodyFraming.ofResponse(self.fields, version: self.version)
        guard self.status.mayHaveBody, method != .head else { return .none }
        if case .length(let length) = framing, length > limits.maximumBodyBytes {
            throw HTTPParseError(.bodyTooLarge, at: 0)
        }
        return framing
    }
}
