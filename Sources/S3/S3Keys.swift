/// By which a store knows who asks.
package struct S3Keys: Hashable, Sendable {
    package let id: String
    package let secret: String
    /// Goes with keys that somebody lent for a while.
    package let session: String?

    package enum Trouble: Error, Hashable, Sendable {
        /// One of the two is not there.
        case missing
        /// It would break a line or fit into no header.
        case malformed
    }

    package init(id: String, secret: String, session: String? = nil) throws(Trouble) {
        guard !id.isEmpty, !secret.isEmpty else { throw .missing }
        for text in [id, secret, session ?? ""] {
            guard text.utf8.count <= Self.maximumBytes, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw .malformed
            }
        }
        self.id = id
        self.secret = secret
        self.session = session
    }

    private static let maximumBytes = 4096

    private static let names = ["aws_access_key_id", "aws_secret_access_key", "aws_session_token"]

    /// - Parameter variables: an environment.
    package init(environment variables: [String: String]) throws(Trouble) {
        let values = Self.names.map { variables[$0.uppercased()] }
        try self.init(id: values[0] ?? "", secret: values[1] ?? "", session: values[2])
    }

    /// Reads a file as AWS's own tools have it: `aws_access_key_id = …` and `aws_secret_access_key = …`, in its first section, in any case.
    package init(file text: String) throws(Trouble) {
        var values: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            if line.hasPrefix("["), !values.isEmpty { break }
            guard let equals = line.firstIndex(of: "=") else { continue }
            let name = Self.trimmed(line[..<equals]).lowercased()
            if Self.names.contains(name) { values[name] = Self.trimmed(line[line.index(after: equals)...]) }
        }
        let found = Self.names.map { values[$0] }
        try self.init(id: found[0] ?? "", secret: found[1] ?? "", session: found[2])
    }

    private static func trimmed(_ text: Substring) -> String {
        String(String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()))
    }
}
