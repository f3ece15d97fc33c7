internal import SDP

/// What numbers stand for which sound and which extension in one direction of one section, and what its receiver likes.
package struct AudioFormat: Hashable, Sendable {
    package var opus: UInt8
    package var red: UInt8?
    package var telephoneEvent: UInt8?
    package var audioLevel: UInt8?
    package var mediaID: UInt8?
    package var transportSequence: UInt8?
    /// Extended reports are understood (RFC 3611 §5).
    package var hasExtendedReports = true
    /// What the receiver of this format asks for.
    package var preferences: AudioPreferences

    package init(
        opus: UInt8 = 111, red: UInt8? = 63, telephoneEvent: UInt8? = 110, audioLevel: UInt8? = 1,
        mediaID: UInt8? = 4, transportSequence: UInt8? = 3, preferences: AudioPreferences = AudioPreferences()
    ) {
        self.opus = opus
        self.red = red
        self.telephoneEvent = telephoneEvent
        self.audioLevel = audioLevel
        self.mediaID = mediaID
        self.transportSequence = transportSequence
        self.preferences = preferences
    }

    /// Reads what a section says. Nil when it has no Opus.
    init?(_ section: SDPMedia) {
        let maps = Self.maps(section)
        guard let opus = Self.opus(maps) else { return nil }
        self.opus = opus
        self.red = maps.first { $0.isEncoding("red") && Self.isRedundancy($0, of: opus, section) }?.payloadType
        // Keys share the clock of the sound they take the place of.
        let keys = maps.first { $0.isEncoding("telephone-event") && $0.clockRate == 48_000 }
        self.telephoneEvent = keys?.payloadType
        let extensions = section.all(SDPHeaderExtension.self)
        self.audioLevel = Self.id(SDPHeaderExtension.audioLevel, extensions)
        self.mediaID = Self.id(SDPHeaderExtension.mediaID, extensions)
        self.transportSequence = Self.id(SDPHeaderExtension.transportSequence, extensions)
        self.hasExtendedReports = section.value(of: "rtcp-xr") != nil
        self.preferences = AudioPreferences(section, opus: opus)
    }

    /// Whether there is any Opus: the rest need not be read to know it.
    static func isSpoken(in section: SDPMedia) -> Bool { self.opus(self.maps(section)) != nil }

    /// What the formats stand for, the preferred one first.
    private static func maps(_ section: SDPMedia) -> [SDPRTPMap] {
        let all = section.rtpMaps
        return section.formats.compactMap { UInt8($0) }.compactMap { type in all.first { $0.payloadType == type } }
    }

    private static func opus(_ maps: [SDPRTPMap]) -> UInt8? {
        maps.first { $0.isEncoding("opus") && $0.clockRate == 48_000 }?.payloadType
    }

    /// Every generation has to be Opus; without parameters it is what is preferred.
    private static func isRedundancy(_ map: SDPRTPMap, of opus: UInt8, _ section: SDPMedia) -> Bool {
        guard map.clockRate == 48_000 else { return false }
        guard let parameters = section.parameters(of: "\(map.payloadType)") else { return true }
        return parameters.text.split(separator: "/").allSatisfy { UInt8($0) == opus }
    }

    /// Only those of the short form: one byte of header is all we write.
    private static func id(_ uri: String, _ extensions: [SDPHeaderExtension]) -> UInt8? {
        guard let id = extensions.first(where: { $0.uri == uri })?.id, (1...14).contains(id) else { return nil }
        return UInt8(id)
    }

    /// What both this format, as it was offered, and ours have. The numbers are those of the offer.
    func limited(to ours: AudioFormat) -> AudioFormat {
        var format = self
        if ours.red == nil { format.red = nil }
        if ours.telephoneEvent == nil { format.telephoneEvent = nil }
        if ours.audioLevel == nil { format.audioLevel = nil }
        if ours.mediaID == nil { format.mediaID = nil }
        if ours.transportSequence == nil { format.transportSequence = nil }
        format.preferences = ours.preferences
        return format
    }
}

/// How a receiver would like to be sent Opus (RFC 7587 §6.1).
package struct AudioPreferences: Hashable, Sendable {
    package var isStereo = false
    /// It makes use of the coarse copy of the packet before.
    package var usesRecovery = true
    /// Silence need not be sent.
    package var allowsSilence = false
    package var maximumBitrate: Int?
    /// Of a packet, in milliseconds.
    package var duration: Int?
    package var maximumDuration: Int?

    package init() {}

    init(_ section: SDPMedia, opus: UInt8) {
        let parameters = section.parameters(of: "\(opus)")?.pairs ?? []
        let number = { (name: String) in
            parameters.first { $0.name == name }.flatMap { SDPFormatParameters.number($0.value) }
        }
        self.isStereo = number("stereo") == 1
        self.usesRecovery = number("useinbandfec") == 1
        self.allowsSilence = number("usedtx") == 1
        self.maximumBitrate = number("maxaveragebitrate").map { min(max($0, 6_000), 510_000) }
        self.duration = section.number(of: "ptime").map { min(max($0, 10), 60) }
        self.maximumDuration = section.number(of: "maxptime").map { min(max($0, 10), 120) }
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
