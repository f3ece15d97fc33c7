package import Vocabulary

/// Who knows what time it is and calls back later. In the program that is the loop; in tests it is a clock that is
/// moved by hand, so that no test waits.
package protocol Scheduler: AnyObject {
    /// Milliseconds of a steady clock.
    var now: UInt64 { get }

    /// Calls `body` once after `delay`, to the millisecond and never early.
    @discardableResult
    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> TimerToken

    /// Does nothing when the timer has fired already.
    func cancel(_ token: TimerToken)
}

extension Scheduler {
    /// `now`, as machines take it.
    package var instant: Instant { Instant(milliseconds: Int64(clamping: self.now)) }
}

extension Reactor: Scheduler {}
