internal import Reactor
package import Web

/// A message whose frame was encoded once, ready to go to any loop.
package struct EncodedMessage: Sendable {
    package let kind: WebSocketMessageKind
    let payload: [UInt8]
    let frame: SharedBytes

    package init(_ kind: WebSocketMessageKind, _ payload: [UInt8]) {
        self.kind = kind
        self.payload = payload
        self.frame = Self.frame(kind, payload, isCompressed: false)
    }

    fileprivate static func frame(
        _ kind: WebSocketMessageKind, _ payload: [UInt8], isCompressed: Bool
    ) -> SharedBytes {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + 10)
        WebSocketFrameHeader(kind.opcode, length: payload.count, isCompressed: isCompressed).append(to: &bytes)
        bytes.append(contentsOf: payload)
        return SharedBytes(bytes)
    }
}

/// A message on its way to many receivers on one loop. It is compressed at most once for each size of window.
package final class WebSocketMessage {
    package let encoded: EncodedMessage
    private var compressedFrames: [Int: SharedBytes] = [:]

    package init(_ encoded: EncodedMessage) { self.encoded = encoded }

    var count: Int { self.encoded.payload.count }

    func compressed(windowBits: Int, _ codec: WebSocketCodec) -> SharedBytes {
        if let frame = self.compressedFrames[windowBits] { return frame }
        let payload = self.encoded.payload
        var compressed: [UInt8] = []
        codec.deflater(windowBits: windowBits).deflate(payload.span, into: &compressed)
        let frame = EncodedMessage.frame(self.encoded.kind, compressed, isCompressed: true)
        self.compressedFrames[windowBits] = frame
        return frame
    }
}
