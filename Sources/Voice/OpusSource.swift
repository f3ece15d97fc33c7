import AudioFiles
import OpusCodec

/// The sound of a file with Opus packets in it.
final class OpusSource: SoundSource {
    let format: SoundFormat
    var kind: String { "\(self.file.container) Opus" }
    var damage: [Int] { self.file.damage + self.badPackets }

    private let file: OpusFile
    private let decoders: Decoders
    /// Room for the longest packet.
    private var room: [Float]
    /// Where packets were that libopus refused.
    private var badPackets: [Int] = []
    private var gapLeft = 0
    /// Samples of each channel that are not wanted, at the rate of this source.
    private var unwanted = 0
    /// So much in front of what is wanted is decoded.
    private var preRoll = 0
    private var budget = SoundBudget()

    /// Decodes at `rate` when Opus can, and at 48 kHz otherwise; nil means the rate of the recording.
    init(_ file: OpusFile, rate: Int? = nil) throws {
        let wanted = rate ?? Int(file.head.inputRate)
        let rate = OpusEncoder.rates.contains(wanted) ? wanted : OpusPacket.clockRate
        self.file = file
        self.format = SoundFormat(rate: rate, speakers: Speakers(vorbisOrder: file.head.channels))
        self.decoders = try Decoders(head: file.head, rate: rate)
        self.room = Array(repeating: 0, count: OpusPacket.maximumDuration * file.head.channels)
    }

    /// A decoder has to have heard 80 ms before what it gives is right (RFC 7845 §4.6). For what it gives to be the same to the sample it
    /// has to have heard a breath or a hiss: a voice that never stops is predicted from what it was before. Ten minutes take half a second.
    static let usualPreRoll = 600

    /// Leaves out so much of what is about to come.
    /// - Parameter preRoll: of this, so many seconds are decoded.
    func skip(_ samples: Int, preRoll: Int = OpusSource.usualPreRoll) {
        self.unwanted = samples
        self.preRoll = preRoll * self.format.rate
    }

    func read(into samples: inout [Float]) throws {
        samples.removeAll(keepingCapacity: true)
        while samples.isEmpty {
            if self.gapLeft > 0 {
                try self.conceal(into: &samples)
            } else {
                switch try self.file.next() {
                case .packet(let packet): try self.decode(packet, into: &samples)
                case .gap(let samples): self.gapLeft = samples
                case .head(let head): try self.decoders.startOver(head: head)
                case .tags, .damage: break
                case nil: return
                }
            }
            self.drop(from: &samples)
        }
    }

    private func drop(from samples: inout [Float]) {
        let count = min(self.unwanted, samples.count / self.format.channels)
        guard count > 0 else { return }
        samples.removeFirst(count * self.format.channels)
        self.unwanted -= count
    }

    /// Whether so much can be left out without being decoded.
    private func passes(_ samples: Int) -> Bool {
        guard self.unwanted - samples >= self.preRoll else { return false }
        self.unwanted -= samples
        return true
    }

    private func decode(_ packet: OpusFilePacket, into samples: inout [Float]) throws {
        let whole = packet.duration * self.format.rate / OpusPacket.clockRate
        if self.passes(self.heard(of: packet, among: whole).count) { return }
        try self.budget.spend(packet.duration * self.format.channels, for: packet.bytes.count, at: packet.offset)
        var decoded = 0
        do throws(OpusError) {
            decoded = try self.decoders.decode(packet.bytes, duration: packet.duration, into: &self.room)
        } catch {
            guard error == .invalidPacket else { throw error }
            if self.badPackets.count < OpusFile.maximumDamages { self.badPackets.append(packet.offset) }
            decoded = try self.decoders.decode(nil, duration: packet.duration, into: &self.room)
        }
        let heard = self.heard(of: packet, among: decoded)
        let channels = self.format.channels
        samples.append(contentsOf: self.room[(heard.lowerBound * channels)..<(heard.upperBound * channels)])
    }

    /// Which of the samples of a packet count, at the rate of this source.
    private func heard(of packet: OpusFilePacket, among decoded: Int) -> Range<Int> {
        let start = min(self.atRate(packet.heard.lowerBound), decoded)
        return start..<min(max(start, self.atRate(packet.heard.upperBound)), decoded)
    }

    private func conceal(into samples: inout [Float]) throws {
        let duration = min(self.gapLeft, 960)
        self.gapLeft -= duration
        // Opus counts in steps of 2.5 ms; a shorter rest cannot be made up.
        guard duration >= 120 else { return }
        if self.passes(duration / 120 * 120 * self.format.rate / OpusPacket.clockRate) { return }
        let decoded = try self.decoders.decode(nil, duration: duration / 120 * 120, into: &self.room)
        samples.append(contentsOf: self.room[0..<(decoded * self.format.channels)])
    }

    /// Samples at 48 kHz as samples at the rate of this source, to the nearest.
    private func atRate(_ samples: Int) -> Int {
        (samples * self.format.rate + OpusPacket.clockRate / 2) / OpusPacket.clockRate
    }
}

/// How much sound may come out of so many bytes. A packet of one byte is an eighth of a second in as many channels as a header
/// says: a file of a megabyte would fill a disk.
private struct SoundBudget {
    /// Samples of all channels. Silence that a telephone sends as packets of a byte stays far below.
    private static let samplesPerByte = 6_000
    /// For what is small anyway: most of a minute of two channels.
    private var left = 1 << 22

    mutating func spend(_ samples: Int, for bytes: Int, at offset: Int) throws(AudioFileError) {
        // Each packet has a byte for its length in the page as well.
        self.left += (bytes + 1) * Self.samplesPerByte - samples
        guard self.left >= 0 else { throw AudioFileError(.tooMuchSound, at: offset) }
    }
}

/// The decoder for one layout of channels, whichever of the two libopus has for it.
private final class Decoders {
    private let rate: Int
    private let channels: Int
    private var plain: OpusDecoder?
    private var surround: OpusSurroundDecoder?

    init(head: OpusHead, rate: Int) throws(OpusError) {
        self.rate = rate
        self.channels = head.channels
        try self.startOver(head: head)
    }

    /// A new stream of a chained file. The number of channels stays as it was; where both are mono or
    /// stereo, libopus makes one out of the other.
    func startOver(head: OpusHead) throws(OpusError) {
        self.plain = nil
        self.surround = nil
        if let mapping = head.mapping {
            guard head.channels == self.channels else { throw .badArgument }
            let decoder = try OpusSurroundDecoder(
                rate: self.rate, streams: mapping.streams, coupled: mapping.coupled, mapping: mapping.table)
            try decoder.setGain(head.gain)
            self.surround = decoder
        } else {
            let decoder = try OpusDecoder(rate: self.rate, channels: self.channels)
            try decoder.setGain(head.gain)
            self.plain = decoder
        }
    }

    /// Decodes a packet, or makes one up, over the front of `room`; `duration` is in samples at 48 kHz.
    func decode(_ packet: [UInt8]?, duration: Int, into room: inout [Float]) throws(OpusError) -> Int {
        let samples = duration * self.rate / OpusPacket.clockRate
        var sound = room.mutableSpan
        if let surround = self.surround {
            return try surround.decode(packet?.span, samples: samples, into: &sound)
        }
        guard let plain = self.plain else { return 0 }
        guard let packet else { return try plain.conceal(samples, into: &sound) }
        return try plain.decode(packet.span, into: &sound)
    }
}
