package import RTP

/// How one stream of sound is received.
package struct AudioReceiverSettings: Hashable, Sendable {
    package var payloadTypes = AudioPayloadTypes()
    package var extensions = RTPExtensionIDs()
    package var isStereo = false
    /// Sound is pulled. A stream that is only recorded or passed on needs no buffer and no decoder.
    package var isPlayed = true
    /// Packets are lent in their order.
    package var lendsPayloads = false
    /// How long those behind a missing packet wait for it before they are lent.
    package var lendingTimeout = Duration.milliseconds(100)

    package init() {}

    package var channels: Int { self.isStereo ? 2 : 1 }
}
