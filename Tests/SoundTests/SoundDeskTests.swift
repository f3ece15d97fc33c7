import Sound
import Testing

@Suite("One microphone and one loudspeaker for many calls")
struct SoundDeskTests {
    private static let plain: EchoCanceller.Settings = {
        var settings = EchoCanceller.Settings()
        (settings.cancelsEcho, settings.suppressesNoise) = (false, false)
        return settings
    }()

    private static func frame(_ level: Float) -> [Float] { [Float](repeating: level, count: SoundFrame.samples) }

    private static func hear(_ level: Float, _ desk: inout SoundDesk, on line: Int) {
        let sound = self.frame(level)
        desk.heard(sound.span, on: line)
    }

    private static func capture(_ level: Float, _ desk: inout SoundDesk) {
        let sound = self.frame(level)
        desk.captured(sound.span)
    }

    /// What the loudspeaker plays next; nil when that is still to come.
    private static func play(_ desk: inout SoundDesk, isDry: Bool = false) -> Float? {
        var sound = self.frame(-1)
        var span = sound.mutableSpan
        return desk.play(into: &span, isDry: isDry) ? sound[100] : nil
    }

    private static func read(_ desk: inout SoundDesk, on line: Int) -> [Float] {
        var sound = [Float](repeating: -1, count: 4 * SoundFrame.samples)
        var span = sound.mutableSpan
        let count = desk.read(into: &span, on: line)
        return stride(from: 0, to: count, by: SoundFrame.samples).map { sound[$0 + 100] }
    }

    @Test("A call hears the microphone frame by frame, as often as it plays one")
    func speaks() {
        var desk = SoundDesk(Self.plain)
        let line = desk.openLine()
        for level in [Float(0.1), 0.2] { Self.capture(level, &desk) }
        #expect(Self.read(&desk, on: line).isEmpty)
        Self.hear(0, &desk, on: line)
        #expect(Self.read(&desk, on: line) == [0.1])
        Self.capture(0.3, &desk)
        Self.hear(0, &desk, on: line)
        #expect(Self.read(&desk, on: line) == [0.2])
    }

    @Test("A microphone that is late is waited for, and then silent")
    func waits() {
        var desk = SoundDesk(Self.plain)
        let line = desk.openLine()
        for _ in 0..<3 { Self.hear(0, &desk, on: line) }
        #expect(Self.read(&desk, on: line).isEmpty)
        Self.hear(0, &desk, on: line)
        #expect(Self.read(&desk, on: line) == [0])
        for _ in 0..<2 { Self.capture(0.1, &desk) }
        Self.hear(0, &desk, on: line)
        #expect(Self.read(&desk, on: line) == [0.1])
    }

    @Test("A muted microphone says silence")
    func mutes() {
        var desk = SoundDesk(Self.plain, isMuted: true)
        let line = desk.openLine()
        for _ in 0..<2 { Self.capture(0.1, &desk) }
        Self.hear(0, &desk, on: line)
        #expect(Self.read(&desk, on: line) == [0])
        desk.isMuted = false
        Self.capture(0.1, &desk)
        Self.hear(0, &desk, on: line)
        #expect(Self.read(&desk, on: line) == [0.1])
    }

    @Test("Calls are mixed for the loudspeaker, without running over")
    func mixes() {
        var desk = SoundDesk(Self.plain)
        let (first, second) = (desk.openLine(), desk.openLine())
        func hear(_ left: Float, _ right: Float) {
            Self.hear(left, &desk, on: first)
            Self.hear(right, &desk, on: second)
        }
        hear(0.25, 0.5)
        hear(0.75, 0.5)
        #expect(Self.play(&desk) == 0.75)
        hear(0, 0)
        #expect(Self.play(&desk) == 1)
    }

    @Test("A call that lets nothing be heard holds up no other")
    func goesOnWithout() {
        var desk = SoundDesk(Self.plain)
        let (talking, stalled) = (desk.openLine(), desk.openLine())
        for _ in 0..<5 { Self.hear(0.25, &desk, on: talking) }
        #expect(Self.play(&desk) == 0.25)
        for _ in 0..<5 { Self.capture(0.1, &desk) }
        Self.hear(0.25, &desk, on: talking)
        #expect(Self.read(&desk, on: talking) == Self.read(&desk, on: stalled))
        desk.closeLine(stalled)
        Self.hear(0.25, &desk, on: talking)
        #expect(Self.read(&desk, on: stalled).isEmpty)
    }

    @Test("A loudspeaker is given silence only when it has run dry")
    func neverStarves() {
        var desk = SoundDesk(Self.plain)
        let line = desk.openLine()
        Self.hear(0.25, &desk, on: line)
        #expect(Self.play(&desk) == nil)
        #expect(Self.play(&desk, isDry: true) == 0)
    }
}
