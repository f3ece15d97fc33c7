internal import Bytes

/// The client's side of the handshake (RFC 6455 §4.1).
package struct WebSocketClientHandshake: Sendable {
    /// Why an answer does not begin a WebSocket.
    package enum Failure: Error, Hashable, Sendable {
        case status(HTTPStatus)
        case notAnUpgrade
        case wrongAccept
        case unknownSubprotocol
        case unknownExtension
    }

    private let key: String
    private let subprotocols: [String]
    private let offersCompression: Bool

    /// `nonce`: sixteen random bytes, new for each connection.
    package init(nonce: [UInt8], subprotocols: [String] = [], offersCompression: Bool = true) {
        precondition(nonce.count == 16, "a WebSocket key has sixteen bytes")
        self.key = Base64.encode(nonce)
        self.subprotocols = subprotocols
        self.offersCompression = offersCompression
    }

    /// The fields of the GET request.
    package var fields: HTTPFields {
        var fields: HTTPFields = [
            .upgrade: "websocket", .connection: "Upgrade", .webSocketKey: self.key, .webSocketVersion: "13",
        ]
        if !self.subprotocols.isEmpty { fields[.webSocketProtocol] = self.subprotocols.joined(separator: ", ") }
        if self.offersCompression { fields[.webSocketExtensions] = PerMessageDeflate.offer }
        return fields
    }

    /// What the server agreed to.
    package struct Agreement: Hashable, Sendable {
        package let subprotocol: String?
        package let compression: PerMessageDeflate?
    }

    package func check(_ response: HTTPResponseHead) throws(Failure) -> Agreement {
        guard response.status == .switchingProtocols else { throw .status(response.status) }
        let fields = response.fields
        guard fields.hasToken("websocket", in: .upgrade), fields.hasToken("upgrade", in: .connection) else {
            throw .notAnUpgrade
        }
        guard fields.values(of: .webSocketAccept) == [WebSocketHandshake.acceptValue(for: self.key)] else {
            throw .wrongAccept
        }
        let chosen = fields.values(of: .webSocketProtocol)
        guard chosen.count < 2, chosen.allSatisfy(self.subprotocols.contains) else { throw .unknownSubprotocol }
        return Agreement(subprotocol: chosen.first, compression: try self.compression(fields))
    }

    private func compression(_ fields: HTTPFields) throws(Failure) -> PerMessageDeflate? {
        switch PerMessageDeflate.read(answer: fields) {
        case .declined: return nil
        case .agreed(let compression) where self.offersCompression: return compression
        case .agreed, .unacceptable: throw .unknownExtension
        }
    }
}
