internal import HTTPServer
package import SocketIO
internal import Web

/// One packet on its way to many, with its WebSocket frame made once for each version.
package final class Broadcast {
    package let packet: EncodedPacket
    // Fields, for each of many receivers asks: a dictionary takes some hundred instructions more.
    private var v3Message: WebSocketMessage?
    private var v4Message: WebSocketMessage?

    package init(_ packet: EncodedPacket) { self.packet = packet }

    func message(for version: EngineVersion) -> WebSocketMessage {
        if let message = version == .v3 ? self.v3Message : self.v4Message { return message }
        let frame = Array(self.packet.frame(for: version))
        let message = WebSocketMessage(EncodedMessage(self.packet.isBinary ? .binary : .text, frame))
        switch version {
        case .v3: self.v3Message = message
        case .v4: self.v4Message = message
        }
        return message
    }
}
