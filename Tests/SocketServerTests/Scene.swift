import HTTPServer
import Journal
import Pacing
import Reactor
import TestSupport
import Vocabulary

@testable import HTTPServer
@testable import SocketServer

/// What stands behind the sockets, and the clock: made by the test, touched on the scene's loop only.
final class Backstage: @unchecked Sendable {
    // Unchecked because everything here is touched on the scene's only loop.
    let clock = ManualScheduler(startingAt: 1_000_000)
    let company = Company()
}

/// A Socket.IO server in virtual time: its clock stands still until the test moves it, its connections are pipes.
final class Scene {
    let reactor: Reactor
    let clock: ManualScheduler
    let company: Company
    private let server: HTTPServer
    private var pipes: [Pipe] = []

    init(_ reactor: Reactor, _ group: EventLoopGroup, _ settings: SocketServerSettings) {
        let backstage = Backstage()
        let journal = Journal(level: .trace, sink: JournalRecorder())
        let sockets = SocketServer(
            group, settings, journal: journal, clock: { _ in backstage.clock },
            makeApplication: { _ in backstage.company })
        self.reactor = reactor
        self.clock = backstage.clock
        self.company = backstage.company
        self.server = HTTPServer(group, metrics: HTTPMetrics(MetricsRegistry()), journal: journal) { _ in
            { sockets.respond(to: $0) }
        }
    }

    func connect(from address: IPAddress = .loopback) -> Pipe {
        let pipe = Pipe(self.reactor, from: address)
        pipe.start(self.server.onLoop(self.reactor).welcome(pipe))
        self.pipes.append(pipe)
        return pipe
    }

    func wait(_ duration: Duration) {
        self.clock.advance(by: duration)
        self.settle()
    }

    func settle() {
        for pipe in self.pipes { pipe.settle() }
    }

    func end() {
        for pipe in self.pipes { pipe.cut() }
    }
}

/// Runs a play on the loop of a fresh scene.
func play(
    _ change: (inout SocketServerSettings) -> Void = { _ in },
    _ body: @escaping @Sendable (Scene) throws -> Void
) async throws {
    var settings = SocketServerSettings()
    change(&settings)
    let group = try EventLoopGroup(count: 1)
    defer { group.shutDown() }
    let (reactor, chosen) = (await group.loops[0].lent(), settings)
    try await Task(executorPreference: group.loops[0]) {
        let scene = Scene(reactor.value, group, chosen)
        defer { scene.end() }
        try body(scene)
    }.value
}

/// The loop's inside, on its way to a task on that loop.
private struct Lent: @unchecked Sendable {
    // Unchecked because only a task on the reactor's own loop looks into it.
    let value: Reactor
}

extension EventLoop {
    fileprivate func lent() async -> Lent {
        await withCheckedContinuation { continuation in
            self.execute { reactor in continuation.resume(returning: Lent(value: reactor)) }
        }
    }
}
