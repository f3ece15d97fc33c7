internal import Identity
internal import Journal
internal import Reactor
internal import Keeping
internal import Vocabulary

/// Sweeps out what is not needed any more: at once, and then every hour for as long as it lives.
final class Housekeeper {
    private let scheduler: any Scheduler
    private let sweep: () -> Void

    private static let every = Duration.seconds(3600)

    init(on scheduler: any Scheduler, _ sweep: @escaping () -> Void) {
        self.scheduler = scheduler
        self.sweep = sweep
        self.work()
    }

    private func work() {
        self.sweep()
        self.scheduler.schedule(after: Self.every) { [weak self] in self?.work() }
    }
}

extension Housekeeper {
    /// What has lost its meaning goes: bans and revoked tokens that have ended, calls and entries that are older than the history.
    ///
    /// - Parameter more: what else is to be looked after each time.
    convenience init(
        _ dependencies: SignallingApplication.Dependencies, on reactor: Reactor, _ more: @escaping () -> Void
    ) {
        let (configuration, store) = (dependencies.configuration, dependencies.store)
        let (accounts, journal) = (dependencies.accounts, dependencies.journal)
        let keeper = FileKeeper(dependencies.files, on: reactor)
        self.init(on: reactor) {
            keeper.sweep()
            more()
            Self.sweepEntries(
                EntrySweep(at: SystemClock.now(), usual: configuration.messageHistory), in: store, journal: journal)
            let oldest = SystemClock.now() + (.zero - configuration.callHistory)
            store.send(ForgetCalls(endedBefore: oldest)) { Self.swept($0, journal) }
            let oldestAction = SystemClock.now() + (.zero - configuration.auditHistory)
            store.send(ForgetAudit(before: oldestAction)) { Self.swept($0, journal) }
            store.send(ForgetReports(settledBefore: oldestAction)) { Self.swept($0.map { 0 }, journal) }
            store.send(ForgetSanctions(endedBy: SystemClock.now())) { Self.swept($0.map { 0 }, journal) }
            let oldestPush = SystemClock.now() + (.zero - PushSettings.traceHistory)
            store.send(ForgetPushEvents(before: oldestPush)) { Self.swept($0.map { 0 }, journal) }
            let oldestAnnouncement = SystemClock.now() + (.zero - PushSettings.announcementHistory)
            store.send(ForgetAnnouncements(before: oldestAnnouncement)) { Self.swept($0.map { 0 }, journal) }
            // The accounts tell the journal themselves when they fail; the next hour is another chance.
            reactor.perform({ try? await accounts.sweep() }, completion: { _ in })
        }
    }

    /// Portion by portion, so that others get their turn in between.
    private static func sweepEntries(
        _ sweep: EntrySweep, in store: any Store, journal: Journal
    ) {
        store.send(sweep) { result in
            Self.swept(result.map(\.count), journal)
            guard case .success(let swept) = result, let next = swept.next else { return }
            var sweep = sweep
            sweep.start = next
            Self.sweepEntries(sweep, in: store, journal: journal)
        }
    }

    private static func swept(_ result: Result<Int, StoreError>, _ journal: Journal) {
        switch result {
        case .success(let count):
            journal.debug(
                .historySwept, "what was kept for long enough was deleted", [.count: .integer(count)])
        case .failure(let error):
            journal.error(
                .historyNotSwept, "database error: what was kept for long enough was not deleted",
                [.error: .error(error)])
        }
    }
}

extension LogName {
    static let historySwept = LogName("history.swept")
    static let historyNotSwept = LogName("history.not_swept")
}
