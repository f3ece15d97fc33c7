package import Bytes

/// Finds the messages in what a stream brings, however it is cut (RFC 8489 §6.2.2, RFC 8656 §12.5).
package struct STUNStream: Sendable {
    /// Less than one message.
    private var partial: [UInt8] = []

    package init() {}

    /// Calls `body` with each message that is whole, for as long as it says that it wants more. Throws when there is
    /// something in the stream that is no message: where the next one begins cannot be known then.
    package mutating func take(_ bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Bool) throws(ByteError) {
        guard !self.partial.isEmpty else {
            let end = try Self.walk(bytes, body)
            return self.partial = [UInt8](copying: bytes.extracting(end...))
        }
        var all = ByteWriter(reservingCapacity: self.partial.count + bytes.count)
        all.write(contentsOf: self.partial)
        all.write(bytes)
        let end = try Self.walk(all.bytes.span, body)
        self.partial = Array(all.bytes[end...])
    }

    /// Says where the last whole message ends. What is not wanted counts as taken.
    private static func walk(_ stream: Span<UInt8>, _ body: (Span<UInt8>) -> Bool) throws(ByteError) -> Int {
        var start = 0
        while let length = try STUNFraming.length(of: stream.extracting(start...)), length <= stream.count - start {
            guard body(stream.extracting(start..<(start + length))) else { return stream.count }
            start += length
        }
        return start
    }
}
