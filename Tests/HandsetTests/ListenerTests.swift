import Handset
import Testing

@Suite("A listener")
struct ListenerTests {
    private static func listen(_ level: Float, _ pieces: Int) -> Listener {
        let listener = Listener()
        let sound = (0..<480).map { $0.isMultiple(of: 2) ? level : -level }
        for _ in 0..<pieces { listener.heard(sound.span) }
        return listener
    }

    @Test(
        "tells sound from silence",
        arguments: [(0.5, true), (0.01, true), (0.003, false), (0, false)] as [(Float, Bool)])
    func levels(level: Float, isSound: Bool) {
        let listener = Self.listen(level, 100)
        #expect(listener.hasHeardSound == isSound)
        #expect(abs(listener.level - level) < 0.001 && listener.samples == 48_000)
    }

    @Test("takes a click for a click")
    func clicks() {
        #expect(!Self.listen(0.5, 19).hasHeardSound)
        #expect(Self.listen(0.5, 20).hasHeardSound)
    }

    @Test("is not disturbed by nothing")
    func nothing() {
        let listener = Listener()
        listener.heard([Float]().span)
        #expect(listener.samples == 0 && !listener.hasHeardSound)
    }
}
