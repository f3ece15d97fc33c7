/// What zlib wraps around compressed bytes.
enum CompressionFormat: Hashable, Sendable {
    /// Nothing (RFC 1951), with a window of 2 to the power of so many bytes: 9 to 15.
    case raw(windowBits: Int32)
    /// A header and a checksum (RFC 1952).
    case gzip

    /// zlib's own spelling: negative for raw, 16 more for gzip.
    var zlibWindowBits: Int32 {
        switch self {
        case .raw(let windowBits): -windowBits
        case .gzip: 15 + 16
        }
    }
}
