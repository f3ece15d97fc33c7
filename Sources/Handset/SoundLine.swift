package import Sound
internal import Pathways

/// One call at the microphone and the loudspeaker.
package final class SoundLine: SoundFeed, SoundSink {
    private let station: SoundStation
    private let line: Int
    private let channels: Int
    private var mono: [Float] = []
    package private(set) var isOver = false

    /// - Parameter channels: of the call. Microphone and loudspeaker have one.
    package init(_ station: SoundStation, channels: Int = 1) {
        self.station = station
        self.line = station.openLine()
        self.channels = channels
    }

    package var hasMicrophone: Bool { self.station.hasMicrophone }
    package let isLive = true

    package func heard(_ sound: Span<Float>) {
        guard !self.isOver else { return }
        self.mono.removeAll(keepingCapacity: true)
        for moment in 0..<(sound.count / self.channels) {
            var sum: Float = 0
            for channel in 0..<self.channels { sum += sound[moment * self.channels + channel] }
            self.mono.append(sum / Float(self.channels))
        }
        let mono = self.mono
        self.station.heard(mono.span, on: self.line, at: SteadyClock.now)
    }

    package func read(into sound: inout MutableSpan<Float>) -> Int {
        guard self.channels > 1 else { return self.station.read(into: &sound, on: self.line) }
        self.mono.removeAll(keepingCapacity: true)
        self.mono.append(contentsOf: repeatElement(0, count: sound.count / self.channels))
        var span = self.mono.mutableSpan
        let moments = self.station.read(into: &span, on: self.line)
        for moment in 0..<moments {
            for channel in 0..<self.channels { sound[moment * self.channels + channel] = self.mono[moment] }
        }
        return moments * self.channels
    }

    package func finish() {
        self.isOver = true
        self.station.closeLine(self.line)
    }
}
