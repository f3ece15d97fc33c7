/// Decompresses messages one by one (RFC 7692 §7.2.2). It keeps nothing between them, so that one serves
/// every connection of a loop.
package final class WebSocketInflater {
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    private let stream = InflateStream(.raw(windowBits: 15))

    package init() {}

    /// The message, which may have at most `limit` bytes.
    package func inflate(_ message: Span<UInt8>, limit: Int) throws(WebSocketError) -> [UInt8] {
        self.stream.reset()
        var out: [UInt8] = []
        do throws(InflateError) {
            _ = try self.stream.decompress(message, limit: limit, into: &out)
            _ = try self.stream.decompress(Self.tail.span, limit: limit, into: &out)
        } catch {
            throw WebSocketError(error == .tooLarge ? .messageTooBig : .corruptCompression)
        }
        guard self.stream.isAtBlockEnd else { throw WebSocketError(.corruptCompression) }
        return out
    }
}
