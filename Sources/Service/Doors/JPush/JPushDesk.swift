internal import Vocabulary

/// What the door keeps between requests.
final class JPushDesk: @unchecked Sendable {
    // Unchecked because it is used on the home loop alone.
    private var quotas: [JPushProblem.Part: JPushQuota] = [:]
    /// Nil until the service begins, and where no device is woken.
    private(set) var announcer: JPushAnnouncer?
    private(set) var scheduler: JPushScheduler?

    /// What the last run of the server did not get done goes on.
    func begin(_ dependencies: DoorDependencies, _ keys: JPushKeys) {
        guard let sender = dependencies.push else { return }
        let errands = dependencies.errands
        let announcer = JPushAnnouncer(
            sender, dependencies.store, errands, on: dependencies.reactor, dependencies.journal)
        self.announcer = announcer
        errands.add(begin: { announcer.resume() }, call: { announcer.work() })
        let scheduler = JPushScheduler(announcer, keys, dependencies.store, on: dependencies.reactor)
        self.scheduler = scheduler
        scheduler.wake()
    }

    func take(_ key: String, _ part: JPushProblem.Part, at now: Instant) -> JPushQuota.Left {
        self.quotas[part, default: JPushQuota(part.requestsAMinute)].take(key, at: now)
    }
}

extension JPushProblem.Part {
    fileprivate var requestsAMinute: Int {
        switch self {
        case .push, .devices: 600
        case .schedules: 100
        case .report: 2400
        }
    }
}
