import Journal
import Reactor
import Secure
import Vocabulary
import Web

@testable import HTTPServer

/// A server on loops of its own, and the test beside it on the last of them: what a test keeps from one moment to
/// the next needs no lock, and a handler may answer whenever the test tells it to.
///
/// Requests are answered on the bench's own loop. Connections are dealt out beginning with the first, so with two
/// loops every odd one comes from afar and moves with its first request.
final class Bench: @unchecked Sendable {
    // Unchecked because everything here is touched on the bench's own loop.
    let reactor: Reactor
    let journal = JournalRecorder()
    let metrics = HTTPMetrics(MetricsRegistry())
    private var opened: HTTPServer?
    private(set) var address = SocketAddress(.loopback, port: 0)
    /// What is done with a request. A test puts its own here.
    var respond: (HTTPExchange) -> Void = { $0.respond(.text(.ok, "hello\n")) }

    fileprivate init(_ reactor: Reactor) { self.reactor = reactor }

    fileprivate func open(_ group: EventLoopGroup, _ settings: HTTPServerSettings, _ tls: TLSContext?) throws {
        let server = HTTPServer(
            group, settings: settings, metrics: self.metrics, journal: Journal(level: .trace, sink: self.journal),
            tls: tls
        ) { [home = self.reactor.loop] reactor in
            guard reactor.loop === home else { return { $0.move(to: home) } }
            return { self.respond($0) }
        }
        self.opened = server
        self.address = try server.listen(on: self.address, self.reactor).address
    }

    var server: HTTPServer {
        guard let opened = self.opened else { preconditionFailure("a bench is opened before it is handed out") }
        return opened
    }

    var loopServer: HTTPLoopServer { self.server.onLoop(self.reactor) }

    /// Lets the loop turn until something holds; far too late is an error that says what never came.
    func until(_ what: String, _ holds: () -> Bool) async throws {
        self.reactor.loop.checkIsolated()
        let deadline = self.reactor.now + 60_000
        while !holds() {
            guard self.reactor.now < deadline else { throw NeverCame(what: what) }
            await self.turn()
        }
    }

    /// The next millisecond of the loop.
    func turn() async {
        await withCheckedContinuation { continuation in
            self.reactor.schedule(after: .milliseconds(1)) { continuation.resume() }
        }
    }
}

/// Lets a few in at a time: a hundred servers at once would keep each other from keeping their timeouts.
private actor Turnstile {
    static let benches = Turnstile(room: 4)

    private var room: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(room: Int) { self.room = room }

    func enter() async {
        if self.room > 0 { return self.room -= 1 }
        await withCheckedContinuation { self.waiting.append($0) }
    }

    func leave() {
        if self.waiting.isEmpty { self.room += 1 } else { self.waiting.removeFirst().resume() }
    }
}

struct NeverCame: Error { let what: String }

/// Runs `body` on the last loop of a fresh server.
func withBench(
    _ settings: HTTPServerSettings = HTTPServerSettings(), tls: TLSContext? = nil, loops: Int = 1,
    _ body: @escaping @Sendable (Bench) async throws -> Void
) async throws {
    await Turnstile.benches.enter()
    let result: Result<Void, any Error>
    do {
        result = .success(try await runBench(settings, tls, loops, body))
    } catch {
        result = .failure(error)
    }
    await Turnstile.benches.leave()
    try result.get()
}

private func runBench(
    _ settings: HTTPServerSettings, _ tls: TLSContext?, _ loops: Int,
    _ body: @escaping @Sendable (Bench) async throws -> Void
) async throws {
    let group = try EventLoopGroup(count: loops)
    defer { group.shutDown() }
    let home = group.loops[loops - 1]
    let bench = try await withCheckedThrowingContinuation { continuation in
        home.execute { reactor in
            let bench = Bench(reactor)
            continuation.resume(with: Result { try bench.open(group, settings, tls) }.map { bench })
        }
    }
    try await Task(executorPreference: home) { try await body(bench) }.value
}
