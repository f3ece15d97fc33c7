/// The compressors and the decompressor that all connections of one loop share.
package final class WebSocketCodec {
    package let inflater = WebSocketInflater()
    private var deflaters: [Int: WebSocketDeflater] = [:]

    package init() {}

    /// The compressor for a window that was agreed on: 9 to 15 bits.
    package func deflater(windowBits: Int = 15) -> WebSocketDeflater {
        if let known = self.deflaters[windowBits] { return known }
        let deflater = WebSocketDeflater(windowBits: windowBits)
        self.deflaters[windowBits] = deflater
        return deflater
    }
}
