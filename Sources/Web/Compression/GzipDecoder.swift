/// Unpacks what came with `Content-Encoding: gzip`.
package enum GzipDecoder {
    package enum Failure: Error, Hashable, Sendable {
        case corrupt
        case truncated
        case tooLarge
    }

    /// A whole body, which may have at most `limit` bytes when it is unpacked.
    package static func decompress(_ bytes: Span<UInt8>, limit: Int) throws(Failure) -> [UInt8] {
        let stream = InflateStream(.gzip)
        var out: [UInt8] = []
        let hasEnded: Bool
        do throws(InflateError) {
            hasEnded = try stream.decompress(bytes, limit: limit, into: &out)
        } catch {
            throw error == .tooLarge ? .tooLarge : .corrupt
        }
        guard hasEnded else { throw .truncated }
        return out
    }
}
