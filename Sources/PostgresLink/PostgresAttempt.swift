internal import Reactor
internal import Vocabulary

/// One attempt to connect to one address. It lives until it succeeded, failed, ran out of time or was cancelled.
final class PostgresAttempt {
    private let endpoint: PostgresEndpoint
    private let reactor: Reactor
    private var session: LibpqSession?
    private var watch: SharedSocketWatch?
    private var timer: TimerToken?
    private var completion: ((Result<LibpqSession, PostgresError>) -> Void)?

    init(
        _ endpoint: PostgresEndpoint, on reactor: Reactor,
        _ completion: @escaping (Result<LibpqSession, PostgresError>) -> Void
    ) {
        self.endpoint = endpoint
        self.reactor = reactor
        self.completion = completion
    }

    func start(_ address: PostgresAddress, _ options: PostgresOptions) {
        let timeout = address.connectTimeout ?? options.connectTimeout
        self.timer = self.reactor.schedule(after: timeout) { self.fail("no answer within \(timeout)") }
        guard let libpq = Libpq.shared else { return self.finish(.failure(.noLibrary)) }
        guard let session = LibpqSession(self.endpoint.parameters(address, options), by: libpq) else {
            return self.fail("no memory for a connection")
        }
        self.session = session
        guard session.socket >= 0 else { return self.fail(session.failure) }
        // As libpq wants it: begin as if it had asked for writing.
        self.wait(for: .writing)
    }

    func cancel() {
        self.completion = nil
        self.letGo()
    }

    private func step() {
        guard let session = self.session else { return }
        // Before the step, since libpq may close its socket in it.
        self.watch?.close()
        self.watch = nil
        let progress = session.step()
        switch progress {
        case .reading, .writing: self.wait(for: progress)
        case .connected: self.finish(.success(session))
        case .failed: self.fail(session.failure)
        }
    }

    private func wait(for progress: LibpqSession.Progress) {
        guard let session = self.session else { return }
        do throws(ReactorError) {
            let watch = try SharedSocketWatch(copying: session.socket, on: self.reactor) { _ in self.step() }
            watch.wait(reading: progress == .reading, writing: progress == .writing)
            self.watch = watch
        } catch {
            self.fail("\(error)")
        }
    }

    private func fail(_ text: String) {
        self.finish(.failure(ConnectFailure.error(text, at: self.endpoint.name)))
    }

    private func finish(_ result: Result<LibpqSession, PostgresError>) {
        let completion = self.completion.take()
        self.letGo()
        completion?(result)
    }

    private func letGo() {
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        self.watch?.close()
        self.watch = nil
        self.session = nil
    }
}
