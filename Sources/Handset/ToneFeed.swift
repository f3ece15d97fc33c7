import System

/// A pure tone, for measuring; the same on all channels.
package final class ToneFeed: SoundFeed {
    private let channels: Int
    private let step: Double
    private var phase = 0.0

    package init(hertz: Double, channels: Int = 1) {
        self.channels = channels
        self.step = 2 * Double.pi * hertz / 48_000
    }

    package let isOver = false

    package func read(into sound: inout MutableSpan<Float>) -> Int {
        for moment in 0..<(sound.count / self.channels) {
            let sample = Float(0.5 * Math.sine(self.phase))
            for channel in 0..<self.channels { sound[moment * self.channels + channel] = sample }
            self.phase += self.step
        }
        self.phase.formTruncatingRemainder(dividingBy: 2 * Double.pi)
        return sound.count
    }
}
