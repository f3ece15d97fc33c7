internal import Reactor
internal import Vocabulary

/// The owner of a deadline.
protocol DeadlineTimerOwner: AnyObject {
    func deadlineReached()
}

/// Fires at the time it was last set to, or a little before: its owner checks what is due and sets it again.
final class DeadlineTimer {
    private let reactor: Reactor
    private var timer: TimerToken?
    private var time: Instant?

    init(on reactor: Reactor) { self.reactor = reactor }

    /// - Parameter owner: is kept until the deadlineTimer rings or is set to nil.
    func set(_ time: Instant?, for owner: some DeadlineTimerOwner) {
        // Deadlines move on with every packet. One that comes too early looks again; that is seldom, and packets are not.
        if let time, let armed = self.time, armed <= time { return }
        self.cancel()
        guard let time else { return }
        self.time = time
        self.timer = self.reactor.schedule(after: max(.zero, SteadyClock.now.duration(to: time))) {
            (self.time, self.timer) = (nil, nil)
            owner.deadlineReached()
        }
    }

    func cancel() {
        self.time = nil
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
    }
}
