#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A pure tone, for measuring.
package final class ToneFeed: SoundFeed {
    private let step: Double
    private var phase = 0.0

    package init(hertz: Double) {
        self.step = 2 * Double.pi * hertz / 48_000
    }

    package let isOver = false

    package func read(into sound: inout MutableSpan<Float>) -> Int {
        for index in sound.indices {
            sound[index] = Float(0.5 * sin(self.phase))
            self.phase += self.step
        }
        self.phase.formTruncatingRemainder(dividingBy: 2 * Double.pi)
        return sound.count
    }
}
