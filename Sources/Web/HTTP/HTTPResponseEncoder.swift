/// Writes answers, and decides how the receiver finds the end of their bodies.
package struct HTTPResponseEncoder: Sendable {
    private let method: HTTPMethod
    private let version: HTTPVersion
    private let keepAlive: Bool

    /// What follows from an answer's head.
    package struct Plan: Hashable, Sendable {
        /// `.none`: write no body, whatever there is. `.untilClose`: write it, then close.
        package let framing: HTTPBodyFraming
        package let keepAlive: Bool
    }

    /// `keepAlive: false` closes the connection after the answer, even if the client would go on.
    package init(answering request: HTTPRequestHead, keepAlive: Bool = true) {
        self.method = request.method
        self.version = request.version
        self.keepAlive = keepAlive && request.keepAlive
    }

    /// For a request that could not be read: the answer is the connection's last.
    package static let afterError = HTTPResponseEncoder(method: .get, version: .http11, keepAlive: false)

    private init(method: HTTPMethod, version: HTTPVersion, keepAlive: Bool) {
        self.method = method
        self.version = version
        self.keepAlive = keepAlive
    }

    /// Appends a status line and fields. `bodyLength` is nil when it is not known yet.
    ///
    /// Framing is decided here alone: a `Content-Length` or `Transfer-Encoding` among the fields is left out.
    ///
    /// - Parameter common: fields that every answer has; what the head says of them is left out.
    package func write(
        _ head: HTTPResponseHead, and common: HTTPFields = HTTPFields(), bodyLength: Int?, into out: inout [UInt8]
    ) -> Plan {
        let framing = self.framing(of: head, bodyLength: bodyLength)
        let plan = self.plan(head, framing)
        out.append(contentsOf: "HTTP/1.1 ".utf8)
        out.append(number: Int(head.status.code))
        out.append(ASCII.space)
        out.append(line: head.status.reason)
        Self.withoutFraming(head.fields).without(common).write(into: &out)
        common.write(into: &out)
        self.writeFraming(head, framing, bodyLength, into: &out)
        self.writeConnection(head, plan, into: &out)
        out.appendLineEnd()
        return plan
    }

    /// Says `100 Continue`.
    package static func writeContinue(into out: inout [UInt8]) {
        out.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
    }

    private func framing(of head: HTTPResponseHead, bodyLength: Int?) -> HTTPBodyFraming {
        guard head.status.mayHaveBody else { return .none }
        guard let bodyLength else { return self.version == .http11 ? .chunked : .untilClose }
        return bodyLength == 0 ? .none : .length(bodyLength)
    }

    private func plan(_ head: HTTPResponseHead, _ framing: HTTPBodyFraming) -> Plan {
        // An answer to HEAD has the fields of a body and none of its bytes.
        let sent = self.method == .head ? .none : framing
        let isClosing = sent == .untilClose || head.fields.hasToken("close", in: .connection)
        return Plan(framing: sent, keepAlive: self.keepAlive && !isClosing)
    }

    private func writeFraming(
        _ head: HTTPResponseHead, _ framing: HTTPBodyFraming, _ bodyLength: Int?, into out: inout [UInt8]
    ) {
        guard head.status.mayHaveBody else { return }
        if let bodyLength {
            out.append(.contentLength, String(bodyLength))
        } else if framing == .chunked {
            out.append(.transferEncoding, "chunked")
        }
    }

    private func writeConnection(_ head: HTTPResponseHead, _ plan: Plan, into out: inout [UInt8]) {
        guard !head.status.isInformational, !head.fields.contains(.connection) else { return }
        if !plan.keepAlive {
            out.append(.connection, "close")
        } else if self.version == .http10 {
            out.append(.connection, "keep-alive")
        }
    }

    private static func withoutFraming(_ fields: HTTPFields) -> HTTPFields {
        guard fields.contains(.contentLength) || fields.contains(.transferEncoding) else { return fields }
        var rest = fields
        rest.remove(.contentLength)
        rest.remove(.transferEncoding)
        return rest
    }
}
