internal import Journal
internal import Reactor
internal import S3
internal import System

/// Knows whether the store of files does its work: looks when the server starts, hears what came of every request, and looks again until it
/// is well.
final class S3Watch: Sendable {
    private let state = Locked(State())
    private let journal: Journal
    private let health: Health
    /// Asks the store again.
    private let ask = Locked<(@Sendable () -> Void)?>(nil)

    private struct State {
        var problem: S3Problem?
        var isLooking = false
        var hasLooked = false
    }

    private static let pause = Duration.seconds(5)

    init(_ health: Health, _ journal: Journal) {
        self.health = health
        self.journal = journal
    }

    func heard(_ problem: S3Problem?, from address: S3Address) {
        let (former, isFirst) = self.state.withLock { state in
            defer { (state.problem, state.hasLooked) = (problem, true) }
            return (state.problem, !state.hasLooked)
        }
        if problem != nil { self.look() }
        guard isFirst || former != problem else { return }
        let place = LogValue.plain("\(address)")
        if let problem {
            self.health.set(warning: "files are not kept or given out: \(address): \(problem)", of: "files")
            self.journal.error(
                .filesLost, "the store of files does not do its work", [.address: place, .reason: .plain("\(problem)")])
        } else if former != nil || isFirst {
            self.health.set(warning: nil, of: "files")
            self.journal.notice(
                isFirst ? .filesReady : .filesBack, "the store of files does its work", [.address: place])
        }
    }

    /// Looks now, and for as long as something is wrong.
    func begin(with client: S3Client, on loop: EventLoop) {
        self.ask.withLock { $0 = { loop.execute { self.look(with: client, on: $0) } } }
        self.look()
    }

    private func look() {
        let isNext = self.state.withLock { state in
            defer { state.isLooking = true }
            return !state.isLooking
        }
        if isNext { self.ask.withLock(\.self)?() }
    }

    private func look(with client: S3Client, on reactor: Reactor) {
        client.send(.look(for: client.names.startOfAll), on: reactor, attempts: 1) { result in
            guard case .failure = result else { return self.state.withLock { $0.isLooking = false } }
            reactor.schedule(after: Self.pause) { self.look(with: client, on: reactor) }
        }
    }
}

extension LogName {
    static let filesReady = LogName("files.store")
    static let filesLost = LogName("files.lost")
    static let filesBack = LogName("files.back")
}
