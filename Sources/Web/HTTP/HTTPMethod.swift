/// What a request asks for: any token, most often one of these.
package struct HTTPMethod: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// Nil when the text is no token (RFC 9110 §9.1).
    package init?(_ text: String) {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isToken) else { return nil }
        self.text = text
    }

    private init(known text: String) {
        self.text = text
    }

    package static let get = HTTPMethod(known: "GET")
    package static let head = HTTPMethod(known: "HEAD")
    package static let post = HTTPMethod(known: "POST")
    package static let put = HTTPMethod(known: "PUT")
    package static let delete = HTTPMethod(known: "DELETE")
    package static let options = HTTPMethod(known: "OPTIONS")
    package static let patch = HTTPMethod(known: "PATCH")
    package static let connect = HTTPMethod(known: "CONNECT")
    package static let trace = HTTPMethod(known: "TRACE")

    package var description: String { self.text }
}

extension HTTPMethod {
    /// The longest method anybody registered has seventeen letters.
    static let maximumBytes = 32

    /// Nil when a byte of the range belongs in no token.
    init?(_ bytes: Span<UInt8>, in range: Range<Int>) {
        guard !range.isEmpty, bytes.allSatisfy(in: range, \.isToken) else { return nil }
        self.text = bytes.text(in: range)
    }
}
