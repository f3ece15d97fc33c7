import Handset
import Testing

@Suite("A detector")
struct ListenerTests {
    private static func listen(_ level: Float, _ pieces: Int) -> LevelDetector {
        let detector = LevelDetector()
        let sound = (0..<480).map { $0.isMultiple(of: 2) ? level : -level }
        for _ in 0..<pieces { detector.heard(sound.span) }
        return detector
    }

    @Test(
        "tells sound from silence",
        arguments: [(0.5, true), (0.01, true), (0.003, false), (0, false)] as [(Float, Bool)])
    func levels(level: Float, isSound: Bool) {
        let detector = Self.listen(level, 100)
        #expect(detector.hasHeardSound == isSound)
        #expect(abs(detector.level - level) < 0.001 && detector.samples == 48_000)
    }

    @Test("takes a click for a click")
    func clicks() {
        #expect(!Self.listen(0.5, 19).hasHeardSound)
        #expect(Self.listen(0.5, 20).hasHeardSound)
    }

    @Test("is not disturbed by nothing")
    func nothing() {
        let detector = LevelDetector()
        detector.heard([Float]().span)
        #expect(detector.samples == 0 && !detector.hasHeardSound)
    }
}
