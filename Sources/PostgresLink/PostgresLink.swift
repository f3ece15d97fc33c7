package import Reactor
internal import Vocabulary

/// Keeps one connection up: connects, tells its owner, and comes back with growing waits when it breaks. Lives on its loop.
///
/// What waited for an answer when the connection broke is told so by the connection; nothing is sent again from here.
package final class PostgresLink {
    package let address: PostgresAddress
    /// The connection while it is up.
    package private(set) var connection: PostgresConnection?
    /// Called with each new connection, before anything is sent on it.
    package var onUp: (PostgresConnection) -> Void = { _ in }
    /// Called when the connection broke, and with each try that failed: why, and when the next try is.
    package var onDown: (PostgresError, Duration) -> Void = { _, _ in }

    private let options: PostgresOptions
    private let reactor: Reactor
    private let jitter: () -> Double
    private var machine = LinkMachine()
    private var search: PostgresSearch?
    private var timer: TimerToken?

    package init(
        _ address: PostgresAddress, _ options: PostgresOptions, on reactor: Reactor,
        jitter: @escaping () -> Double = { .random(in: 0...1) }
    ) {
        self.address = address
        self.options = options
        self.reactor = reactor
        self.jitter = jitter
    }

    package var isUp: Bool { self.connection != nil }

    package func start() { self.carryOut(self.machine.start(), PostgresError(.unreachable)) }

    /// What waits for an answer is told that the connection is gone; nothing is told of the link itself any more.
    package func close() {
        self.machine.close()
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        self.search.take()?.cancel()
        self.connection.take()?.close()
    }

    private func carryOut(_ order: LinkMachine.Order?, _ why: PostgresError) {
        switch order {
        case .connect: self.connect()
        case .wait(let wait):
            self.timer = self.reactor.schedule(after: wait) { [weak self] in self?.timeCame() }
            self.onDown(why, wait)
        case nil: break
        }
    }

    private func timeCame() {
        self.timer = nil
        self.carryOut(self.machine.timeCame(), PostgresError(.unreachable))
    }

    private func connect() {
        self.search = PostgresSearch(self.address, self.options, on: self.reactor) { [weak self] result in
            self?.found(result)
        }
    }

    private func found(_ result: Result<PostgresConnection, PostgresError>) {
        self.search = nil
        switch result {
        case .success(let connection): self.isUp(connection)
        case .failure(let error): self.carryOut(self.machine.failed(jitter: self.jitter()), error)
        }
    }

    private func isUp(_ connection: PostgresConnection) {
        self.machine.connected(at: self.reactor.instant)
        self.connection = connection
        connection.onBroken = { [weak self] error in self?.broke(error) }
        self.onUp(connection)
    }

    private func broke(_ error: PostgresError) {
        self.connection = nil
        self.carryOut(self.machine.broken(at: self.reactor.instant, jitter: self.jitter()), error)
    }
}
