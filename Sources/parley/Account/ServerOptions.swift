import Arguments
import Client
import Reactor
import System
import Vocabulary

/// Which server a command speaks to.
struct ServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The server.", valueName: "URL"))
    var server = ServerURL(SocketAddress(.loopback, port: 8080))

    @Flag(help: "Accept any certificate, for a trial with a self-signed one.")
    var trustAnybody = false

    var url: ServerURL {
        var server = self.server
        server.trustsAnybody = self.trustAnybody
        return server
    }
}

extension EventLoopGroup {
    /// Does a command's work on a loop of its own, and waits for it.
    static func run(
        _ work: @escaping @Sendable (EventLoop) async throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        let group = try self.forCommand()
        defer { group.shutDown() }
        let (outcome, done) = (Locked<CommandFailure?>(nil), Gate())
        let loop = group.loops[0]
        Task(executorPreference: loop) {
            do throws(CommandFailure) {
                try await work(loop)
            } catch {
                outcome.withLock { $0 = error }
            }
            done.open()
        }
        done.wait()
        if let failure = outcome.withLock(\.self) { throw failure }
    }
}
