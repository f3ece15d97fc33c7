/// How much of everything a stranger may send.
package struct HTTPLimits: Hashable, Sendable {
    /// Bytes of the request target. More is answered with 414. Default: 8 KiB.
    package var maximumURIBytes = 8 * 1024
    /// Bytes of all header lines of one message together. More is answered with 431. Default: 32 KiB.
    package var maximumHeaderBytes = 32 * 1024
    /// Header lines of one message. More is answered with 431. Default: 100.
    package var maximumHeaderCount = 100
    /// Bytes of one body, announced or chunked. More is answered with 413. Default: 16 MiB.
    package var maximumBodyBytes = 16 * 1024 * 1024
    /// Bytes of all chunk extensions of one body together. More is answered with 400. Default: 4 KiB.
    package var maximumChunkExtensionBytes = 4 * 1024
    /// Bytes of all trailer lines of one message together. More is answered with 431. Default: 4 KiB.
    package var maximumTrailerBytes = 4 * 1024
    /// Trailer lines of one message. More is answered with 431. Default: 16.
    package var maximumTrailerCount = 16
    /// Empty lines tolerated before a request line (RFC 9112 §2.2). More is answered with 400. Default: 2.
    package var maximumLeadingEmptyLines = 2

    package init() {}
}
