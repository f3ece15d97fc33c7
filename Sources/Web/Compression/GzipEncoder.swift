/// Packs a body for `Content-Encoding: gzip` (RFC 1952), piece by piece.
package final class GzipEncoder {
    private let stream: DeflateStream

    /// `level`: 1 is fast, 9 is small.
    package init(level: Int = 6) {
        precondition((1...9).contains(level), "zlib has levels from 1 to 9")
        self.stream = DeflateStream(.gzip, level: Int32(level))
    }

    /// Appends what is ready; some of it may wait for more.
    package func compress(_ bytes: Span<UInt8>, into out: inout [UInt8]) {
        self.stream.compress(bytes, flush: .none, into: &out)
    }

    /// Appends the end. The next piece begins another body.
    package func finish(into out: inout [UInt8]) {
        self.stream.compress([UInt8]().span, flush: .finish, into: &out)
        self.stream.reset()
    }

    /// A whole body at once.
    package static func compress(_ bytes: [UInt8], level: Int = 6) -> [UInt8] {
        let encoder = GzipEncoder(level: level)
        var out: [UInt8] = []
        encoder.compress(bytes.span, into: &out)
        encoder.finish(into: &out)
        return out
    }
}
