internal import Reactor
internal import Vocabulary

/// Who has something to do at a time.
protocol AlarmOwner: AnyObject {
    func alarmRang()
}

/// Rings at the time it was set to last, or a little before: whoever hears it looks what is due, and sets it anew.
final class Alarm {
    private let reactor: Reactor
    private var timer: TimerToken?
    private var time: Instant?

    init(on reactor: Reactor) { self.reactor = reactor }

    /// - Parameter owner: is kept until the alarm rings or is set to nil.
    func set(_ time: Instant?, for owner: some AlarmOwner) {
        // Deadlines move on with every packet. One that comes too early looks again; that is seldom, and packets are not.
        if let time, let armed = self.time, armed <= time { return }
        self.cancel()
        guard let time else { return }
        self.time = time
        self.timer = self.reactor.schedule(after: max(.zero, SteadyClock.now.duration(to: time))) {
            (self.time, self.timer) = (nil, nil)
            owner.alarmRang()
        }
    }

    func cancel() {
        self.time = nil
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
    }
}
