import System
import Bytes

/// The highest point of the curve between the samples: four-fold oversampling (BS.1770-4, annex 2).
package struct TruePeakMeter: Sendable {
    private static let taps = 12

    /// For each tap, its coefficient in each of the four phases: a windowed sinc of 49 points.
    private static let coefficients: [SIMD4<Float>] = (0..<Self.taps).map { tap in
        var phases = SIMD4<Float>()
        for phase in 0..<4 {
            let place = Double(tap * 4 + phase) - 24
            let angle = place * Double.pi / 4
            let sinc = place == 0 ? 1 : Math.sine(angle) / angle
            phases[phase] = Float(sinc * 0.5 * (1 + Math.cosine(Double.pi * place / 24.5)))
        }
        return phases
    }

    private var history: [Float] = Array(repeating: 0, count: Self.taps)
    private var window: [Float] = []
    package private(set) var peak: Float = 0

    package init() {}

    /// Samples of one channel.
    package mutating func add(_ samples: Span<Float>) {
        self.window.removeAll(keepingCapacity: true)
        self.window.append(contentsOf: self.history)
        self.window.append(copying: samples)
        self.history.removeAll(keepingCapacity: true)
        self.history.append(contentsOf: self.window.suffix(Self.taps))
        self.peak = max(self.peak, Self.highest(in: self.window.span, coefficients: Self.coefficients.span))
    }

    private static func highest(in window: Span<Float>, coefficients: Span<SIMD4<Float>>) -> Float {
        var highest = SIMD4<Float>()
        for end in self.taps..<max(self.taps, window.count) {
            var sum = SIMD4<Float>()
            for tap in 0..<self.taps { sum += coefficients[tap] * window[end - tap] }
            highest = pointwiseMax(highest, pointwiseMax(sum, -sum))
        }
        return highest.max()
    }
}
