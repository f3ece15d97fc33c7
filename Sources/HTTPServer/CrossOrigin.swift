package import Web

/// Which web pages may talk to the server: those it serves itself, and those on a list (Fetch §3.2).
///
/// Something that is no browser sends no `Origin` and is not asked for one.
package struct CrossOrigin: Hashable, Sendable {
    /// As a browser writes them: `https://example.org`, with a port if it is unusual. `*` for all, who then may
    /// not send what the browser keeps for us, such as cookies (Fetch §3.2.5).
    package var allowed: Set<String>

    package init(allowed: Set<String> = []) {
        self.allowed = allowed
    }

    package func allows(_ request: HTTPRequestHead, isEncrypted: Bool) -> Bool {
        guard let origin = request.fields[.origin] else { return true }
        if self.allowed.contains(origin) || self.allowed.contains("*") { return true }
        return self.isSame(origin, as: request, isEncrypted: isEncrypted)
    }

    /// Some clients write `ws` where a browser writes `http`. A proxy in front may have taken the TLS off, so
    /// only an unencrypted page on an encrypted server is strange.
    private func isSame(_ origin: String, as request: HTTPRequestHead, isEncrypted: Bool) -> Bool {
        guard let authority = request.authority, let split = origin.firstRange(of: "://") else { return false }
        let scheme = origin[..<split.lowerBound]
        let isSecure = scheme == "https" || scheme == "wss"
        guard isSecure || (!isEncrypted && (scheme == "http" || scheme == "ws")) else { return false }
        let port = isSecure ? ":443" : ":80"
        return Self.without(port, origin[split.upperBound...]) == Self.without(port, authority[...])
    }

    private static func without(_ port: String, _ authority: Substring) -> String {
        (authority.hasSuffix(port) ? authority.dropLast(port.count) : authority).lowercased()
    }

    /// The fields that let the page read the answer; none for a page that may not.
    package func fields(for request: HTTPRequestHead, isEncrypted: Bool) -> [(HTTPFieldName, String)] {
        guard let origin = request.fields[.origin] else { return [] }
        guard self.allows(request, isEncrypted: isEncrypted) else { return [(.vary, "Origin")] }
        var fields = [(HTTPFieldName.accessControlAllowOrigin, origin), (.vary, "Origin")]
        if self.allowed.contains(origin) || self.isSame(origin, as: request, isEncrypted: isEncrypted) {
            fields.append((.accessControlAllowCredentials, "true"))
        }
        return fields
    }

    static var refusal: HTTPResponse { .error(.forbidden, "this origin is not on the list (--allow-origin)") }

    /// The answer to a browser that asks before it sends something unusual; nil when it does not ask.
    package func preflight(_ request: HTTPRequestHead, isEncrypted: Bool) -> HTTPResponse? {
        guard request.method == .options, request.fields.contains(.origin),
            let method = request.fields[.accessControlRequestMethod]
        else { return nil }
        guard self.allows(request, isEncrypted: isEncrypted) else {
            return Self.refusal
        }
        var response = HTTPResponse(.noContent)
        for (name, value) in self.fields(for: request, isEncrypted: isEncrypted) {
            response.head.fields.set(name, to: value)
        }
        response.head.fields.set(.accessControlAllowMethods, to: method)
        response.head.fields.set(.accessControlMaxAge, to: "600")
        if let headers = request.fields[.accessControlRequestHeaders] {
            response.head.fields.set(.accessControlAllowHeaders, to: headers)
        }
        return response
    }
}

extension HTTPFieldName {
    package static let accessControlAllowCredentials: HTTPFieldName = "Access-Control-Allow-Credentials"
    package static let accessControlAllowHeaders: HTTPFieldName = "Access-Control-Allow-Headers"
    package static let accessControlAllowMethods: HTTPFieldName = "Access-Control-Allow-Methods"
    package static let accessControlAllowOrigin: HTTPFieldName = "Access-Control-Allow-Origin"
    package static let accessControlMaxAge: HTTPFieldName = "Access-Control-Max-Age"
    package static let accessControlRequestHeaders: HTTPFieldName = "Access-Control-Request-Headers"
    package static let accessControlRequestMethod: HTTPFieldName = "Access-Control-Request-Method"
    package static let contentTypeOptions: HTTPFieldName = "X-Content-Type-Options"
    static let strictTransportSecurity: HTTPFieldName = "Strict-Transport-Security"
}
