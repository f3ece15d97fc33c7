import ICE
import Pathways
import Reactor
import Vocabulary

/// Pairs of peers on one loop, of whom those who are called share their sockets; each caller says its number and is answered
/// with it.
final class SharedTable: PeerPathHandler {
    struct Wishes: Sendable {
        var pairs = 3
        /// Those who call share theirs, too, so that all of them are at one address.
        var callersShare = false
        /// Everybody makes new checks before they speak.
        var restarts = false
    }

    struct Outcome: Sendable {
        /// What each caller heard.
        var heard: [Set<String>]
        /// From where each was answered.
        var remotes: [SocketAddress?]
        var ending: String
    }

    private let wishes: Wishes
    private let reactor: Reactor
    private let done: (Outcome) -> Void
    private var callers: [PeerPath<ICEAgent>] = []
    private var called: [PeerPath<ICEAgent>] = []
    private var outcome: Outcome
    private var hasRestarted = false

    init(_ wishes: Wishes, on reactor: Reactor, done: @escaping (Outcome) -> Void) {
        self.wishes = wishes
        self.reactor = reactor
        self.done = done
        self.outcome = Outcome(
            heard: Array(repeating: [], count: wishes.pairs), remotes: Array(repeating: nil, count: wishes.pairs),
            ending: "")
        var means = (PeerPathSettings(), PeerPathSettings())
        (means.0.speaksTCP, means.1.speaksTCP) = (false, false)
        if wishes.callersShare { means.0.sockets = SharedSockets(on: reactor) }
        means.1.sockets = SharedSockets(on: reactor)
        for _ in 0..<wishes.pairs {
            self.callers.append(self.path(.controlling, means.0))
            self.called.append(self.path(.controlled, means.1))
        }
    }

    private func path(_ role: ICERole, _ means: PeerPathSettings) -> PeerPath<ICEAgent> {
        let random = SystemRandomNumberGenerator()
        return PeerPath(
            ICEAgent(role, Self.credentials(), random: random), on: self.reactor, by: means, handler: self)
    }

    private static func credentials() -> ICECredentials {
        var random = SystemRandomNumberGenerator()
        return ICECredentials(using: &random)
    }

    func start() throws {
        for (caller, called) in zip(self.callers, self.called) {
            let names = (caller.inspect { $0.credentials }, called.inspect { $0.credentials })
            caller.remoteDescribed(names.1)
            called.remoteDescribed(names.0)
            try caller.start(on: [.loopback], relays: [])
            try called.start(on: [.loopback], relays: [])
        }
        self.speak()
    }

    func happened(_ event: ICEEvent, on path: PeerPath<ICEAgent>) {
        switch event {
        case .candidate(let candidate): self.other(path)?.candidateReceived(candidate)
        case .selected(_, let remote): if let index = self.index(path) { self.outcome.remotes[index] = remote }
        default: return
        }
    }

    private func index(_ path: PeerPath<ICEAgent>) -> Int? { self.callers.firstIndex { $0 === path } }

    private func other(_ path: PeerPath<ICEAgent>) -> PeerPath<ICEAgent>? {
        if let index = self.index(path) { return self.called[index] }
        return self.called.firstIndex { $0 === path }.map { self.callers[$0] }
    }

    private func restart() {
        self.hasRestarted = true
        for (caller, called) in zip(self.callers, self.called) {
            let names = (Self.credentials(), Self.credentials())
            caller.restart(names.0)
            called.restart(names.1)
            caller.remoteDescribed(names.1)
            called.remoteDescribed(names.0)
        }
    }

    /// Until everybody was heard: what is said before the other side has a pair is lost.
    private func speak() {
        guard !self.callers.isEmpty else { return }
        for (index, caller) in self.callers.enumerated() { caller.send(Array("\(index)".utf8).span) }
        self.reactor.schedule(after: .milliseconds(20)) { self.speak() }
    }

    func received(_ payload: Span<UInt8>, on path: PeerPath<ICEAgent>) {
        let text = payload.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        guard let index = self.index(path) else {
            let number = self.called.firstIndex { $0 === path } ?? -1
            return _ = path.send(Array("\(text) by \(number)".utf8).span)
        }
        self.outcome.heard[index].insert(text)
        guard self.outcome.heard.allSatisfy({ !$0.isEmpty }) else { return }
        guard self.wishes.restarts, !self.hasRestarted else { return self.end("heard") }
        self.outcome.heard = Array(repeating: [], count: self.wishes.pairs)
        self.outcome.remotes = Array(repeating: nil, count: self.wishes.pairs)
        self.restart()
    }

    func end(_ ending: String) {
        guard !self.callers.isEmpty else { return }
        for path in self.callers + self.called { path.close() }
        (self.callers, self.called) = ([], [])
        self.outcome.ending = ending
        self.done(self.outcome)
    }

    static func play(_ wishes: Wishes) async throws -> Outcome {
        let group = try EventLoopGroup(count: 1)
        defer { group.shutDown() }
        return await withCheckedContinuation { continuation in
            group.loops[0].execute { reactor in
                let table = SharedTable(wishes, on: reactor) { continuation.resume(returning: $0) }
                reactor.schedule(after: .seconds(30)) { table.end("and then nothing more") }
                do { try table.start() } catch { table.end("\(error)") }
            }
        }
    }
}
