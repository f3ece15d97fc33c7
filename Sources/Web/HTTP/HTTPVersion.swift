/// The two versions of HTTP that are spoken here as text.
package enum HTTPVersion: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case http10
    case http11

    package var description: String {
        switch self {
        case .http10: "HTTP/1.0"
        case .http11: "HTTP/1.1"
        }
    }

    /// Version names are case-sensitive and exactly eight bytes (RFC 9112 §2.3).
    init(_ bytes: Span<UInt8>, in range: Range<Int>) throws(HTTPParseError) {
        if bytes.matches("HTTP/1.1", in: range) {
            self = .http11
        } else if bytes.matches("HTTP/1.0", in: range) {
            self = .http10
        } else {
            throw HTTPParseError(Self.fault(in: bytes, range), at: range.lowerBound)
        }
    }

    /// A well-formed version that is not ours deserves another answer than noise.
    private static func fault(in bytes: Span<UInt8>, _ range: Range<Int>) -> HTTPFault {
        let lower = range.lowerBound
        guard range.count == 8, bytes.matches("HTTP/", in: lower..<(lower + 5)) else { return .malformedStartLine }
        let isVersion = bytes[lower + 5].isDigit && bytes[lower + 6] == UInt8(ascii: ".") && bytes[lower + 7].isDigit
        return isVersion ? .unsupportedVersion : .malformedStartLine
    }
}
