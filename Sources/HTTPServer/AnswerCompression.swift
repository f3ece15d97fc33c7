internal import Web

extension HTTPResponse {
    /// The answer as gzip, if the client takes that and it is worth it.
    ///
    /// What is marked `no-store` stays as it is: such answers may hold secrets beside words of a stranger's
    /// choosing, and their compressed length would tell about the secrets (the attack is called BREACH).
    func compressed(for request: HTTPRequestHead) -> HTTPResponse {
        guard case .bytes(let bytes) = self.body, bytes.count >= 1024, self.mayBeCompressed else { return self }
        var response = self
        // Also said of the plain one: a cache on the way must not give either to every client.
        response.head.fields.append(.vary, "Accept-Encoding")
        guard ContentCoding.acceptsGzip(request.fields) else { return response }
        response.body = .bytes(GzipEncoder.compress(bytes))
        response.head.fields.set(.contentEncoding, to: "gzip")
        return response
    }

    private var mayBeCompressed: Bool {
        let fields = self.head.fields
        guard !fields.contains(.contentEncoding), !fields.hasToken("no-store", in: .cacheControl) else { return false }
        guard let type = fields[.contentType] else { return false }
        return type.hasPrefix("text/") || type.hasPrefix("application/json") || type.hasPrefix("application/javascript")
    }
}
