/// Stands between one microphone, one loudspeaker and the calls that share them: mixes what is heard, takes its echo out of
/// what is said, and gives that to every call. Calls are its clock: with each frame that all of them have heard, one is said.
package struct SoundDesk {
    /// One call.
    private struct Line {
        var said = SampleQueue(capacity: maximumWaiting)
        var heard = SampleQueue(capacity: maximumWaiting)
    }

    private var lines: [Int: Line] = [:]
    private var nextLine = 0
    private var microphone = DriftBuffer(target: microphoneTarget)
    private var loudspeaker = DriftBuffer(target: loudspeakerTarget)
    private let canceller: EchoCanceller
    /// Handed to the loudspeaker, and not heard by the microphone yet.
    private var far: [[Float]] = []
    /// Nothing is said, whatever the microphone hears.
    package var isMuted: Bool

    /// A tenth of a second: of a call that does not take what is said, the oldest is dropped.
    private static let maximumWaiting = 4800
    /// What came from the card and waits for the calls' clock: a piece of the card's is ten milliseconds.
    private static let microphoneTarget = SoundFrame.samples * 3 / 2
    private static let loudspeakerTarget = SoundFrame.samples * 3 / 2
    /// A microphone that is later than this is silent.
    private static let maximumDelayedFrames = 3
    /// A call that lacks this many frames is silent.
    private static let maximumLeadFrames = 2

    package init(_ settings: EchoCanceller.Settings = .init(), isMuted: Bool = false) {
        self.canceller = EchoCanceller(settings)
        self.isMuted = isMuted
    }
}

// MARK: - Calls

extension SoundDesk {
    package mutating func openLine() -> Int {
        defer { self.nextLine += 1 }
        self.lines[self.nextLine] = Line()
        return self.nextLine
    }

    package mutating func closeLine(_ line: Int) { self.lines[line] = nil }

    /// What a call lets hear; at best frame by frame.
    package mutating func heard(_ sound: Span<Float>, on line: Int) {
        self.lines[line]?.heard.append(sound)
        while self.hasFrame { self.passFrame() }
    }

    /// What is to be said in a call: as much as there is.
    package mutating func read(into sound: inout MutableSpan<Float>, on line: Int) -> Int {
        self.lines[line]?.said.read(into: &sound) ?? 0
    }

    /// All have something to hear, or one has waited for the others long enough.
    private var hasFrame: Bool {
        let counts = self.lines.values.map(\.heard.count)
        guard let most = counts.max(), let least = counts.min() else { return false }
        return least >= SoundFrame.samples || most >= Self.maximumLeadFrames * SoundFrame.samples
    }

    private mutating func passFrame() {
        var mix = [Float](repeating: 0, count: SoundFrame.samples)
        for line in self.lines.keys {
            guard let heard = self.lines[line]?.heard else { continue }
            for index in 0..<min(mix.count, heard.count) { mix[index] += heard[index] }
            self.lines[line]?.heard.drop(SoundFrame.samples)
        }
        for index in mix.indices { mix[index] = max(-1, min(1, mix[index])) }
        self.loudspeaker.append(mix.span)
        self.far.append(mix)
        self.sayFrames()
    }

    /// As many frames are said as were heard: each beside the one that went to the loudspeaker at its time.
    private mutating func sayFrames() {
        while let far = self.far.first {
            let isThere = self.microphone.holds(SoundFrame.samples)
            guard isThere || self.far.count > Self.maximumDelayedFrames else { return }
            self.far.removeFirst()
            self.say(besides: far, isThere: isThere)
        }
    }

    private mutating func say(besides far: [Float], isThere: Bool) {
        var frame = [Float](repeating: 0, count: SoundFrame.samples)
        var span = frame.mutableSpan
        self.microphone.read(into: &span)
        if isThere { self.canceller.process(&frame, hearing: far) }
        if self.isMuted { for index in frame.indices { frame[index] = 0 } }
        for line in self.lines.keys { self.lines[line]?.said.append(frame.span) }
    }
}

// MARK: - The card

extension SoundDesk {
    package mutating func captured(_ sound: Span<Float>) { self.microphone.append(sound) }

    /// What the loudspeaker plays next; false when that is still to come.
    ///
    /// - Parameter isDry: there is nothing to play any more, and silence is better than that.
    package mutating func play(into sound: inout MutableSpan<Float>, isDry: Bool) -> Bool {
        guard isDry || self.loudspeaker.holds(sound.count) else { return false }
        self.loudspeaker.read(into: &sound)
        return true
    }

    /// Another microphone begins.
    package mutating func microphoneChanged() { self.microphone.removeAll() }

    /// How far the clock of the card behind the microphone is from ours, and how often sound was lacking or cut.
    package var microphoneState: DriftBuffer { self.microphone }
    package var loudspeakerState: DriftBuffer { self.loudspeaker }
}
