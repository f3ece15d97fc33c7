import TestSupport
import Testing

@Suite("A clock moved by hand")
struct ManualSchedulerTests {
    @Test("fires what is due on the way, each at its own time, and what that starts in turn")
    func advance() {
        let clock = ManualScheduler(startingAt: 100)
        var seen: [UInt64] = []
        clock.schedule(after: .milliseconds(30)) { seen.append(clock.now) }
        clock.schedule(after: .milliseconds(10)) {
            seen.append(clock.now)
            clock.schedule(after: .milliseconds(10)) { seen.append(clock.now) }
        }
        let cancelled = clock.schedule(after: .milliseconds(20)) { seen.append(0) }
        clock.cancel(cancelled)
        clock.advance(by: .milliseconds(25))
        #expect(seen == [110, 120])
        clock.advance(by: .seconds(1))
        #expect(seen == [110, 120, 130])
        #expect(clock.now == 1125 && clock.timerCount == 0)
    }
}
