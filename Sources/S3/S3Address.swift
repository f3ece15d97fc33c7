internal import Web

/// Where a store keeps what is ours: `s3://BUCKET/PREFIX?endpoint=https://s3.example.org&region=eu-1`.
package struct S3Address: Hashable, Sendable, CustomStringConvertible {
    package let bucket: String
    /// What the names of all that is ours begin with; empty, or without a slash at its end.
    package let prefix: String
    package let region: String
    /// `http` or `https`, `://`, a host, and perhaps a port.
    package let endpoint: String
    /// Whether the bucket stands in the path; else it is part of the host's name.
    package let hasBucketInPath: Bool
    /// How long links to what lies there work, in seconds.
    package let linkSeconds: Int

    private static let usualRegion = "us-east-1"
    private static let usualLinkSeconds = 3600
    private static let maximumPrefixBytes = 256

    /// Nil for what has another form.
    package init?(_ text: String) {
        guard text.hasPrefix("s3://") else { return nil }
        let rest = text.dropFirst(5)
        let place = rest.prefix { $0 != "?" }
        guard let query = QueryItems(String(rest.dropFirst(place.count + 1))) else { return nil }
        let known: Set = ["endpoint", "region", "style", "links"]
        guard query.items.allSatisfy({ known.contains($0.name) }) else { return nil }
        let bucket = String(place.prefix { $0 != "/" })
        guard Self.isBucket(bucket), let prefix = Self.prefix(String(place.dropFirst(bucket.count))) else { return nil }
        let region = query["region"] ?? Self.usualRegion
        guard Self.isWord(region), let links = Int(query["links"] ?? "\(Self.usualLinkSeconds)"),
            (1...Self.usualLinkSeconds).contains(links)
        else { return nil }
        let style = query["style"] ?? (query["endpoint"] == nil ? "host" : "path")
        guard ["host", "path"].contains(style),
            let endpoint = Self.endpoint(query["endpoint"] ?? "https://s3.\(region).amazonaws.com")
        else { return nil }
        (self.bucket, self.prefix, self.region, self.endpoint) = (bucket, prefix, region, endpoint)
        (self.hasBucketInPath, self.linkSeconds) = (style == "path", links)
    }

    private static func isBucket(_ text: String) -> Bool {
        (3...63).contains(text.utf8.count)
            && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 46 }
            && !text.hasPrefix(".") && !text.hasPrefix("-") && !text.contains("..")
    }

    private static func isWord(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { Self.isPlain($0) }
    }

    /// Letters, digits, `-`, `.` and `_` mean themselves wherever they stand.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, 45, 46, 95: true
        default: false
        }
    }

    private static func prefix(_ path: String) -> String? {
        let parts = path.split(separator: "/")
        let isGood = parts.allSatisfy { part in part.utf8.allSatisfy(Self.isPlain) && part != "." && part != ".." }
        let prefix = parts.joined(separator: "/")
        return isGood && prefix.utf8.count <= Self.maximumPrefixBytes ? prefix : nil
    }

    private static func endpoint(_ text: String) -> String? {
        guard let scheme = ["http://", "https://"].first(where: { text.hasPrefix($0) }) else { return nil }
        var host = text.dropFirst(scheme.count)
        if host.hasSuffix("/") { host.removeLast() }
        let isGood =
            (1...253).contains(host.utf8.count)
            && host.utf8.allSatisfy { Self.isPlain($0) || $0 == 58 || $0 == 91 || $0 == 93 }
        return isGood ? scheme + host : nil
    }

    /// Where requests go, and what browsers call the origin of what comes from there.
    package var server: String {
        guard !self.hasBucketInPath, let end = self.endpoint.firstRange(of: "://")?.upperBound else {
            return self.endpoint
        }
        return self.endpoint[..<end] + "\(self.bucket)." + self.endpoint[end...]
    }

    /// Of something in the bucket, or of the bucket itself. Every byte of it means itself.
    package func path(of key: String?) -> String {
        let key = key ?? ""
        guard self.hasBucketInPath else { return "/\(key)" }
        return key.isEmpty ? "/\(self.bucket)" : "/\(self.bucket)/\(key)"
    }

    /// Without anything that is secret.
    package var description: String {
        "s3://\(self.bucket)\(self.prefix.isEmpty ? "" : "/\(self.prefix)") at \(self.endpoint)"
    }
}
