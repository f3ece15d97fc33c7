internal import Client
internal import Operations
internal import Pathways
internal import Vocabulary

/// Each user watches some others; some leave and come again, and those who watch them hear of it.
final class PresenceLoad: LoadActivity {
    private unowned let run: LoadRun
    private let watched: Int
    private var pace: LoadPace
    private var next = 0
    private var isOver = false
    /// When a user was last there anew.
    private var arrivals: [UserID: Instant] = [:]

    init(_ run: LoadRun) {
        self.run = run
        self.watched = min(run.plan.watched, RequestLimits.maximumNames)
        self.pace = LoadPace(perSecond: run.plan.turnover)
    }

    func begin(at now: Instant) {
        let all = self.run.present
        guard self.watched > 0 else { return }
        for (place, user) in all.enumerated() {
            let others = (1...self.watched).map { all[(place + $0) % all.count] }
            self.watch(others.filter { $0 !== user }, by: user)
        }
    }

    private func watch(_ others: [LoadUser], by user: LoadUser) {
        user.request(.presence(.watch), [Field.watched(.users(others.compactMap(\.id)))]) { result in
            if case .failure(let error) = result { self.run.complain("watch: \(error)") }
        }
    }

    func ticked(at now: Instant) {
        let due = self.pace.due(at: now)
        guard !self.isOver else { return }
        // From the end: those who came first are the ones who ring each other.
        for _ in 0..<min(due, self.run.present.count) {
            self.next += 1
            self.run.present[self.run.present.count - 1 - self.next % self.run.present.count].comeAgain()
        }
    }

    func heard(_ event: ParleyEvent, by user: LoadUser) {
        switch event {
        case .connected: user.id.map { self.arrivals[$0] = SteadyClock.now }
        case .presence(let presence):
            guard presence.isOnline, let since = self.arrivals[presence.user] else { return }
            self.run.took(.presence, since: since)
        default: break
        }
    }

    func stop() { self.isOver = true }
    var isSettled: Bool { true }
    func end() {}
}
