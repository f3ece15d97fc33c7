internal import Bytes

/// Finds the packets in a stream in which each says before itself how long it is, however the stream is cut (RFC 4571).
package struct PacketFrames: Sendable {
    /// No socket would take a longer one; what is longer is passed over.
    package static let maximumBytes = 2048

    /// Less than one packet with its length.
    private var partial: [UInt8] = []
    private var toSkip = 0

    package init() {}

    /// What has to be said before a packet of so many bytes; nil when it is too long for anybody.
    package static func head(of count: Int) -> [UInt8]? {
        guard count <= self.maximumBytes else { return nil }
        return [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
    }

    /// Calls `body` with each packet that is whole, for as long as it says that it wants more.
    package mutating func take(_ bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Bool) {
        let skipped = min(self.toSkip, bytes.count)
        self.toSkip -= skipped
        let rest = bytes.extracting(skipped...)
        guard !self.partial.isEmpty else {
            let end = self.walk(rest, body)
            return self.partial = [UInt8](copying: rest.extracting(end...))
        }
        var all = ByteWriter(reservingCapacity: self.partial.count + rest.count)
        all.write(contentsOf: self.partial)
        all.write(rest)
        let end = self.walk(all.bytes.span, body)
        self.partial = Array(all.bytes[end...])
    }

    /// Says where the last whole packet ends. What is not wanted counts as taken.
    private mutating func walk(_ stream: Span<UInt8>, _ body: (Span<UInt8>) -> Bool) -> Int {
        var start = 0
        while stream.count - start >= 2 {
            let count = Int(stream[start]) << 8 | Int(stream[start + 1])
            let end = start + 2 + count
            if end > stream.count {
                guard count > Self.maximumBytes else { return start }
                self.toSkip = end - stream.count
                return stream.count
            }
            if count > 0, count <= Self.maximumBytes, !body(stream.extracting((start + 2)..<end)) {
                return stream.count
            }
            start = end
        }
        return start
    }
}
