/// Why there is no answer over HTTP/2.
package enum HTTP2Error: Error, Hashable, Sendable {
    /// The connection cannot go on: what came breaks the rules, or is more than anybody needs.
    case broken(String)
    /// The server has not looked at the request, so it may be sent again (RFC 9113 §8.7).
    case unprocessed
    /// The server gave the request up, with this code (RFC 9113 §7).
    case reset(UInt32)
    /// More fields, or a longer body, than we take.
    case answerTooLarge
    /// The server chose another protocol.
    case notSpoken
}

extension HTTP2Error: CustomStringConvertible {
    package var description: String {
        switch self {
        case .broken(let reason): "the server broke the rules of HTTP/2: \(reason)"
        case .unprocessed: "the server did not look at the request"
        case .reset(let code): "the server gave the request up with code \(code)"
        case .answerTooLarge: "the server's answer is too long"
        case .notSpoken: "the server speaks no HTTP/2"
        }
    }
}
