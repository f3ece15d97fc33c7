internal import Reactor

/// Sweeps out what nobody needs any more: at once, and then every hour for as long as it lives.
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
