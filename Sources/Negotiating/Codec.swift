/// What a section of the descriptions carries (RFC 8866 §5.14).
package enum MediaKind: String, Hashable, Sendable, CaseIterable {
    case audio, video
}

/// How media is packed, as descriptions name it (`RTCRtpCodec`).
package struct Codec: Hashable, Sendable {
    /// What packets of it are good for.
    package enum Role: Hashable, Sendable {
        /// Media that stands for itself; a section without any is rejected.
        case primary
        /// Copies of earlier packets of the first primary codec (RFC 2198).
        case redundancy
        /// Keys of a telephone in place of sound (RFC 4733).
        case events
    }

    package let name: String
    package let clockRate: Int
    package let channels: Int
    package let role: Role
    /// The text of `a=fmtp`; empty for none.
    package var parameters: String
    /// What its receivers may say (`a=rtcp-fb`, RFC 4585 §4.2).
    package var feedback: [String]
    /// Parameters that have to be the same on both sides, with what holds where they are not said.
    let agreed: [String: String]
    /// Parameters that an answer repeats as they were offered.
    let repeated: [String]

    package init(
        _ name: String, clockRate: Int, channels: Int = 1, role: Role = .primary, parameters: String = "",
        feedback: [String] = [], agreed: [String: String] = [:], repeated: [String] = []
    ) {
        self.name = name
        self.clockRate = clockRate
        self.channels = channels
        self.role = role
        self.parameters = parameters
        self.feedback = feedback
        self.agreed = agreed
        self.repeated = repeated
    }

    /// Two directions of a section may say other parameters of the same codec.
    package func isSame(as other: Codec) -> Bool {
        self.name.lowercased() == other.name.lowercased() && self.clockRate == other.clockRate
            && self.channels == other.channels
    }
}

// MARK: - Those that are known

extension Codec {
    package static func opus(_ parameters: OpusParameters = OpusParameters()) -> Codec {
        Codec("opus", clockRate: 48_000, channels: 2, parameters: parameters.text, feedback: [transportFeedback])
    }

    package static let red = Codec("red", clockRate: 48_000, channels: 2, role: .redundancy)

    /// Keys share the clock of the sound they take the place of.
    package static let telephoneEvent = Codec(
        "telephone-event", clockRate: 48_000, role: .events, parameters: "0-15")

    /// RFC 7741.
    package static let vp8 = Codec("VP8", clockRate: 90_000, feedback: videoFeedback)

    /// RFC 6184 §8.1: the two modes of packetization are two formats, and the profile of an answer is the offer's.
    package static let h264 = Codec(
        "H264", clockRate: 90_000,
        parameters: "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f",
        feedback: videoFeedback, agreed: ["packetization-mode": "0"], repeated: ["profile-level-id"])

    static let transportFeedback = "transport-cc"
    private static let videoFeedback = ["nack", "nack pli", "ccm fir", transportFeedback]
}
