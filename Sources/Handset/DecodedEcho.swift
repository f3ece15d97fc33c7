internal import Bytes

/// Says again what is heard, as sound: decoded once and encoded once more, as a conference would.
package final class DecodedEcho: SoundFeed, SoundSink {
    private var waiting: [Float] = []

    /// Sound that waits longer is dropped, so that the echo stays close to the present.
    private static let maximumSamples = 48_000 / 5

    package init() {}

    package let isOver = false

    package func heard(_ sound: Span<Float>) {
        self.waiting.append(copying: sound)
        if self.waiting.count > Self.maximumSamples {
            self.waiting.removeFirst(self.waiting.count - Self.maximumSamples)
        }
    }

    package func read(into sound: inout MutableSpan<Float>) -> Int {
        let count = min(sound.count, self.waiting.count)
        for index in 0..<count { sound[index] = self.waiting[index] }
        self.waiting.removeFirst(count)
        return count
    }
}
