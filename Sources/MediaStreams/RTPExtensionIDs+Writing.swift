package import Bytes
package import RTP
package import Vocabulary

extension RTPExtensionIDs {
    /// Writes the extensions of one packet behind its header.
    ///
    /// - Parameters:
    ///   - mediaID: the name of the stream's section, as long as the other side may not know the stream.
    ///   - level: how loud the sound of the packet is.
    package func write(
        transportSequence: UInt16, mediaID: String?, level: RTPAudioLevel? = nil, at now: Instant,
        to writer: inout ByteWriter
    ) {
        guard !self.isEmpty else { return }
        let extensions = RTPExtensionWriter(isLong: self.needsLongForm, to: &writer)
        if let id = self.audioLevel, let level { extensions.append(id, level.byte, to: &writer) }
        if let id = self.transportSequence { extensions.append(id, transportSequence, to: &writer) }
        // Both say when a packet left; the number does it in less.
        if let id = self.absoluteSendTime, self.transportSequence == nil {
            let time = AbsoluteSendTime.bytes(at: now)
            extensions.append(id, time.span, to: &writer)
        }
        if let id = self.mediaID, let mediaID, !mediaID.isEmpty {
            extensions.append(id, mediaID.utf8.span.extracting(first: 16), to: &writer)
        }
        extensions.finish(&writer)
    }
}

/// When a packet left, in 24 bits of which 18 are parts of a second (abs-send-time).
private enum AbsoluteSendTime {
    static func bytes(at now: Instant) -> [3 of UInt8] {
        let (seconds, rest) = now.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time = UInt32(truncatingIfNeeded: (seconds << 18) &+ (rest << 18) / 1_000_000_000)
        return [
            UInt8(truncatingIfNeeded: time >> 16), UInt8(truncatingIfNeeded: time >> 8),
            UInt8(truncatingIfNeeded: time),
        ]
    }
}
