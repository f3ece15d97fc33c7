import Arguments
import Client
import Pathways
import Reactor

/// What is done on the loop with a connection to the server, until there is an end to it.
protocol ClientRun: AnyObject, Sendable {
    associatedtype Outcome: Sendable

    var frame: RunFrame<Outcome> { get }
    /// The servers are found.
    func begin()
    /// Somebody wants the program to end.
    func interrupted()
    func heard(_ event: ParleyEvent)
    /// Before the outcome is told.
    func closeLinks()
}

/// What a run of any kind needs. It is touched on its loop only, after it was made.
final class RunFrame<Outcome: Sendable> {
    let client: ParleyClient
    let loop: EventLoop
    let plan: CallPlan
    fileprivate(set) var peers: PeerDependencies?
    fileprivate var done: ((Result<Outcome, CommandFailure>) -> Void)?

    init(client: ParleyClient, loop: EventLoop, plan: CallPlan) {
        self.client = client
        self.loop = loop
        self.plan = plan
    }
}

extension ClientRun {
    var client: ParleyClient { self.frame.client }
    var loop: EventLoop { self.frame.loop }
    var plan: CallPlan { self.frame.plan }
    var peers: PeerDependencies? { self.frame.peers }
    var isOver: Bool { self.frame.done == nil }

    /// - Parameter servers: what the server advises.
    func start(
        on reactor: Reactor, servers: [AdvisedServer],
        done: @escaping (Result<Outcome, CommandFailure>) -> Void
    ) {
        self.frame.done = done
        do throws(CommandFailure) {
            let peers = try PeerDependencies(self.plan, on: reactor)
            self.frame.peers = peers
            try peers.watchInterrupts { [weak self] in self?.interrupted() }
            peers.find(servers) { self.begin() }
        } catch {
            self.close(.failure(error))
        }
    }

    func fail(_ text: String, _ exitCode: ExitCode = .failure) {
        self.close(.failure(CommandFailure(text, exitCode: exitCode)))
    }

    /// The first outcome is the one.
    func close(_ result: Result<Outcome, CommandFailure>) {
        guard let done = self.frame.done.take() else { return }
        self.closeLinks()
        self.peers?.close()
        done(result)
    }
}
