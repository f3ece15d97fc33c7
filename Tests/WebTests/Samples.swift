import Testing
import Web

/// Requests that are fine, and requests that are not.
enum Samples {
    struct Refused: CustomTestStringConvertible, Sendable {
        let name: String
        let fault: HTTPFault
        let status: UInt16
        let text: String

        init(_ name: String, _ fault: HTTPFault, _ status: UInt16, _ text: String) {
            self.name = name
            self.fault = fault
            self.status = status
            self.text = text
        }

        var testDescription: String { self.name }
    }

    struct NoHead: Error {}

    static func head(_ text: String) throws -> HTTPRequestHead {
        var parser = HTTPRequestParser()
        var offset = 0
        let bytes = Array(text.utf8)
        guard case .head(let head) = try parser.next(in: bytes.span, from: &offset) else { throw NoHead() }
        return head
    }

    static let good: [String] = [
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "\r\n\r\nGET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
        "HEAD http://u/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nabcdGET /2 HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1;x=y\r\nd\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\nC: d\r\n\r\n",
        "M-SEARCH /%C3%A9 HTTP/1.1\r\nHost: x\r\nX-Bytes: \u{E9}\r\n\r\n",
    ]

    private static func request(_ fields: String, version: String = "HTTP/1.1", body: String = "") -> String {
        "POST / \(version)\r\nHost: x\r\n\(fields)\r\n\r\n\(body)"
    }

    private static func chunks(_ body: String) -> String { request("Transfer-Encoding: chunked", body: body) }

    static let refused: [Refused] = startLines + fields + hosts + framings + chunkings

    private static let startLines: [Refused] = [
        Refused("a greeting of TLS", .controlCharacter, 400, "\u{16}\u{3}\u{1}\u{2}\r\n\r\n"),
        Refused("HTTP/0.9", .malformedStartLine, 400, "GET /\r\n\r\n"),
        Refused("HTTP/2", .unsupportedVersion, 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".replacingStar),
        Refused("HTTP/1.2", .unsupportedVersion, 505, "GET / HTTP/1.2\r\nHost: x\r\n\r\n"),
        Refused("a version in lower case", .malformedStartLine, 400, "GET / http/1.1\r\nHost: x\r\n\r\n"),
        Refused("a version with more digits", .malformedStartLine, 400, "GET / HTTP/1.11\r\nHost: x\r\n\r\n"),
        Refused("two spaces after the method", .malformedStartLine, 400, "GET  / HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("a space in the target", .malformedStartLine, 400, "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("a space after the version", .malformedStartLine, 400, "GET / HTTP/1.1 \r\nHost: x\r\n\r\n"),
        Refused("a space before the method", .malformedStartLine, 400, " GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("a tab instead of a space", .malformedStartLine, 400, "GET\t/\tHTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("a method that is no token", .malformedStartLine, 400, "G(T / HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("a tunnel", .unsupportedMethod, 501, "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused(
            "a method longer than any", .unsupportedMethod, 501,
            "\(String(repeating: "A", count: 33)) / HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("three empty lines first", .tooManyEmptyLines, 400, "\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("a star with another method", .invalidTarget, 400, "GET * HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("a target without its slash", .invalidTarget, 400, "GET a HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("an authority alone", .invalidTarget, 400, "GET x:80 HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("another scheme", .invalidTarget, 400, "GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("a user in the target", .invalidHost, 400, "GET http://a@b/ HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("a whole URI without a host", .invalidHost, 400, "GET http:/// HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("a fragment", .invalidTarget, 400, "GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("a target beyond ASCII", .invalidTarget, 400, "GET /\u{E9} HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("an escape cut short", .invalidTarget, 400, "GET /%4 HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("an escape that is none", .invalidTarget, 400, "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("an escaped NUL", .invalidTarget, 400, "GET /a%00b HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("an escaped line break", .invalidTarget, 400, "GET /a%0d%0ab HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("an escaped path that is no UTF-8", .invalidTarget, 400, "GET /%ff HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("an overlong dot", .invalidTarget, 400, "GET /%c0%ae%c0%ae/ HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("a path above the root", .escapingPath, 400, "GET /../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("a path above the root later on", .escapingPath, 400, "GET /a/../../b HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused("escaped dots above the root", .escapingPath, 400, "GET /%2e%2E/a HTTP/1.1\r\nHost: x\r\n\r\n"),
        Refused(
            "an escaped slash above the root", .escapingPath, 400, "GET /a%2f..%2f../b HTTP/1.1\r\nHost: x\r\n\r\n"),
    ]

    private static let fields: [Refused] = [
        Refused("a line feed alone after the request line", .bareLineFeed, 400, "GET / HTTP/1.1\nHost: x\r\n\r\n"),
        Refused("a line feed alone after a field", .bareLineFeed, 400, request("A: b\nC: d")),
        Refused("a line feed alone at the end", .bareLineFeed, 400, "GET / HTTP/1.1\r\nHost: x\r\n\n"),
        Refused("a carriage return in a value", .bareCarriageReturn, 400, request("A: b\rC: d")),
        Refused("a carriage return twice", .bareCarriageReturn, 400, request("A: b\r")),
        Refused("a NUL in a value", .controlCharacter, 400, request("A: b\0c")),
        Refused("a NUL in a name", .controlCharacter, 400, request("A\0: b")),
        Refused("a DEL in a value", .controlCharacter, 400, request("A: b\u{7F}")),
        Refused("a folded line", .foldedLine, 400, request("A: b\r\n c")),
        Refused("a line folded with a tab", .foldedLine, 400, request("A: b\r\n\tc")),
        Refused("a folded first line", .foldedLine, 400, "GET / HTTP/1.1\r\n Host: x\r\n\r\n"),
        Refused("a space before the colon", .blankBeforeColon, 400, request("A : b")),
        Refused("a tab before the colon", .blankBeforeColon, 400, request("Content-Length\t: 3")),
        Refused("a line without a colon", .invalidFieldName, 400, request("A")),
        Refused("an empty name", .invalidFieldName, 400, request(": b")),
        Refused("a name with a slash", .invalidFieldName, 400, request("A/B: c")),
        Refused("a name beyond ASCII", .invalidFieldName, 400, request("\u{E9}: c")),
        Refused("an expectation nobody knows", .unsupportedExpectation, 417, request("Expect: coffee")),
    ]

    private static let hosts: [Refused] =
        [
            Refused("a missing host", .missingHost, 400, "GET / HTTP/1.1\r\n\r\n"),
            Refused("two hosts", .repeatedHost, 400, "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n"),
            Refused("two hosts in HTTP/1.0", .repeatedHost, 400, "GET / HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n"),
        ]
        + ["", "a b", "a/b", "a@b", "a:b", "a:123456", "a:65536", "[::1", "[]", "[x]", "a,b", "%41", "a:80:80"].map {
            Refused("the host \"\($0)\"", .invalidHost, 400, "GET / HTTP/1.1\r\nHost: \($0)\r\n\r\n")
        }

    private static let framings: [Refused] =
        [
            Refused(
                "two content lengths that differ", .repeatedContentLength, 400,
                request("Content-Length: 3\r\nContent-Length: 4")),
            Refused(
                "two content lengths that agree", .repeatedContentLength, 400,
                request("Content-Length: 3\r\ncontent-length: 3")),
            Refused(
                "a content length beside a transfer encoding", .contentLengthWithTransferEncoding, 400,
                request("Content-Length: 3\r\nTransfer-Encoding: chunked")),
            Refused(
                "a transfer encoding beside a content length", .contentLengthWithTransferEncoding, 400,
                request("Transfer-Encoding: chunked\r\nContent-Length: 3")),
            Refused(
                "two transfer encodings", .repeatedTransferEncoding, 400,
                request("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity")),
            Refused(
                "a transfer encoding in HTTP/1.0", .transferEncodingInHTTP10, 400,
                request("Transfer-Encoding: chunked", version: "HTTP/1.0")),
            Refused("a body beyond the limit", .bodyTooLarge, 413, request("Content-Length: 16777217")),
        ]
        + ["3, 3", "+5", "-5", "0x5", "5 5", "5;", "", "99999999999999999999", "9223372036854775808", "٣", "5.0"].map {
            Refused("the content length \"\($0)\"", .invalidContentLength, 400, request("Content-Length: \($0)"))
        }
        + ["gzip", "gzip, chunked", "chunked, chunked", "chunked;a=b", "identity", "xchunked", "\"chunked\"", ""].map {
            Refused(
                "the transfer encoding \"\($0)\"", .unsupportedTransferEncoding, 501,
                request("Transfer-Encoding: \($0)"))
        }

    private static let chunkings: [Refused] =
        [
            Refused("a chunk size that overflows", .invalidChunkSize, 400, chunks("FFFFFFFFFFFFFFFFF\r\n")),
            Refused("a chunk size padded with zeros", .invalidChunkSize, 400, chunks("0000000000000003\r\nabc\r\n")),
            Refused("a chunk beyond the limit", .bodyTooLarge, 413, chunks("FFFFFFFFFFFFFFF\r\n")),
            Refused("a chunk size with a prefix", .invalidChunkSize, 400, chunks("0x3\r\nabc\r\n")),
            Refused("a chunk size with a sign", .invalidChunkSize, 400, chunks("+3\r\nabc\r\n")),
            Refused("a chunk size with a minus", .invalidChunkSize, 400, chunks("-3\r\nabc\r\n")),
            Refused("a space after the chunk size", .invalidChunkSize, 400, chunks("3 \r\nabc\r\n")),
            Refused("a space before the chunk size", .invalidChunkSize, 400, chunks(" 3\r\nabc\r\n")),
            Refused("an empty chunk size", .invalidChunkSize, 400, chunks("\r\nabc\r\n")),
            Refused("a chunk size with a line feed alone", .bareLineFeed, 400, chunks("3\nabc\r\n")),
            Refused("a chunk extension with a line feed alone", .bareLineFeed, 400, chunks("3;a\nabc\r\n")),
            Refused("a chunk size with a carriage return alone", .bareCarriageReturn, 400, chunks("3\rabc\r\n")),
            Refused("a NUL in a chunk extension", .controlCharacter, 400, chunks("3;\0\r\nabc\r\n")),
            Refused("a chunk longer than it said", .missingChunkEnd, 400, chunks("3\r\nabcd\r\n")),
            Refused("a chunk that ends with a line feed alone", .missingChunkEnd, 400, chunks("3\r\nabc\n0\r\n\r\n")),
            Refused("a chunk that ends with half a line end", .missingChunkEnd, 400, chunks("3\r\nabc\rx")),
            Refused("a trailer with a line feed alone", .bareLineFeed, 400, chunks("0\r\nA: b\n\r\n")),
            Refused("a folded trailer", .foldedLine, 400, chunks("0\r\nA: b\r\n c\r\n\r\n")),
        ]
        + ["Content-Length: 3", "transfer-encoding: chunked", "Host: y", "Authorization: a", "Set-Cookie: a=b"].map {
            Refused("the trailer \($0)", .forbiddenTrailer, 400, chunks("0\r\nA: b\r\n\($0)\r\n\r\n"))
        }
}

extension String {
    /// The preface of HTTP/2 asks for a star, which only OPTIONS may; here its version is of interest.
    fileprivate var replacingStar: String { self.split(separator: "*", maxSplits: 1).joined(separator: "/") }
}
