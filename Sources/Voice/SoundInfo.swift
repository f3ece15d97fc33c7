import System
package import AudioFiles
import SoundFiles

/// Everything `parley voice info` tells about a recording.
package struct SoundInfo: Sendable {
    package struct OpusFacts: Hashable, Sendable {
        package var head: OpusHead
        package var tags: OpusTags?
        package var packetCount: Int
        /// Of all packets together, in samples at 48 kHz.
        package var packetDuration: Int
        /// The bit rate of the packets alone.
        package var bitRate: Int
    }

    package let input: String
    package let kind: String
    package let format: SoundFormat
    /// Of each channel.
    package let samples: Int
    package let bytes: Int?
    package let opus: OpusFacts?
    package let damage: [Int]
    private let meter: SoundMeter

    package init(of input: VoiceInput, raw: RawFormat? = nil, listener: ProgressListener? = nil) throws {
        let file = try input.open()
        let source: any SoundSource
        var opusFile: OpusFile?
        switch try SoundOpener.open(file, raw: raw) {
        case .sound(let sound): source = sound
        case .opus(let opus):
            opusFile = opus
            source = try OpusSource(opus, rate: OpusPacket.clockRate)
        }
        var meter = SoundMeter(format: source.format)
        var progress = ProgressMeter(file, listener: listener)
        var samples: [Float] = []
        while true {
            try source.read(into: &samples)
            guard !samples.isEmpty else { break }
            meter.add(samples.span)
            progress.soundPassed(samples.count / source.format.channels, rate: source.format.rate)
        }
        self.input = input.name
        self.kind = source.kind
        self.format = source.format
        self.samples = meter.frames
        self.bytes = file.size
        self.damage = source.damage
        self.opus = opusFile.map(OpusFacts.init(of:))
        self.meter = meter
    }

    package var seconds: Double { Double(self.samples) / Double(self.format.rate) }
    /// In bits per second, container included; nil for a pipe.
    package var bitRate: Int? {
        guard let bytes = self.bytes, self.samples > 0 else { return nil }
        return Int((Double(bytes) * 8 / self.seconds).rounded())
    }

    /// In LUFS; nil for silence and for less than 400 ms.
    package var loudness: Double? { self.meter.integratedLoudness }
    /// In dB below full scale; nil for digital silence.
    package var samplePeak: Double? { Self.decibels(self.meter.peak) }
    package var truePeak: Double? { Self.decibels(self.meter.truePeak) }
    /// 0 to 1.
    package var silentShare: Double { self.meter.silentShare }

    package func waveform(_ bars: Int) -> Waveform { self.meter.waveform(bars) }

    /// The bars in the number Discord takes.
    package var discordWaveform: Waveform {
        self.meter.waveform(Waveform.discordBars(samples: self.samples, rate: self.format.rate))
    }

    private static func decibels(_ level: Float) -> Double? {
        level > 0 ? 20 * Math.log10(Double(level)) : nil
    }
}

extension SoundInfo.OpusFacts {
    fileprivate init(of file: OpusFile) {
        let seconds = Double(file.packetDuration) / Double(OpusPacket.clockRate)
        self.head = file.head
        self.tags = file.tags
        self.packetCount = file.packetCount
        self.packetDuration = file.packetDuration
        self.bitRate = seconds > 0 ? Int((Double(file.packetBytes) * 8 / seconds).rounded()) : 0
    }
}
