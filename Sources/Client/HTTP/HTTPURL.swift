/// The address of something on an HTTP server: `https://example.org/hook?topic=1`.
package struct HTTPURL: Hashable, Sendable, CustomStringConvertible {
    package let server: ServerURL
    /// Path and query, as they stand in the request line.
    package let target: String

    private static let maximumTargetBytes = 2048

    package init(_ server: ServerURL, _ target: String) {
        self.server = server
        self.target = target
    }

    /// `http://` or `https://`, a host, and perhaps a path with a query; neither a user nor a fragment.
    package init?(_ text: String) {
        guard let scheme = text.firstRange(of: "://") else { return nil }
        let start = text[scheme.upperBound...].firstIndex { "/?".contains($0) } ?? text.endIndex
        guard let server = ServerURL(String(text[..<start])) else { return nil }
        let rest = String(text[start...])
        guard rest.utf8.count <= Self.maximumTargetBytes,
            rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
        else { return nil }
        self.server = server
        self.target = rest.hasPrefix("/") ? rest : "/\(rest)"
    }

    /// Where a `Location` field leads from here (RFC 9110 §10.2.2): to a whole URL, or to a path of the same server. Nil for
    /// every other form.
    package func resolving(location: String) -> HTTPURL? {
        let place = String(location.prefix { $0 != "#" })
        if place.hasPrefix("//") { return HTTPURL((self.server.isEncrypted ? "https:" : "http:") + place) }
        guard place.hasPrefix("/") else { return HTTPURL(place) }
        return HTTPURL("\(self.server)\(place)")
    }

    package var description: String { "\(self.server)\(self.target)" }
}
