/// Writes the requests of our own client.
package enum HTTPRequestEncoder {
    /// Appends a request line and fields; `Host` first, as RFC 9110 §7.2 likes it.
    ///
    /// `bodyLength` is nil when it is not known yet: the body then goes out in chunks. Returns how it goes out.
    @discardableResult
    package static func write(
        _ method: HTTPMethod, target: String, host: String, fields: HTTPFields = HTTPFields(), bodyLength: Int? = 0,
        into out: inout [UInt8]
    ) -> HTTPBodyFraming {
        precondition(self.isTarget(target) && HTTPHost.isValid(host), "a target or host that fits into no request")
        out.append(contentsOf: method.text.utf8)
        out.append(ASCII.space)
        out.append(contentsOf: target.utf8)
        out.append(line: " HTTP/1.1")
        out.append(.host, host)
        fields.write(into: &out)
        let framing = self.writeFraming(method, bodyLength, into: &out)
        out.appendLineEnd()
        return framing
    }

    private static func isTarget(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > ASCII.space && $0 < ASCII.delete }
    }

    private static func writeFraming(
        _ method: HTTPMethod, _ bodyLength: Int?, into out: inout [UInt8]
    ) -> HTTPBodyFraming {
        guard let bodyLength else {
            out.append(.transferEncoding, "chunked")
            return .chunked
        }
        let usuallyHasBody = method == .post || method == .put || method == .patch
        if bodyLength > 0 || usuallyHasBody { out.append(.contentLength, String(bodyLength)) }
        return bodyLength == 0 ? .none : .length(bodyLength)
    }
}
