import Handset
import Testing
import Vocabulary

@Suite("An even pace")
struct EvenPaceTests {
    @Test("keeps its times however late one was, up to a second")
    func keepsTimes() {
        var pace = EvenPace(.milliseconds(20), from: Instant(milliseconds: 1000))
        #expect(pace.wait(at: Instant(milliseconds: 1000)) == .milliseconds(20))
        #expect(pace.wait(at: Instant(milliseconds: 1035)) == .milliseconds(5))
        #expect(pace.wait(at: Instant(milliseconds: 1900)) == .zero)
        #expect(pace.wait(at: Instant(milliseconds: 1060)) == .milliseconds(20))
    }

    @Test("does not make up for the hour a program was stopped")
    func forgets() {
        var pace = EvenPace(.milliseconds(20), from: Instant(milliseconds: 0))
        let late = Instant(milliseconds: 3_600_000)
        #expect(pace.wait(at: late) == .zero)
        #expect(pace.wait(at: late) == .milliseconds(20))
    }
}
