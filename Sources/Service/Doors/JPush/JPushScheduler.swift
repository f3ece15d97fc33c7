internal import Keeping
internal import Reactor
internal import Vocabulary

/// Announces what programs wanted announced later, when its time has come. What it is and when stands in the store. Lives on
/// the home loop.
final class JPushScheduler {
    private let announcer: JPushAnnouncer
    private let keys: JPushKeys
    private let store: any Store
    private let reactor: Reactor
    private var alarm: TimerToken?
    private var isAsking = false
    private var hasNews = false

    /// The wall's clock may be set meanwhile.
    private static let longestWait = Duration.seconds(60)
    private static let wait = Duration.seconds(1)

    init(_ announcer: JPushAnnouncer, _ keys: JPushKeys, _ store: any Store, on reactor: Reactor) {
        self.announcer = announcer
        self.keys = keys
        self.store = store
        self.reactor = reactor
    }

    /// A schedule was made, changed or done.
    func wake() {
        self.hasNews = true
        guard !self.isAsking else { return }
        self.isAsking = true
        self.hasNews = false
        self.store.send(
            FindNextPushSchedule(),
            self.reactor.returning { [weak self] result in
                guard let self else { return }
                self.isAsking = false
                switch result {
                case .success(let schedule): self.found(schedule)
                case .failure: self.wait(Self.wait)
                }
                if self.hasNews { self.wake() }
            })
    }

    private func found(_ schedule: PushSchedule?) {
        guard let schedule, let due = schedule.next else { return }
        let left = Duration.milliseconds(due.milliseconds - SystemClock.now().milliseconds)
        guard left <= .zero else { return self.wait(min(left, Self.longestWait)) }
        self.fire(schedule, due)
    }

    private func wait(_ time: Duration) {
        if let alarm = self.alarm.take() { self.reactor.cancel(alarm) }
        self.alarm = self.reactor.schedule(after: time) { [weak self] in
            self?.alarm = nil
            self?.wake()
        }
    }

    /// What came too late, because the server was away for longer than it should live, is left out.
    private func fire(_ schedule: PushSchedule, _ due: WallTime) {
        let now = SystemClock.now()
        let plan = try? JPushSchedule(schedule.content)
        let announcement = plan.flatMap { self.announcement($0, schedule, due, at: now) }
        self.isAsking = true
        self.store.send(
            FirePushSchedule(schedule, next: plan?.next(after: now), announcement),
            self.reactor.returning { [weak self] result in
                guard let self else { return }
                self.isAsking = false
                guard case .success = result else { return self.wait(Self.wait) }
                self.announcer.wake()
                self.wake()
            })
    }

    private func announcement(
        _ plan: JPushSchedule, _ schedule: PushSchedule, _ due: WallTime, at now: WallTime
    ) -> MakeAnnouncement? {
        guard self.keys.has(schedule.source) else { return nil }
        let late = Duration.milliseconds(now.milliseconds - due.milliseconds)
        return JPushDelivery.announcement(plan.request, plan.push, of: schedule, late: late, at: now)
    }
}
