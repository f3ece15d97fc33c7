/// A URL of PostgreSQL behind its scheme, cut at its signs; nothing is decoded yet.
struct PostgresURLParts {
    private(set) var user: Substring?
    private(set) var password: Substring?
    let hosts: Substring
    private(set) var database: Substring?
    private(set) var query: Substring?

    init(_ text: Substring) {
        var rest = text
        if let mark = rest.firstIndex(of: "?") {
            self.query = rest[rest.index(after: mark)...]
            rest = rest[..<mark]
        }
        if let slash = rest.firstIndex(of: "/") {
            self.database = rest[rest.index(after: slash)...]
            rest = rest[..<slash]
        }
        if let at = rest.lastIndex(of: "@") {
            let words = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            self.user = words.first
            self.password = words.count == 2 ? words[1] : nil
            rest = rest[rest.index(after: at)...]
        }
        self.hosts = rest
    }
}

/// `%2F` and the like (RFC 3986 §2.1).
enum PercentDecoding {
    /// Nil where a sign stands without two digits, where the bytes are no UTF-8, and where one of them is zero.
    static func decode(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(self.digit), let low = rest.popFirst().flatMap(self.digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        guard !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.flatMap { byte < 128 ? UInt8($0) : nil }
    }
}
