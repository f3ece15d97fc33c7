import AudioStreams
import MediaStreams
import Bytes
import RTP

/// A packet as it would be seen on the wire.
struct SeenPacket {
    let bytes: [UInt8]
    let header: RTPHeader
    let payload: [UInt8]
    let level: RTPAudioLevel?
    let transportSequence: UInt16?
    let mid: String?

    /// The blocks of RED, oldest first: how much earlier each is, and its media.
    var blocks: [(offset: Int, bytes: [UInt8])] {
        guard var red = try? REDPayload(parsing: self.payload.span) else { return [] }
        var blocks: [(Int, [UInt8])] = []
        while let block = red.next() { blocks.append((Int(block.timestampOffset), Array(self.payload[block.range]))) }
        return blocks
    }

    /// Its own sound, without copies of what was before.
    var opus: [UInt8] { self.header.payloadType == 63 ? self.blocks.last?.bytes ?? [] : self.payload }

    var key: TelephoneEvent? { try? TelephoneEvent(parsing: self.payload.span) }
}

extension MediaOutbox {
    /// Everything in it, which is gone from it then.
    mutating func takeAll() throws -> [SeenPacket] {
        defer { self.removeAll() }
        return try self.packets.map { packet in
            let bytes = self.withBytes(of: packet) { [UInt8](copying: $0) }
            let parsed = try RTPPacket(parsing: bytes.span)
            let mid = parsed.range(of: 4).map { String(decoding: bytes[$0], as: UTF8.self) }
            return SeenPacket(
                bytes: bytes, header: parsed.header, payload: [UInt8](copying: parsed.payload),
                level: parsed.audioLevel(1), transportSequence: parsed.transportSequence(3), mid: mid)
        }
    }
}

extension AudioSenderSettings {
    static func usual(_ change: (inout AudioSenderSettings) -> Void = { _ in }) -> AudioSenderSettings {
        var settings = AudioSenderSettings(ssrc: 7)
        settings.payloadTypes = AudioPayloadTypes(opus: 111, red: 63, telephoneEvent: 110)
        settings.extensions = RTPExtensionIDs(audioLevel: 1, mediaID: 4, transportSequence: 3)
        settings.mid = "0"
        settings.firstSequence = 65_534
        settings.firstTimestamp = 1000
        change(&settings)
        return settings
    }
}
