import PostgresLink
import Reactor
import TestSupport
import Testing

/// A connection to a database of its own on the shared server, on a loop that ends with the test.
func withConnection<Result: Sendable>(
    _ url: String? = nil, _ options: PostgresOptions = PostgresOptions(),
    _ body: (Session) async throws -> Result
) async throws -> Result {
    let session = try await Session(url ?? PostgresServer.shared().freshDatabase(), options)
    do {
        let result = try await body(session)
        await session.end()
        return result
    } catch {
        await session.end()
        throw error
    }
}

/// One connection on a loop of its own, for tests that stand beside it.
final class Session: @unchecked Sendable {
    // Unchecked because `connection` is touched on its loop only.
    let loop: EventLoop
    private var connection: PostgresConnection?

    init(_ url: String, _ options: PostgresOptions = PostgresOptions()) async throws {
        self.loop = try EventLoop()
        let address = try PostgresAddress(url)
        let result: Swift.Result<Void, PostgresError> = await withCheckedContinuation { continuation in
            self.loop.execute { reactor in
                let keeper = Box<PostgresSearch?>(nil)
                keeper.value = PostgresSearch(address, options, on: reactor) { result in
                    keeper.value = nil
                    continuation.resume(returning: result.map { self.connection = $0 })
                }
            }
        }
        if case .failure(let error) = result {
            self.loop.execute { $0.shutDown() }
            self.loop.join()
            throw error
        }
    }

    /// Runs `body` on the loop and waits until it calls back.
    func ask<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection, Reactor, @escaping (Value) -> Void) -> Void
    ) async -> Value {
        await withCheckedContinuation { continuation in
            self.loop.execute { reactor in
                guard let connection = self.connection else { preconditionFailure("a session without a connection") }
                body(connection, reactor) { continuation.resume(returning: $0) }
            }
        }
    }

    /// One statement with its sync; `read` takes from the rows what the test wants to know.
    func send<Value: Sendable>(
        _ text: String, _ values: [PostgresValue] = [], _ read: @escaping @Sendable (PostgresRows) -> Value
    ) async throws(PostgresError) -> Value {
        let result: Swift.Result<Value, PostgresError> = await self.ask { connection, _, done in
            let answer = Box(Swift.Result<Value, PostgresError>.failure(.aborted))
            connection.send(text, values) { answer.value = $0.map(read) }
            connection.sync { error in done(error.map { .failure($0) } ?? answer.value) }
        }
        return try result.get()
    }

    func send(_ text: String, _ values: [PostgresValue] = []) async throws(PostgresError) {
        try await self.send(text, values) { _ in }
    }

    func run(_ script: String) async throws(PostgresError) {
        let result: Swift.Result<Void, PostgresError> = await self.ask { connection, _, done in
            connection.run(PostgresScript(script)) { result in done(result.map { _ in }) }
        }
        try result.get()
    }

    func end() async {
        _ = await self.ask { (connection, reactor, done: @escaping (Bool) -> Void) in
            connection.close()
            reactor.schedule(after: .zero) { done(true) }
        }
        self.loop.execute { reactor in
            self.connection = nil
            reactor.shutDown()
        }
        self.loop.join()
    }
}
