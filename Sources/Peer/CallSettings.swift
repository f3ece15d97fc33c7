package import ICE
package import Negotiating
package import RTP

/// How one call is made.
package struct CallSettings: Sendable {
    package var ice = ICESettings()
    /// What we offer and accept.
    package var format = AudioFormat()
    package var sound = SoundSettings()
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
    /// Sends next to nothing while nobody speaks.
    package var usesDTX = false
    /// Theirs is decoded and pulled.
    package var isPlayed = true
    /// Theirs is lent as it comes, for recordings.
    package var lendsPayloads = false
    /// They hear themselves, without a codec in between.
    package var echoes = false

    package init() {}
}
