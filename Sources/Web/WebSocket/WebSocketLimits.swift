/// How much of everything a peer may send.
package struct WebSocketLimits: Hashable, Sendable {
    /// Bytes of one message, after decompression too. More closes with 1009. Default: 1 MiB.
    package var maximumMessageBytes = 1024 * 1024
    /// Bytes of one frame's payload. More closes with 1009. Default: 1 MiB.
    package var maximumFrameBytes = 1024 * 1024
    /// Frames of one message. More closes with 1008. Default: 4096.
    package var maximumFragments = 4096

    package init() {}
}
