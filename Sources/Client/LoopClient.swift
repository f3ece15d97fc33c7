package import Operations
package import Reactor

/// A client of a server for who lives on its loop: what happens is told in the same turn, and nothing leaves the thread. It is
/// made for programs that are thousands of clients; others write less with `ParleyClient`.
package final class LoopClient {
    package typealias Answer = (Result<RawJSON, ClientError>) -> Void

    private let shell: ClientShell
    private let reactor: Reactor

    /// - Parameter heard: everything in its order, `ended` last.
    package init(
        _ server: ServerURL, token: String, on reactor: Reactor, settings: ClientSettings = ClientSettings(),
        heard: @escaping (ParleyEvent) -> Void
    ) {
        self.reactor = reactor
        self.shell = ClientShell(server, token: token, settings: settings) { event in
            heard(event)
            return true
        }
    }

    /// Call it once. What becomes of it is heard.
    package func connect() { self.shell.start(on: self.reactor) { _ in } }

    /// Says goodbye. What still waits for an answer is told so.
    package func close() { self.shell.stop() }

    /// Lets go of the connection as a network that breaks does; the session comes back by itself.
    package func cut() { self.shell.cut() }

    /// Of a server that need not be ours: an event of any name, and the first argument of its acknowledgement.
    package func request(named event: String, _ argument: RawJSON, then answer: @escaping Answer) {
        self.shell.request(event, argument, on: self.reactor, answer)
    }

    package func request(_ operation: Operation, _ arguments: [Argument], then answer: @escaping Answer = { _ in }) {
        self.shell.request(operation.name, RawJSON(arguments), on: self.reactor, answer)
    }
}
