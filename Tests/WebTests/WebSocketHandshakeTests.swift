import Bytes
import Testing
import Web

@Suite("A WebSocket handshake")
struct WebSocketHandshakeTests {
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    private static func request(
        start: String = "GET /chat HTTP/1.1", upgrade: String = "Upgrade: websocket\r\nConnection: Upgrade\r\n",
        key: String = "Sec-WebSocket-Key: \(key)\r\n", version: String = "Sec-WebSocket-Version: 13\r\n",
        more: String = ""
    ) throws -> HTTPRequestHead {
        try Samples.head("\(start)\r\nHost: x\r\n\(upgrade)\(key)\(version)\(more)\r\n")
    }

    @Test("answers the example of RFC 6455 §1.3")
    func example() throws {
        let upgrade = try WebSocketHandshake.accept(Self.request(), allowsCompression: false)
        var out: [UInt8] = []
        let encoder = HTTPResponseEncoder(answering: try Self.request())
        _ = encoder.write(upgrade.response, bodyLength: nil, into: &out)
        #expect(
            String(decoding: out, as: UTF8.self)
                == "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
    }

    @Test(
        "refuses a key that is not sixteen bytes in Base64",
        arguments: [
            "", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZR==", "AAAA", "dGhlIHNhbXBsZSBub25jZQ==AAAA",
            "!!!!!!!!!!!!!!!!!!!!!!==",
        ])
    func keys(key: String) throws {
        let request = try Self.request(key: "Sec-WebSocket-Key: \(key)\r\n")
        #expect(throws: WebSocketRefusal.self) { try WebSocketHandshake.accept(request) }
    }

    @Test("refuses what is not one request for version 13")
    func refusals() throws {
        let field = "Sec-WebSocket-Key: \(Self.key)\r\n"
        let requests: [(HTTPRequestHead, WebSocketRefusal.Reason, UInt16)] = [
            (try Self.request(upgrade: ""), .notAnUpgrade, 426),
            (try Self.request(upgrade: "Upgrade: h2c\r\nConnection: Upgrade\r\n"), .notAnUpgrade, 426),
            (try Self.request(upgrade: "Upgrade: websocket\r\n"), .notAnUpgrade, 426),
            (try Self.request(start: "GET / HTTP/1.0"), .notAnUpgrade, 426),
            (try Self.request(start: "POST / HTTP/1.1"), .wrongMethod, 405),
            (try Self.request(more: "Content-Length: 1\r\n"), .hasBody, 400),
            (try Self.request(more: "Transfer-Encoding: chunked\r\n"), .hasBody, 400),
            (try Self.request(version: ""), .unsupportedVersion, 426),
            (try Self.request(version: "Sec-WebSocket-Version: 8\r\n"), .unsupportedVersion, 426),
            (try Self.request(key: ""), .invalidKey, 400), (try Self.request(key: field + field), .invalidKey, 400),
        ]
        for (request, reason, status) in requests {
            do {
                _ = try WebSocketHandshake.accept(request)
                Issue.record("accepted \(reason)")
            } catch {
                #expect(error.reason == reason && error.response.status.code == status)
                if reason == .unsupportedVersion { #expect(error.response.fields[.webSocketVersion] == "13") }
            }
        }
    }

    @Test("chooses the first subprotocol of ours that the client names too")
    func subprotocols() throws {
        let request = try Self.request(more: "Sec-WebSocket-Protocol: a, b\r\nSec-WebSocket-Protocol: c\r\n")
        #expect(try WebSocketHandshake.accept(request, subprotocols: ["c", "a"]).subprotocol == "c")
        #expect(try WebSocketHandshake.accept(request, subprotocols: ["A"]).subprotocol == nil)
        let answer = try WebSocketHandshake.accept(request, subprotocols: ["z", "b"]).response
        #expect(answer.fields[.webSocketProtocol] == "b")
    }

    private static let forgetful = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"

    @Test(
        "A WebSocket handshake agrees on what compression both sides can",
        arguments: [
            ("permessage-deflate", forgetful), ("permessage-deflate; client_max_window_bits", forgetful),
            ("permessage-deflate; client_max_window_bits=8", forgetful),
            ("permessage-deflate; server_max_window_bits=10", forgetful + "; server_max_window_bits=10"),
            ("permessage-deflate; server_max_window_bits=\"15\"", forgetful + "; server_max_window_bits=15"),
            ("x-webkit-deflate-frame, permessage-deflate", forgetful),
            ("permessage-deflate; server_max_window_bits=8, permessage-deflate", forgetful),
            ("permessage-deflate; unknown, permessage-deflate; server_no_context_takeover", forgetful),
        ])
    func compression(offer: String, answer: String) throws {
        let request = try Self.request(more: "Sec-WebSocket-Extensions: \(offer)\r\n")
        let upgrade = try WebSocketHandshake.accept(request)
        #expect(upgrade.response.fields[.webSocketExtensions] == answer && upgrade.compression != nil)
        #expect(try WebSocketHandshake.accept(request, allowsCompression: false).compression == nil)
    }

    @Test(
        "declines an offer of compression",
        arguments: [
            "permessage-deflate; server_max_window_bits", "permessage-deflate; server_max_window_bits=8",
            "permessage-deflate; server_max_window_bits=16", "permessage-deflate; server_max_window_bits=7",
            "permessage-deflate; server_max_window_bits=010", "permessage-deflate; server_max_window_bits=+9",
            "permessage-deflate; client_max_window_bits=16", "permessage-deflate; client_max_window_bits=",
            "permessage-deflate; server_no_context_takeover=1", "permessage-deflate; foo",
            "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
            "permessage-deflate; server_max_window_bits=9; server_max_window_bits=9",
            "permessage-deflate; client_max_window_bits; client_max_window_bits", "permessage-bzip2", ";",
        ])
    func declined(offer: String) throws {
        let request = try Self.request(more: "Sec-WebSocket-Extensions: \(offer)\r\n")
        let upgrade = try WebSocketHandshake.accept(request)
        #expect(upgrade.compression == nil && upgrade.response.fields[.webSocketExtensions] == nil)
    }

    @Test("is understood by both ends")
    func bothEnds() throws {
        let client = WebSocketClientHandshake(nonce: Array(0..<16), subprotocols: ["a", "b"])
        var out: [UInt8] = []
        HTTPRequestEncoder.write(.get, target: "/", host: "x", fields: client.fields, into: &out)
        let request = try Samples.head(String(decoding: out, as: UTF8.self))
        let upgrade = try WebSocketHandshake.accept(request, subprotocols: ["b"])
        let agreement = try client.check(upgrade.response)
        #expect(agreement.subprotocol == "b" && agreement.compression?.windowBits == 15)
    }

    @Test("a client refuses an answer that does not fit its request")
    func clientRefusals() throws {
        let client = WebSocketClientHandshake(nonce: try Base64.decode(Self.key), subprotocols: ["a"])
        var good = HTTPResponseHead(.switchingProtocols)
        good.fields = [
            .upgrade: "WebSocket", .connection: "upgrade", .webSocketAccept: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        ]
        #expect(try client.check(good).compression == nil)
        let changes: [(HTTPFieldName, String?, WebSocketClientHandshake.Failure)] = [
            (.upgrade, nil, .notAnUpgrade), (.connection, "close", .notAnUpgrade),
            (.webSocketAccept, "x", .wrongAccept),
            (.webSocketProtocol, "b", .unknownSubprotocol), (.webSocketExtensions, "foo", .unknownExtension),
            (.webSocketExtensions, "permessage-deflate", .unknownExtension),
            (.webSocketExtensions, Self.forgetful + "; client_max_window_bits=10", .unknownExtension),
        ]
        for (name, value, failure) in changes {
            var bad = good
            bad.fields[name] = value
            #expect(throws: failure) { try client.check(bad) }
        }
        #expect(throws: WebSocketClientHandshake.Failure.status(.ok)) { try client.check(HTTPResponseHead(.ok)) }
    }
}
