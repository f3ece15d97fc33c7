/// Everything there is to know about the sound of a recording, measured while it passes by.
package struct SoundMeter: Sendable {
    /// Silence is counted in pieces of 20 ms …
    private static let piecesPerSecond = 50
    /// … whose level is below -50 dB.
    package static let silence: Float = 1e-5

    private let format: SoundFormat
    private let weights: [Float]
    private var loudness: LoudnessMeter
    private var truePeaks: [TruePeakMeter]
    private var waveformMeter = WaveformMeter()
    private var mono: [Float] = []

    private var pieceEnergy: Float = 0
    private var pieceCount = 0
    private var pieces = 0
    private var silentPieces = 0
    private var firstSound: Int?
    private var lastSound = 0

    /// Samples of each channel so far.
    package private(set) var frames = 0
    /// The largest absolute sample.
    package private(set) var peak: Float = 0

    package init(format: SoundFormat) {
        self.format = format
        self.weights = format.speakers.monoWeights
        self.loudness = LoudnessMeter(format: format)
        self.truePeaks = Array(repeating: TruePeakMeter(), count: format.channels)
    }

    /// Samples of all channels, one after the other for each moment.
    package mutating func add(_ samples: Span<Float>) {
        let frames = samples.count / self.format.channels
        self.frames += frames
        self.loudness.add(samples)
        self.measurePeaks(samples, frames: frames)
        for index in samples.indices { self.peak = max(self.peak, abs(samples[index])) }
        guard self.format.channels > 1 else { return self.addMono(samples) }
        Downmix.mix(samples, weights: self.weights, into: &self.mono)
        // Taken out for a moment, so that the compiler sees that the mix does not change with the meter.
        let mono = self.mono
        self.mono = []
        self.addMono(mono.span)
        self.mono = mono
    }

    private mutating func measurePeaks(_ samples: Span<Float>, frames: Int) {
        let channels = self.format.channels
        guard channels > 1 else { return self.truePeaks[0].add(samples) }
        var channel: [Float] = []
        channel.reserveCapacity(frames)
        for index in 0..<channels {
            channel.removeAll(keepingCapacity: true)
            for frame in 0..<frames { channel.append(samples[frame * channels + index]) }
            self.truePeaks[index].add(channel.span)
        }
    }

    private mutating func addMono(_ samples: Span<Float>) {
        self.waveformMeter.add(samples)
        let width = max(1, self.format.rate / Self.piecesPerSecond)
        for index in samples.indices {
            let sample = samples[index]
            self.pieceEnergy += sample * sample
            self.pieceCount += 1
            if self.pieceCount == width { self.endPiece() }
        }
    }

    private mutating func endPiece() {
        self.pieces += 1
        if self.pieceEnergy < Self.silence * Float(self.pieceCount) {
            self.silentPieces += 1
        } else {
            if self.firstSound == nil { self.firstSound = (self.pieces - 1) * self.pieceCount }
            self.lastSound = self.pieces * self.pieceCount
        }
        self.pieceEnergy = 0
        self.pieceCount = 0
    }

    /// Which of the `frames` are left when silence at both ends goes; nil when all is silence.
    package var soundRange: Range<Int>? {
        self.firstSound.map { $0..<self.lastSound }
    }

    /// The share of the recording that is silent, 0 to 1.
    package var silentShare: Double {
        self.pieces > 0 ? Double(self.silentPieces) / Double(self.pieces) : 0
    }

    /// In LUFS; nil for silence and for less than 400 ms.
    package var integratedLoudness: Double? { self.loudness.integrated }

    /// The highest point of the curve between the samples, in any channel.
    package var truePeak: Float { self.truePeaks.reduce(self.peak) { max($0, $1.peak) } }

    package func waveform(_ bars: Int) -> Waveform { self.waveformMeter.bars(bars) }
}
