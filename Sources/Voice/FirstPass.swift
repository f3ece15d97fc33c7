import System
import AudioFiles

/// A first look at a whole recording: how loud it is and where its sound begins and ends.
struct FirstPass {
    /// What is left standing before and after the sound when silence is trimmed, in seconds.
    private static let margin = 0.1
    /// Peaks stay below this, in dB: room for what a decoder adds.
    private static let ceiling = -1.0

    private let meter: SoundMeter
    private let rate: Int

    /// Reads all of `source`, as one channel: that is what will be encoded.
    init(of source: any SoundSource, meter progress: ProgressMeter) throws {
        var progress = progress
        let mono = try ShapedSource(source, rate: source.format.rate, isMono: true)
        var meter = SoundMeter(format: mono.format)
        var samples: [Float] = []
        while true {
            try mono.read(into: &samples)
            guard !samples.isEmpty else { break }
            meter.add(samples.span)
            // The sound is counted when it is encoded; here only the reading counts.
            progress.soundPassed(0, rate: mono.format.rate)
        }
        self.meter = meter
        self.rate = mono.format.rate
    }

    struct Boost: Hashable {
        var decibels: Double
        var isLimitedByPeak: Bool
        var factor: Float { Float(Math.power(10, self.decibels / 20)) }
    }

    /// What brings the recording to `loudness`; nil when there is nothing to hear.
    func gain(to loudness: Double) -> Boost? {
        guard let measured = self.meter.integratedLoudness else { return nil }
        let wanted = loudness - measured
        let room = Self.ceiling - 20 * Math.log10(Double(self.meter.truePeak))
        return Boost(decibels: min(wanted, room), isLimitedByPeak: room < wanted)
    }

    /// The samples between the silences at both ends; nil when all is silence.
    var soundRange: Range<Int>? {
        guard let sound = self.meter.soundRange else { return nil }
        let margin = Int(Self.margin * Double(self.rate))
        return max(0, sound.lowerBound - margin)..<min(self.meter.frames, sound.upperBound + margin)
    }
}
