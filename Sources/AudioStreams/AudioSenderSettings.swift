internal import MediaStreams
package import RTP

/// How one stream of sound is sent.
package struct AudioSenderSettings: Hashable, Sendable {
    package var ssrc: UInt32
    /// What the stream's section of the session is called; said with each packet until the other side has answered.
    package var mid: String?
    package var payloadTypes = AudioPayloadTypes()
    package var extensions = RTPExtensionIDs()
    /// Where numbers begin. Random ones are made by the owner (RFC 3550 §5.1).
    package var firstSequence: UInt16 = 0
    package var firstTimestamp: UInt32 = 0
    /// How much sound a packet holds: 10, 20, 40 or 60 ms; what lies between is rounded down.
    package var ptime = 20
    package var isStereo = false
    /// Sends next to nothing during silence (DTX).
    package var usesDTX = false
    /// The other side can make use of the coarse copies that Opus puts into the next packet.
    package var usesFEC = true
    /// In bit/s of Opus alone.
    package var minimumBitRate = 12_000
    package var initialBitRate = 24_000
    package var maximumBitRate = 24_000
    /// With copies and all headers of RTP: what copies cost beyond it the sound pays for with bits of its own.
    package var maximumBitRateWithCopies = 84_000
    /// 0, quick, to 10, best.
    package var complexity = 9
    /// Tells the encoder that this is speech, instead of letting it guess.
    package var isSpeech = false

    package init(ssrc: UInt32) {
        self.ssrc = ssrc
    }

    package var channels: Int { self.isStereo ? 2 : 1 }

    /// Samples of each channel in a packet.
    package var frameDuration: Int {
        let milliseconds = [60, 40, 20].first { $0 <= self.ptime } ?? 10
        return milliseconds * MediaClock.opus.rate / 1000
    }
}
