internal import HTTPServer
package import SocketIO
internal import Web

/// One packet on its way to many, with its WebSocket frame made once for each version.
package final class Broadcast {
    package let packet: EncodedPacket
    private var oldMessage: WebSocketMessage?
    private var newMessage: WebSocketMessage?

    package init(_ packet: EncodedPacket) { self.packet = packet }

    func message(for version: EngineVersion) -> WebSocketMessage {
        switch version {
        case .v3:
            if let message = self.oldMessage { return message }
            let message = self.makeMessage(for: version)
            self.oldMessage = message
            return message
        case .v4:
            if let message = self.newMessage { return message }
            let message = self.makeMessage(for: version)
            self.newMessage = message
            return message
        }
    }

    private func makeMessage(for version: EngineVersion) -> WebSocketMessage {
        let frame = Array(self.packet.frame(for: version))
        return WebSocketMessage(EncodedMessage(self.packet.isBinary ? .binary : .text, frame))
    }
}
