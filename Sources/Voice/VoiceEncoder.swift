import Bytes
import AudioFiles
import OpusCodec

/// Turns sound of one channel into an Ogg Opus file, as it comes.
package struct VoiceEncoder {
    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        case noSound

        package var description: String { "there is no sound in it" }
    }

    private let encoder: OpusEncoder
    private var writer: OggOpusWriter
    private var joiner = OpusPacketJoiner()
    private let framesPerPacket: Int
    private let keepsSize: Bool
    /// Samples at 48 kHz for each sample of the encoder.
    private let scale: Int
    private let frameSize: Int
    private let preSkip: Int
    /// Sound that is not yet a whole frame.
    private var waiting: [Float] = []
    private var packet: [UInt8] = []
    private var joined: [UInt8] = []
    /// Samples taken in, at the encoder's rate.
    package private(set) var sampleCount = 0
    private var framesEncoded = 0
    /// What has been written and not yet taken away.
    package var output: [UInt8] = []

    /// `inputRate` is the rate of the recording, for the head.
    package init(
        rate: Int, inputRate: Int, settings: VoiceSettings, serial: UInt32 = .random(in: .min ... .max)
    ) throws {
        self.encoder = try OpusEncoder(rate: rate, channels: 1, settings: settings.encoder)
        self.scale = OpusPacket.clockRate / rate
        self.frameSize = rate * settings.frame / 1000
        self.framesPerPacket = settings.framesPerPacket
        self.keepsSize = settings.encoder.rateControl == .constant
        self.preSkip = self.encoder.delay * self.scale
        let head = OpusHead(channels: 1, preSkip: self.preSkip, inputRate: UInt32(clamping: inputRate))
        let tags = OpusTags(vendor: OpusError.library, comments: ["ENCODER=parley voice"] + settings.comments)
        self.writer = OggOpusWriter(head: head, tags: tags, serial: serial)
        self.writer.start(into: &self.output)
    }

    package mutating func append(_ sound: Span<Float>) throws {
        self.sampleCount += sound.count
        var position = 0
        if !self.waiting.isEmpty {
            position = min(self.frameSize - self.waiting.count, sound.count)
            self.waiting.append(copying: sound.extracting(0..<position))
            guard self.waiting.count == self.frameSize else { return }
            try self.encodeWaiting()
        }
        while sound.count - position >= self.frameSize {
            try self.encode(sound.extracting(position..<(position + self.frameSize)))
            position += self.frameSize
        }
        self.waiting.append(copying: sound.extracting(position...))
    }

    /// Ends the file. The end of the sound is still inside the encoder, so silence is sent after it,
    /// and the last page says where the sound ends (RFC 7845 §4.4).
    package mutating func finish() throws {
        guard self.sampleCount > 0 else { throw Failure.noSound }
        let end = self.preSkip + self.sampleCount * self.scale
        while self.framesEncoded * self.frameSize * self.scale < end {
            let missing = self.frameSize - self.waiting.count
            self.waiting.append(contentsOf: repeatElement(0, count: missing))
            try self.encodeWaiting()
        }
        if !self.joiner.isEmpty { try self.endPacket() }
        self.writer.finish(endingAt: Int64(end), into: &self.output)
    }

    private mutating func encodeWaiting() throws {
        // Taken out while it is read, and put back: so its memory is used again.
        var frame: [Float] = []
        swap(&frame, &self.waiting)
        try self.encode(frame.span)
        frame.removeAll(keepingCapacity: true)
        swap(&frame, &self.waiting)
    }

    private mutating func encode(_ frame: Span<Float>) throws {
        try self.encoder.encode(frame, into: &self.packet)
        self.framesEncoded += 1
        let packet = self.packet
        guard self.framesPerPacket > 1 else {
            let duration = self.frameSize * self.scale
            return try self.writer.add(packet.span, duration: duration, into: &self.output)
        }
        if try !self.joiner.add(packet.span) {
            // The encoder went to another mode, and frames of two modes do not share a packet.
            try self.endPacket()
            _ = try self.joiner.add(packet.span)
        }
        if self.joiner.duration >= self.framesPerPacket * self.frameSize * self.scale { try self.endPacket() }
    }

    private mutating func endPacket() throws {
        let duration = self.joiner.duration
        self.joiner.take(into: &self.joined, keepingSize: self.keepsSize)
        let joined = self.joined
        try self.writer.add(joined.span, duration: duration, into: &self.output)
    }
}
