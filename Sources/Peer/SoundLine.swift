internal import AudioStreams
internal import Negotiating
internal import RTP
internal import SDP
internal import Vocabulary

/// What flows over one transceiver: a sender and a receiver, as far as both sides agreed on them.
///
/// It is a class for its place alone: as a value it would be copied for each packet that changes it.
final class SoundLine {
    let transceiver: Int
    var sender: AudioSender?
    var receiver: AudioReceiver?
    var sends = false
    var receives = false
    var hasHeard = false
    /// What went back as an echo and is still to be lent.
    private(set) var echoed: [AudioPayload] = []
    /// The extension of theirs that numbers the packets of the transport.
    var transportSequence: UInt8?

    init(_ transceiver: Int) {
        self.transceiver = transceiver
    }

    /// When one of the two has something to do.
    var deadline: Instant? {
        .earlier(self.sender?.findDeadline() ?? nil, self.payloadDeadline)
    }

    /// When there may be a packet to lend.
    var payloadDeadline: Instant? { self.receiver?.findDeadline() ?? nil }

    /// As much as waits for a packet in any other line: whoever wants it comes soon.
    private static let mostEchoed = 64

    func keep(_ payload: AudioPayload) {
        if self.echoed.count == Self.mostEchoed { self.echoed.removeFirst() }
        self.echoed.append(payload)
    }

    func takeEchoed() -> AudioPayload? { self.echoed.isEmpty ? nil : self.echoed.removeFirst() }
}

extension AudioSenderSettings {
    init(
        _ transceiver: Transceiver, _ format: AudioFormat, _ sound: SoundSettings,
        random: inout some RandomNumberGenerator
    ) {
        self.init(ssrc: transceiver.ssrc)
        self.mid = transceiver.mediaID?.value
        self.payloadTypes = AudioPayloadTypes(format)
        self.extensions = AudioExtensions(format)
        self.firstSequence = UInt16(truncatingIfNeeded: random.next()) & 0x7FFF
        self.firstTimestamp = UInt32(truncatingIfNeeded: random.next())
        self.ptime = min(max(sound.packetDuration ?? format.preferences.duration ?? 20, 10), 60)
        if let longest = format.preferences.maximumDuration { self.ptime = min(self.ptime, longest) }
        self.isStereo = sound.isStereo && format.preferences.isStereo
        self.usesDTX = sound.usesDTX
        self.usesFEC = format.preferences.usesRecovery
        self.firstBitRate = min(sound.bitRate, format.preferences.maximumBitrate ?? .max)
        self.mostBitRate = self.firstBitRate
        self.leastBitRate = min(self.leastBitRate, self.firstBitRate)
    }
}

extension AudioReceiverSettings {
    init(_ format: AudioFormat, _ sound: SoundSettings) {
        self.init()
        self.payloadTypes = AudioPayloadTypes(format)
        self.extensions = AudioExtensions(format)
        self.isStereo = sound.isStereo
        self.isPlayed = sound.isPlayed
        self.lendsPayloads = sound.lendsPayloads || sound.echoes
    }
}

extension AudioPayloadTypes {
    init(_ format: AudioFormat) {
        self.init(opus: format.opus, red: format.red, telephoneEvent: format.telephoneEvent)
    }
}

extension AudioExtensions {
    init(_ format: AudioFormat) {
        self.init(audioLevel: format.audioLevel, mid: format.mediaID, transportCC: format.transportSequence)
    }
}

// What is only looked at would be copied out of its line first; what may change is left where it lies. Either is large, and a
// copy of it for each packet costs more than the packet.

extension AudioSender {
    fileprivate mutating func findDeadline() -> Instant? { self.deadline }
}

extension AudioReceiver {
    fileprivate mutating func findDeadline() -> Instant? { self.payloadDeadline }
}
