internal import COpus

/// What libopus answered when it could not do as told.
package struct OpusError: Error, Hashable, Sendable, CustomStringConvertible {
    package let code: Int32

    init(_ code: Int32) {
        self.code = code
    }

    /// The bytes are no Opus packet.
    package static let invalidPacket = OpusError(OPUS_INVALID_PACKET)
    /// A rate, channel count or frame length Opus does not have.
    package static let badArgument = OpusError(OPUS_BAD_ARG)

    package var description: String {
        let text = unsafe String(cString: opus_strerror(self.code))
        return "libopus: \(text)"
    }

    /// The name and version of the library.
    package static var library: String {
        unsafe String(cString: opus_get_version_string())
    }
}
