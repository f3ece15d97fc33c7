internal import HTTPServer
package import SocketIO
internal import Web

/// One packet on its way to many, with its WebSocket frame made once for each version.
package final class Broadcast {
    package let packet: EncodedPacket
    private var messages: [EngineVersion: WebSocketMessage] = [:]

    package init(_ packet: EncodedPacket) { self.packet = packet }

    func message(for version: EngineVersion) -> WebSocketMessage {
        if let message = self.messages[version] { return message }
        let frame = Array(self.packet.frame(for: version))
        let message = WebSocketMessage(EncodedMessage(self.packet.isBinary ? .binary : .text, frame))
        self.messages[version] = message
        return message
    }
}
