/// Under which numbers extensions of RTP's header travel in one direction of a stream (RFC 8285); nil for those that do not.
package struct RTPExtensionIDs: Hashable, Sendable {
    package var audioLevel: UInt8?
    package var mediaID: UInt8?
    package var transportSequence: UInt8?
    package var absoluteSendTime: UInt8?

    package init(
        audioLevel: UInt8? = nil, mediaID: UInt8? = nil, transportSequence: UInt8? = nil,
        absoluteSendTime: UInt8? = nil
    ) {
        self.audioLevel = audioLevel
        self.mediaID = mediaID
        self.transportSequence = transportSequence
        self.absoluteSendTime = absoluteSendTime
    }

    package var isEmpty: Bool { self == RTPExtensionIDs() }

    /// Identifiers above 14 need the long form (RFC 8285 §4.3).
    package var needsLongForm: Bool {
        // By twos: more are put into an array first, for each packet.
        max(max(self.audioLevel ?? 0, self.mediaID ?? 0), max(self.transportSequence ?? 0, self.absoluteSendTime ?? 0))
            > 14
    }
}
