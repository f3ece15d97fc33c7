internal import Bytes
internal import Hashing

/// Why a request does not become a WebSocket.
package struct WebSocketRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable, CaseIterable {
        case notAnUpgrade
        case wrongMethod
        case hasBody
        case unsupportedVersion
        case invalidKey
    }

    package let reason: Reason

    init(_ reason: Reason) {
        self.reason = reason
    }

    /// The answer, which a server closes after.
    package var response: HTTPResponseHead {
        switch self.reason {
        case .notAnUpgrade:
            HTTPResponseHead(.upgradeRequired, fields: [.upgrade: "websocket", .connection: "Upgrade, close"])
        case .wrongMethod: HTTPResponseHead(.methodNotAllowed, fields: [.allow: "GET"])
        case .unsupportedVersion: HTTPResponseHead(.upgradeRequired, fields: [.webSocketVersion: "13"])
        case .hasBody, .invalidKey: HTTPResponseHead(.badRequest)
        }
    }

    package var description: String {
        switch self.reason {
        case .notAnUpgrade: "this place speaks WebSocket"
        case .wrongMethod: "a WebSocket begins with GET"
        case .hasBody: "a WebSocket request has no body"
        case .unsupportedVersion: "only version 13 of WebSocket is spoken here"
        case .invalidKey: "the WebSocket key is not sixteen bytes in Base64"
        }
    }
}

/// What a server agreed to.
package struct WebSocketUpgrade: Sendable {
    /// `101 Switching Protocols`, ready to be written.
    package let response: HTTPResponseHead
    package let subprotocol: String?
    package let compression: PerMessageDeflate?
}

/// The server's side of the handshake (RFC 6455 §4.2).
package enum WebSocketHandshake {
    private static let magic = Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)

    /// `subprotocols` are ours, best first; the first one that the client names too is chosen. A client that
    /// names only others goes without, and may leave (RFC 6455 §4.2.2).
    package static func accept(
        _ request: HTTPRequestHead, subprotocols: [String] = [], allowsCompression: Bool = true
    ) throws(WebSocketRefusal) -> WebSocketUpgrade {
        guard request.isUpgrade(to: "websocket") else { throw WebSocketRefusal(.notAnUpgrade) }
        guard request.method == .get else { throw WebSocketRefusal(.wrongMethod) }
        guard request.framing == .none else { throw WebSocketRefusal(.hasBody) }
        guard request.fields.values(of: .webSocketVersion) == ["13"] else {
            throw WebSocketRefusal(.unsupportedVersion)
        }
        let keys = request.fields.values(of: .webSocketKey)
        guard let key = keys.first, keys.count == 1, self.isKey(key) else { throw WebSocketRefusal(.invalidKey) }
        let subprotocol = self.subprotocol(of: request, among: subprotocols)
        let compression = allowsCompression ? PerMessageDeflate.negotiate(request.fields) : nil
        var fields: HTTPFields = [
            .upgrade: "websocket", .connection: "Upgrade", .webSocketAccept: self.acceptValue(for: key),
        ]
        fields[.webSocketProtocol] = subprotocol
        fields[.webSocketExtensions] = compression?.answer
        let response = HTTPResponseHead(.switchingProtocols, fields: fields)
        return WebSocketUpgrade(response: response, subprotocol: subprotocol, compression: compression)
    }

    private static func subprotocol(of request: HTTPRequestHead, among subprotocols: [String]) -> String? {
        guard !subprotocols.isEmpty else { return nil }
        let wanted = HTTPListItem.parse(request.fields.values(of: .webSocketProtocol).joined(separator: ","))
        return subprotocols.first { ours in wanted?.contains { $0.name == ours } ?? false }
    }

    /// What proves that a key was read by a WebSocket server.
    package static func acceptValue(for key: String) -> String {
        Base64.encode(Digest.sha1.hash(Array(key.utf8) + self.magic))
    }

    private static func isKey(_ text: String) -> Bool {
        guard text.utf8.count == 24 else { return false }
        do throws(ByteError) {
            return try Base64.decode(text).count == 16
        } catch {
            return false
        }
    }
}
