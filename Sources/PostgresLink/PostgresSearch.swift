package import Reactor
internal import Vocabulary

/// Finds the server of an address: looks up its names away from the loop, then tries one host after the other.
package final class PostgresSearch {
    private let address: PostgresAddress
    private let options: PostgresOptions
    private let reactor: Reactor
    private var completion: ((Result<PostgresConnection, PostgresError>) -> Void)?
    private var unresolved = 0
    private var resolved: [String: [IPAddress]] = [:]
    private var endpoints: [PostgresEndpoint] = []
    private var attempt: PostgresAttempt?
    private var connection: PostgresConnection?
    private var timer: TimerToken?
    private var failures: [PostgresError] = []

    /// - Parameter completion: called once on this loop, never within the call, and not after `cancel`.
    package init(
        _ address: PostgresAddress, _ options: PostgresOptions, on reactor: Reactor,
        _ completion: @escaping (Result<PostgresConnection, PostgresError>) -> Void
    ) {
        self.address = address
        self.options = options
        self.reactor = reactor
        self.completion = completion
        self.resolve()
    }

    package func cancel() {
        self.completion = nil
        self.attempt?.cancel()
        self.attempt = nil
        self.connection?.close()
        self.connection = nil
    }

    private func resolve() {
        let names = Set(self.address.hosts.filter { !$0.isSocketFolder && $0.address == nil }.map(\.name))
        self.unresolved = names.count
        guard !names.isEmpty else {
            self.reactor.schedule(after: .zero) { self.tryAll() }
            return
        }
        for name in names {
            self.reactor.resolve(name) { result in self.resolved(name, result) }
        }
    }

    private func resolved(_ name: String, _ result: Result<[IPAddress], ReactorError>) {
        switch result {
        case .success(let addresses): self.resolved[name] = addresses
        case .failure(let error): self.failures.append(PostgresError(.unreachable, "\(error)"))
        }
        self.unresolved -= 1
        if self.unresolved == 0 { self.tryAll() }
    }

    private func tryAll() {
        self.endpoints = PostgresEndpoint.all(of: self.address, resolved: self.resolved).reversed()
        self.tryNext()
    }

    private func tryNext() {
        guard self.completion != nil else { return }
        guard let endpoint = self.endpoints.popLast() else { return self.finish(.failure(self.failure)) }
        let attempt = PostgresAttempt(endpoint, on: self.reactor) { result in self.attempted(endpoint, result) }
        self.attempt = attempt
        attempt.start(self.address, self.options)
    }

    private func attempted(_ endpoint: PostgresEndpoint, _ result: Result<LibpqSession, PostgresError>) {
        self.attempt = nil
        switch result {
        case .success(let session): self.check(session, endpoint)
        case .failure(let error): self.failed(error)
        }
    }

    private func failed(_ error: PostgresError) {
        self.failures.append(error)
        // Not within the call that began the attempt: many hosts would nest.
        self.reactor.schedule(after: .zero) { self.tryNext() }
    }

    /// A pooler tells us a process of its own, and the statement tells that of the server's session.
    private func check(_ session: LibpqSession, _ endpoint: PostgresEndpoint) {
        do throws(PostgresError) {
            let connection = try PostgresConnection(session, endpoint.name, self.options, on: self.reactor)
            self.connection = connection
            connection.send("SELECT pg_backend_pid()", []) { result in
                self.checked(connection, endpoint, result)
            }
            connection.sync { _ in }
            let timeout = self.address.connectTimeout ?? self.options.connectTimeout
            self.timer = self.reactor.schedule(after: timeout) { connection.close() }
        } catch {
            self.failed(error)
        }
    }

    private func checked(
        _ connection: PostgresConnection, _ endpoint: PostgresEndpoint, _ result: Result<PostgresRows, PostgresError>
    ) {
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        guard self.completion != nil else { return }
        self.connection = nil
        switch result {
        case .success(let rows) where rows.integer(0, 0) == Int64(connection.serverProcess):
            self.finish(.success(connection))
        case .success:
            connection.close()
            self.failed(PostgresError(.pooled, "\(endpoint.name): \(ConnectFailure.pooler)"))
        case .failure(let error):
            connection.close()
            self.failed(error)
        }
    }

    /// Of several the one that says most: that one is not there is what the others are for.
    private var failure: PostgresError {
        self.failures.first { $0.reason != .unreachable } ?? self.failures.first
            ?? PostgresError(.unreachable, "no host has an address")
    }

    private func finish(_ result: Result<PostgresConnection, PostgresError>) {
        let completion = self.completion.take()
        completion?(result)
    }
}
