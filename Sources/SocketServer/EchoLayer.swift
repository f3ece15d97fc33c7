internal import Bytes
internal import SocketIO

/// Sends every message back, as the conformance suite of Engine.IO wants it.
final class EchoLayer: EngineLayer {
    var isOpenToAll: Bool { true }

    func opened(on link: EngineLink) {}

    func received(_ message: Span<UInt8>, isText: Bool, on link: EngineLink) -> Bool {
        let copy = [UInt8](copying: message)
        link.send([isText ? EncodedPacket(.message, body: copy) : EncodedPacket(binary: copy)])
        return true
    }
}
