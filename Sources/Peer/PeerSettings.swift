package import ICE
package import Negotiating
package import RTP

/// How one call is made.
package struct PeerSettings: Sendable {
    package var ice = ICESettings()
    package var sound = SoundSettings()
    /// What becomes of pictures; nil rejects them.
    package var video: VideoSettings?
    /// Checks carry the handshake of DTLS where the other side's may as well (SPED), which saves a round trip.
    package var embedsHandshake = true
    /// Who we are in reports.
    package var canonicalName = "parley"
    /// The time of day at the zero of the clock that is passed in, for reports.
    package var clockStart = NTPTime(unixNanoseconds: 0)

    package init() {}
}

/// What becomes of sound.
package struct SoundSettings: Hashable, Sendable {
    /// All sound here has two channels; they are sent where the other side takes them.
    package var isStereo = false
    package var channels: Int { self.isStereo ? 2 : 1 }
    /// Of a packet of ours, in milliseconds; nil leaves it to who receives it.
    package var packetDuration: Int?
    /// In bit/s.
    package var bitRate = 32_000
    /// Sends next to nothing during silence (DTX).
    package var usesDTX = false
    /// Theirs is decoded and pulled.
    package var isPlayed = true
    /// Theirs is lent as it comes, for recordings.
    package var lendsPayloads = false
    /// They hear themselves, without a codec in between.
    package var echoes = false

    package init() {}
}

/// What becomes of pictures. They pass through as they are.
package struct VideoSettings: Hashable, Sendable {
    /// What is offered and accepted, the preferred one first.
    package var codecs: [Codec] = [.vp8, .h264]
    /// They see themselves.
    package var echoes = false
    /// Theirs are lent as they come, for another call.
    package var lendsPackets = false

    package init() {}

    package static var echo: VideoSettings {
        var settings = VideoSettings()
        settings.echoes = true
        return settings
    }
}
