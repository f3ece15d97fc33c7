package import System
internal import Bytes
internal import Vocabulary

/// Everybody in a room and ourselves in one file of samples, each at their place in time: as it would be heard in the middle of them.
///
///     track   (none) ──its call stands──▶ live ──its call is over──▶ done
///
/// The file begins with the first call. The latest fifth of a second waits for what others have to add to it.
package final class RoomMixer {
    private let recorder: WAVRecorder
    private let channels: Int
    /// Those whose calls stand, in the order in which they came to; we are heard by the first.
    private var live: [Track] = []
    private var start: Instant?
    /// How many samples are written, of all channels together.
    private var written = 0
    /// What may still be added to, behind that.
    private var mix: [Float] = []

    /// A track that falls further behind the others is put where they are.
    private let maximumLag: Int
    private static let rate = 48_000
    /// An hour; after a longer time without anybody it is another conversation.
    private static let maximumGap = 3600

    package init(_ path: String, channels: Int = 1) throws(SystemError) {
        self.recorder = try WAVRecorder(path, channels: channels)
        self.channels = channels
        self.maximumLag = Self.rate / 5 * channels
    }

    /// Nobody was there yet.
    package var isEmpty: Bool { self.start == nil }

    /// For one more member: what is heard of them, and what is said to them.
    package func track() -> (heard: any SoundSink, said: any SoundSink) {
        let track = Track(self)
        return (track, track.own)
    }

    /// All have gone.
    package func finish() {
        self.live = []
        self.write(self.mix.count)
        self.recorder.finish()
    }

    fileprivate var failure: SystemError? { self.recorder.failure }

    fileprivate func began(_ track: Track, at moment: Instant) {
        let start = self.start ?? moment
        self.start = start
        let seconds = Double(max(0, start.duration(to: moment).clampedNanoseconds)) / 1e9
        let place = Int((seconds * Double(Self.rate)).rounded()) * self.channels
        if self.live.isEmpty { self.pass(to: place) }
        (track.place, track.own.place) = (place, place)
        self.live.append(track)
    }

    fileprivate func ended(_ track: Track) { self.live.removeAll { $0 === track } }

    fileprivate func isFirst(_ track: Track) -> Bool { self.live.first === track }

    /// Adds sound to what others are heard to say in the same moment.
    fileprivate func add(_ sound: Span<Float>, at place: inout Int) {
        let first = max(0, place - self.written)
        if first + sound.count > self.mix.count {
            self.mix.append(contentsOf: repeatElement(0, count: first + sound.count - self.mix.count))
        }
        for index in sound.indices { self.mix[first + index] += sound[index] }
        place = self.written + first + sound.count
    }

    fileprivate func writeWhatIsMixed() { self.write(self.mix.count - self.maximumLag) }

    private func write(_ count: Int) {
        guard count > 0 else { return }
        self.recorder.heard(self.mix.span.extracting(first: count))
        self.mix.removeFirst(count)
        self.written += count
    }

    /// Nobody was there for a while.
    private func pass(to place: Int) {
        guard place > self.written + self.mix.count else { return }
        self.write(self.mix.count)
        let silence = [Float](repeating: 0, count: Self.rate * self.channels)
        for _ in 0..<Self.maximumGap where self.written < place {
            let count = min(silence.count, place - self.written)
            self.recorder.heard(silence.span.extracting(first: count))
            self.written += count
        }
    }
}

/// What is heard of one member.
private final class Track: SoundSink {
    private let mixer: RoomMixer
    let own = Own()
    /// Where the next sample belongs, counted over all channels.
    var place = 0

    init(_ mixer: RoomMixer) {
        self.mixer = mixer
        self.own.track = self
    }

    var failure: SystemError? { self.mixer.failure }

    func began(at start: Instant) { self.mixer.began(self, at: start) }

    func heard(_ sound: Span<Float>) {
        self.mixer.add(sound, at: &self.place)
        self.mixer.writeWhatIsMixed()
    }

    func finish() { self.mixer.ended(self) }

    /// What is said to them. Of all to whom the same is said, one is enough.
    final class Own: SoundSink {
        weak var track: Track?
        var place = 0

        func heard(_ sound: Span<Float>) {
            guard let track = self.track else { return }
            guard track.mixer.isFirst(track) else { return self.place += sound.count }
            track.mixer.add(sound, at: &self.place)
        }
    }
}
