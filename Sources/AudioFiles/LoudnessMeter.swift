import System

/// Integrated loudness by EBU R128 (ITU-R BS.1770-4), in constant memory.
///
/// The gates need the energy of every 400 ms block at the end; blocks are kept as a histogram of
/// hundredths of a loudness unit, so ten hours take no more room than ten seconds.
package struct LoudnessMeter: Sendable {
    /// Blocks quieter than this never count.
    private static let absoluteGate = -70.0
    private static let binsPerUnit = 100
    private static let binCount = 80 * Self.binsPerUnit

    private let weights: [Double]
    private var filters: [KWeighting]
    /// Samples in a tenth of a second: blocks overlap by three quarters.
    private let step: Int
    private var stepCount = 0
    private var energy = 0.0
    private var recent: [Double] = []
    private var blocks = [Int](repeating: 0, count: Self.binCount)
    private var energies = [Double](repeating: 0, count: Self.binCount)

    package init(format: SoundFormat) {
        self.weights = format.speakers.loudnessWeights
        self.filters = Array(repeating: KWeighting(rate: Double(format.rate)), count: format.channels)
        self.step = max(1, (format.rate + 5) / 10)
    }

    /// Samples of all channels, one after the other for each moment.
    package mutating func add(_ samples: Span<Float>) {
        let channels = self.filters.count
        var position = 0
        while position < samples.count {
            let frames = min(self.step - self.stepCount, (samples.count - position) / channels)
            guard frames > 0 else { return }
            for channel in 0..<channels where self.weights[channel] > 0 {
                let squares = self.filters[channel].energy(
                    of: samples, from: position + channel, count: frames, stride: channels)
                self.energy += self.weights[channel] * squares
            }
            position += frames * channels
            self.stepCount += frames
            if self.stepCount == self.step { self.endStep() }
        }
    }

    private mutating func endStep() {
        self.recent.append(self.energy / Double(self.step))
        self.energy = 0
        self.stepCount = 0
        guard self.recent.count == 4 else { return }
        let block = self.recent.reduce(0, +) / 4
        self.recent.removeFirst()
        let loudness = Self.loudness(of: block)
        guard loudness >= Self.absoluteGate else { return }
        let bin = min(Self.binCount - 1, Int((loudness - Self.absoluteGate) * Double(Self.binsPerUnit)))
        self.blocks[bin] += 1
        self.energies[bin] += block
    }

    /// In LUFS; nil when nothing was loud enough, or long enough, to count.
    package var integrated: Double? {
        guard let ungated = self.mean(from: 0) else { return nil }
        let gate = Self.loudness(of: ungated) - 10
        let bin = max(0, Int(((gate - Self.absoluteGate) * Double(Self.binsPerUnit)).rounded(.up)))
        return self.mean(from: bin).map(Self.loudness(of:))
    }

    private func mean(from bin: Int) -> Double? {
        guard bin < Self.binCount else { return nil }
        let count = self.blocks[bin...].reduce(0, +)
        return count > 0 ? self.energies[bin...].reduce(0, +) / Double(count) : nil
    }

    private static func loudness(of energy: Double) -> Double {
        energy > 0 ? -0.691 + 10 * Math.log10(energy) : -.infinity
    }
}

/// The two filters that stand for head and ear (BS.1770-4, annex 1), for any sampling rate.
struct KWeighting: Sendable {
    private struct Biquad {
        var b0 = 0.0
        var b1 = 0.0
        var b2 = 0.0
        var a1 = 0.0
        var a2 = 0.0
        var z1 = 0.0
        var z2 = 0.0

        @inline(__always)
        mutating func filter(_ input: Double) -> Double {
            let output = self.b0 * input + self.z1
            self.z1 = self.b1 * input - self.a1 * output + self.z2
            self.z2 = self.b2 * input - self.a2 * output
            return output
        }
    }

    private var shelf = Biquad()
    private var highPass = Biquad()

    /// The standard gives coefficients for 48 kHz only; these are the analogue filters behind them.
    init(rate: Double) {
        let shelf = (Math.tangent(Double.pi * 1681.974450955533 / rate), 0.7071752369554196)
        let high = Math.power(10.0, 3.999843853973347 / 20)
        let band = Math.power(high, 0.4996667741545416)
        let scale = 1 + shelf.0 / shelf.1 + shelf.0 * shelf.0
        self.shelf.b0 = (high + band * shelf.0 / shelf.1 + shelf.0 * shelf.0) / scale
        self.shelf.b1 = 2 * (shelf.0 * shelf.0 - high) / scale
        self.shelf.b2 = (high - band * shelf.0 / shelf.1 + shelf.0 * shelf.0) / scale
        self.shelf.a1 = 2 * (shelf.0 * shelf.0 - 1) / scale
        self.shelf.a2 = (1 - shelf.0 / shelf.1 + shelf.0 * shelf.0) / scale
        let pass = (Math.tangent(Double.pi * 38.13547087602444 / rate), 0.5003270373238773)
        let passScale = 1 + pass.0 / pass.1 + pass.0 * pass.0
        (self.highPass.b0, self.highPass.b1, self.highPass.b2) = (1, -2, 1)
        self.highPass.a1 = 2 * (pass.0 * pass.0 - 1) / passScale
        self.highPass.a2 = (1 - pass.0 / pass.1 + pass.0 * pass.0) / passScale
    }

    /// The sum of squares of every `stride`th sample after both filters.
    mutating func energy(of samples: Span<Float>, from start: Int, count: Int, stride: Int) -> Double {
        var sum = 0.0
        var index = start
        for _ in 0..<count {
            let weighted = self.highPass.filter(self.shelf.filter(Double(samples[index])))
            sum += weighted * weighted
            index += stride
        }
        return sum
    }
}
