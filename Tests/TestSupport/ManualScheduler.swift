package import Reactor

/// A clock that is moved by hand. What is due on the way fires at its own time, in order.
package final class ManualScheduler: Scheduler {
    package private(set) var now: UInt64
    private var timers: TimerWheel<() -> Void>

    package init(startingAt now: UInt64 = 0) {
        self.now = now
        self.timers = TimerWheel(startingAt: now)
    }

    @discardableResult
    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> TimerToken {
        self.timers.start(at: self.now + delay.wholeMilliseconds, body)
    }

    package func cancel(_ token: TimerToken) {
        self.timers.cancel(token)
    }

    package var timerCount: Int { self.timers.count }

    /// A turn that takes so long: what is due by then fires behind it.
    package func stall(for duration: Duration) {
        self.now += duration.wholeMilliseconds
        while let fire = self.timers.popDue(at: self.now) { fire() }
    }

    package func advance(by duration: Duration) {
        let end = self.now + duration.wholeMilliseconds
        while let next = self.timers.nextDeadline, next <= end {
            self.now = max(self.now, next)
            while let fire = self.timers.popDue(at: self.now) { fire() }
        }
        self.now = end
    }
}
