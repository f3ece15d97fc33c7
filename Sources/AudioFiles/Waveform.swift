import System

/// The outline of a recording, and the forms in which messengers pass it along.
package struct Waveform: Hashable, Sendable {
    package struct Bar: Hashable, Sendable {
        /// The largest absolute sample, full scale being 1.
        package var peak: Float
        /// The mean of absolute samples.
        package var mean: Float
        package var meanSquare: Float

        package init(peak: Float, mean: Float, meanSquare: Float) {
            self.peak = peak
            self.mean = mean
            self.meanSquare = meanSquare
        }

        /// The level in dB, 0 being full scale; never below -60.
        package var decibels: Float {
            self.meanSquare > 1e-6 ? 10 * Math.log10(self.meanSquare) : -60
        }
    }

    package var bars: [Bar]
    /// In samples.
    package var duration: Int

    package init(bars: [Bar], duration: Int) {
        self.bars = bars
        self.duration = duration
    }

    /// Our own form: one byte a bar, 0 at -60 dB and below, 255 at full scale.
    package var levels: [UInt8] {
        self.bars.map { Self.byte(($0.decibels + 60) / 60) }
    }

    /// What a message of ours says of its sound: how high each bar is drawn, of a hundred. A voice at an arm's length fills it.
    package var message: [UInt8] {
        self.bars.map { UInt8((min(1, $0.meanSquare.squareRoot() * 3) * 100).rounded()) }
    }

    /// Telegram: 5 bits a bar, little end first, in 63 bytes for 100 bars. Full height is 1.8 times the
    /// mean of the peaks, but at least 2500 of 32768, so that noise stays flat.
    package var telegram: [UInt8] {
        let peaks = self.bars.map { Int(min($0.peak, 1) * 32767) }
        let mean = Float(peaks.reduce(0, +)) / Float(max(1, peaks.count))
        let top = max(2500, Int(mean * 1.8))
        var bytes = [UInt8](repeating: 0, count: peaks.count * 5 / 8 + 1)
        for (index, peak) in peaks.enumerated() {
            let value = UInt16(min(31, min(peak, top) * 31 / top)) << UInt16(index * 5 % 8)
            let place = index * 5 / 8
            bytes[place] |= UInt8(truncatingIfNeeded: value)
            if place + 1 < bytes.count { bytes[place + 1] |= UInt8(value >> 8) }
        }
        return bytes
    }

    /// WhatsApp: the mean of each bar against the loudest bar, 0 to 100.
    package var whatsApp: [UInt8] {
        self.relativeMeans.map { UInt8($0 * 100) }
    }

    /// Discord: 0 to 255 against the loudest bar.
    package var discord: [UInt8] {
        self.relativeMeans.map { Self.byte($0) }
    }

    /// Matrix: 0 to 1024 against the loudest bar.
    package var matrix: [Int] {
        self.relativeMeans.map { Int(($0 * 1024).rounded()) }
    }

    /// Discord takes at most 256 bars, and one for every 100 ms at most.
    package static func discordBars(samples: Int, rate: Int) -> Int {
        max(1, min(256, samples / max(1, rate / 10)))
    }

    private var relativeMeans: [Float] {
        let loudest = self.bars.reduce(0) { max($0, $1.mean) }
        return self.bars.map { loudest > 0 ? min(1, $0.mean / loudest) : 0 }
    }

    private static func byte(_ share: Float) -> UInt8 {
        UInt8((max(0, min(1, share)) * 255).rounded())
    }

    /// A drawing of one line, one bar a character.
    package var drawing: String {
        let steps = Array(" ▁▂▃▄▅▆▇█")
        // Speech lives in the upper 45 dB.
        return String(
            self.bars.map { bar in
                steps[Int((max(0, min(1, (bar.decibels + 50) / 45)) * Float(steps.count - 1)).rounded())]
            })
    }
}
