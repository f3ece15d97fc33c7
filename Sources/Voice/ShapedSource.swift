import Bytes
import AudioFiles

/// Any sound in another shape: as one channel, at another rate, louder, only a part of it.
final class ShapedSource: SoundSource {
    let format: SoundFormat
    var kind: String { self.source.kind }
    var damage: [Int] { self.source.damage }

    private let source: any SoundSource
    /// What each channel weighs in one; nil leaves the channels alone.
    private let weights: [Float]?
    private let resampler: Resampler?
    /// The samples of the source that count.
    private let range: Range<Int>
    private let gain: Float
    private var position = 0
    private var piece: [Float] = []
    private var shaped: [Float] = []
    private var isOver = false
    /// There was more sound after the range.
    private(set) var isCut = false
    /// Samples handed out, against those the rates ask for.
    private var given = 0

    init(
        _ source: any SoundSource, rate: Int, isMono: Bool, range: Range<Int>? = nil, gain: Float = 1
    ) throws {
        self.source = source
        let isMixed = isMono && source.format.channels > 1
        self.weights = isMixed ? source.format.speakers.monoWeights : nil
        self.range = range ?? 0..<Int.max
        self.gain = gain
        let speakers = isMixed ? Speakers(count: 1) : source.format.speakers
        self.format = SoundFormat(rate: rate, speakers: speakers)
        let isSame = source.format.rate == rate
        self.resampler = isSame ? nil : try Resampler(from: source.format.rate, to: rate, channels: speakers.count)
    }

    func read(into samples: inout [Float]) throws {
        samples.removeAll(keepingCapacity: true)
        while samples.isEmpty, !self.isOver {
            try self.source.read(into: &self.piece)
            if self.piece.isEmpty || self.position >= self.range.upperBound {
                try self.finish(into: &samples)
            } else {
                try self.take(into: &samples)
            }
        }
        self.given += samples.count / self.format.channels
    }

    private func take(into samples: inout [Float]) throws {
        let channels = self.source.format.channels
        let frames = self.piece.count / channels
        let from = min(frames, max(0, self.range.lowerBound - self.position))
        let upTo = max(from, min(frames, self.range.upperBound - self.position))
        self.position += frames
        self.isCut = self.isCut || self.position > self.range.upperBound
        let piece = self.piece
        let wanted = piece.span.extracting((from * channels)..<(upTo * channels))
        if self.weights == nil, self.gain == 1, let resampler = self.resampler {
            return try resampler.resample(wanted, into: &samples)
        }
        self.mixAndScale(wanted)
        guard let resampler = self.resampler else { return swap(&samples, &self.shaped) }
        let shaped = self.shaped
        try resampler.resample(shaped.span, into: &samples)
    }

    private func mixAndScale(_ samples: Span<Float>) {
        if let weights = self.weights {
            Downmix.mix(samples, weights: weights, into: &self.shaped)
        } else {
            self.shaped.removeAll(keepingCapacity: true)
            self.shaped.append(copying: samples)
        }
        guard self.gain != 1 else { return }
        for index in self.shaped.indices { self.shaped[index] = max(-1, min(1, self.shaped[index] * self.gain)) }
    }

    /// A resampler may end a sample early or late; the length of the recording decides.
    private func finish(into samples: inout [Float]) throws {
        self.isOver = true
        guard let resampler = self.resampler else { return }
        try resampler.finish(into: &samples)
        let frames = min(self.position, self.range.upperBound) - min(self.position, self.range.lowerBound)
        let total = (frames * self.format.rate + self.source.format.rate / 2) / self.source.format.rate
        let wanted = (total - self.given) * self.format.channels
        if samples.count > wanted { samples.removeLast(samples.count - max(0, wanted)) }
        if samples.count < wanted { samples.append(contentsOf: repeatElement(0, count: wanted - samples.count)) }
    }
}
