/// Compresses messages one by one (RFC 7692 §7.2.1). It keeps nothing between them, so that one serves
/// every connection of a loop.
package final class WebSocketDeflater {
    private let stream: DeflateStream

    /// `windowBits`: 9 to 15, as the peer asked for.
    package init(windowBits: Int = 15, level: Int = 6) {
        precondition((9...15).contains(windowBits) && (1...9).contains(level), "zlib cannot do this")
        self.stream = DeflateStream(.raw(windowBits: Int32(windowBits)), level: Int32(level))
    }

    /// Appends the payload of a frame with RSV1 set.
    package func deflate(_ message: Span<UInt8>, into out: inout [UInt8]) {
        self.stream.reset()
        self.stream.compress(message, flush: .sync, into: &out)
        // Every sync flush ends with 00 00 FF FF, and the receiver puts it back.
        out.removeLast(4)
    }
}
