package import OpusCodec

/// How a voice message is to be made.
package struct VoiceSettings: Hashable, Sendable {
    package var encoder = Self.speech
    /// The rate the encoder runs at; nil means the lowest Opus rate that keeps all of the recording.
    package var rate: Int?
    /// Milliseconds in each Opus frame.
    package var frame = 20
    /// Frames in each packet. Three frames of 20 ms in one packet of code 3 play everywhere.
    package var framesPerPacket = 3
    /// The loudness to bring the recording to, in LUFS.
    package var loudness: Double?
    /// Take silence away at both ends.
    package var trimsSilence = false
    /// Longer recordings are cut, in seconds.
    package var maximumDuration: Double?
    /// An input that is Opus already keeps its sound as it is, where that meets the settings.
    package var keepsOpus = true
    /// Opus that is kept has to be mono …
    package var keepsOnlyMono = false
    /// … or has to be wideband speech.
    package var keepsOnlyWidebandSpeech = false
    /// Lines for the tags, `NAME=value`.
    package var comments: [String] = []

    package init() {}

    /// Speech to listen to later. `voip` would filter the lowest tones away and is measurably
    /// further from the recording (docs/decisions/0012-speech-not-voip.md).
    private static let speech: OpusEncoder.Settings = {
        var settings = OpusEncoder.Settings()
        settings.application = .audio
        settings.isSpeech = true
        return settings
    }()

    /// Each makes a file that the messenger of that name plays; `docs/voice.md` tells the facts.
    package static let presets: [String: VoiceSettings] = [
        "default": VoiceSettings(),
        "telegram": VoiceSettings(bitRate: 32_000, framesPerPacket: 1),
        "whatsapp": VoiceSettings(bitRate: 24_000, framesPerPacket: 3, widebandSpeech: true),
        "discord": VoiceSettings(bitRate: 32_000, framesPerPacket: 1),
        "matrix": VoiceSettings(bitRate: 24_000, framesPerPacket: 1),
    ]

    private init(bitRate: Int, framesPerPacket: Int, widebandSpeech: Bool = false) {
        self.encoder.bitRate = bitRate
        self.framesPerPacket = framesPerPacket
        self.keepsOnlyMono = true
        self.keepsOnlyWidebandSpeech = widebandSpeech
        if widebandSpeech { self.rate = 16_000 }
    }

    /// What the settings themselves cannot be, in words; nil when all is well.
    package var complaint: String? {
        guard [5, 10, 20, 40, 60].contains(self.frame) else { return "a frame lasts 5, 10, 20, 40 or 60 ms" }
        guard (1...48).contains(self.framesPerPacket), self.frame * self.framesPerPacket <= 120 else {
            return "a packet lasts 120 ms at most"
        }
        guard (500...256_000).contains(self.encoder.bitRate) else { return "the bit rate is 500 to 256000 bit/s" }
        guard (0...10).contains(self.encoder.complexity) else { return "the complexity is 0 to 10" }
        if let rate = self.rate, !OpusEncoder.rates.contains(rate) { return "Opus has no rate of \(rate) Hz" }
        if let loudness = self.loudness, !(-60 ... -1).contains(loudness) { return "the loudness is -60 to -1 LUFS" }
        if let longest = self.maximumDuration, !(longest > 0 && longest < 1e7) {
            return "the longest duration is above 0"
        }
        return nil
    }
}
