internal import SDP

/// How a receiver would like to be sent Opus (RFC 7587 §6.1).
package struct OpusParameters: Hashable, Sendable {
    package var isStereo = false
    /// It makes use of the coarse copy of the packet before.
    package var usesRecovery = true
    /// Silence need not be sent.
    package var allowsSilence = false
    package var maximumBitrate: Int?

    package init() {}

    package init(_ codec: Codec) {
        let parameters = SDPFormatParameters("opus", codec.parameters)
        self.isStereo = parameters.number("stereo") == 1
        self.usesRecovery = parameters.number("useinbandfec") == 1
        self.allowsSilence = parameters.number("usedtx") == 1
        self.maximumBitrate = parameters.number("maxaveragebitrate").map { min(max($0, 6_000), 510_000) }
    }

    var text: String {
        var words = ["minptime=10"]
        if self.usesRecovery { words.append("useinbandfec=1") }
        if self.isStereo { words += ["stereo=1", "sprop-stereo=1"] }
        if self.allowsSilence { words.append("usedtx=1") }
        if let bitrate = self.maximumBitrate { words.append("maxaveragebitrate=\(bitrate)") }
        return words.joined(separator: ";")
    }
}
