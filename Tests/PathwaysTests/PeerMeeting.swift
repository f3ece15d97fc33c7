import ICE
import Pathways
import Reactor
import Vocabulary

/// Two peers on one loop who hear of each other at once, until the first has had an answer; what was said in between, and
/// how it travelled.
final class PeerMeeting: PeerPathHandler {
    struct Wishes: Sendable {
        var addresses = [IPAddress.loopback]
        var speaksUDP = true
        var speaksTCP = true
        var hidesAddresses = false
        /// One of the two tells nothing of where it could be dialled.
        var mute: Int?
        /// The first one uses what addresses there are, and not those it began with.
        var follows = false
    }

    struct Outcome: Sendable {
        var sentences: [String] = []
        /// Over what the first peer's packets went at the end, and to where.
        var kind: PeerTransportKind?
        var remote: SocketAddress?
        var candidates: [[ICECandidate]] = [[], []]
    }

    let reactor: Reactor
    private(set) var paths: [PeerPath<ICEAgent>] = []
    private(set) var outcome = Outcome()
    /// What there is for the first peer, which looks again and again when it is to follow.
    var addresses: [IPAddress]
    private let wishes: Wishes
    private var watches: [InterfaceWatch] = []
    private var credentials: [ICECredentials] = []
    private var names: [LocalNames] = []
    private let done: (Outcome) -> Void
    /// Told what the first peer hears, in place of the end that follows from it.
    var heard: ((String) -> Void)?
    /// Takes a candidate for a peer to it, when it is not to be told at once.
    var deliver: ((ICECandidate, PeerPath<ICEAgent>) -> Void)?

    init(_ wishes: Wishes, on reactor: Reactor, done: @escaping (Outcome) -> Void) {
        self.wishes = wishes
        self.addresses = wishes.addresses
        self.reactor = reactor
        self.done = done
        var random = SystemRandomNumberGenerator()
        for role in [ICERole.controlling, .controlled] {
            let watch = InterfaceWatch(on: reactor, every: .milliseconds(20)) { [unowned self] in
                self.addresses.map { InterfaceAddress($0, on: "lo", index: Self.loopback) }
            }
            let (names, credentials) = (LocalNames(on: reactor, watching: watch), ICECredentials(using: &random))
            let agent = ICEAgent(role, credentials, random: random)
            let path = PeerPath(agent, on: reactor, by: self.means(names), handler: self)
            self.watches.append(watch)
            self.names.append(names)
            self.credentials.append(credentials)
            self.paths.append(path)
        }
    }

    private func means(_ names: LocalNames) -> PeerPathSettings {
        var means = PeerPathSettings()
        means.speaksUDP = self.wishes.speaksUDP
        means.speaksTCP = self.wishes.speaksTCP
        means.names = self.wishes.hidesAddresses ? .told(names) : .known(names)
        return means
    }

    static let loopback = InterfaceAddress.all().first(where: \.ip.isLoopback)?.index ?? 1

    func start() throws {
        for (path, other) in zip(self.paths, self.credentials.reversed()) { path.remoteDescribed(other) }
        for (index, path) in self.paths.enumerated() {
            if index == 0, self.wishes.follows {
                path.start(following: self.watches[index], relays: [])
            } else {
                try path.start(on: self.wishes.addresses, relays: [])
            }
        }
    }

    func happened(_ event: ICEEvent, on path: PeerPath<ICEAgent>) {
        guard let index = self.paths.firstIndex(where: { $0 === path }) else { return }
        let other = self.paths[1 - index]
        switch event {
        case .candidate(let candidate):
            self.outcome.candidates[index].append(candidate)
            if index == self.wishes.mute, candidate.transport != .tcpActive { return }
            if let deliver = self.deliver { return deliver(candidate, other) }
            other.candidateReceived(candidate)
        case .candidatesEnded: other.remoteCandidatesEnded()
        case .selected(let id, let remote) where index == 0:
            (self.outcome.kind, self.outcome.remote) = (path.kind(of: id), remote)
            self.greet()
        case .stateChanged(.failed): self.end("failed")
        case .selected, .stateChanged, .roleChanged, .resolve, .peerExpected, .dial, .serverSilent: return
        }
    }

    /// Until somebody answers: the other one may not have a pair yet to answer on.
    private func greet() {
        guard let first = self.paths.first else { return }
        first.send(Array("hello".utf8).span)
        self.reactor.schedule(after: .milliseconds(100)) { self.greet() }
    }

    func received(_ payload: Span<UInt8>, on path: PeerPath<ICEAgent>) {
        let text = payload.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        if path !== self.paths.first { return _ = path.send(Array("\(text) yourself".utf8).span) }
        if let heard = self.heard { return heard(text) }
        self.end(text)
    }

    func end(_ sentence: String) {
        guard !self.paths.isEmpty else { return }
        for path in self.paths { path.close() }
        for names in self.names { names.close() }
        self.paths = []
        self.outcome.sentences.append(sentence)
        self.done(self.outcome)
    }

    /// Lets two meet and brings back what came of it. `prepare` may add to the story.
    static func play(
        _ wishes: Wishes, _ prepare: @escaping @Sendable (PeerMeeting) -> Void = { _ in }
    ) async throws -> Outcome {
        let group = try EventLoopGroup(count: 1)
        defer { group.shutDown() }
        return await withCheckedContinuation { continuation in
            group.loops[0].execute { reactor in
                let meeting = PeerMeeting(wishes, on: reactor) { continuation.resume(returning: $0) }
                reactor.schedule(after: .seconds(30)) { meeting.end("and then nothing more") }
                prepare(meeting)
                do { try meeting.start() } catch { meeting.end("\(error)") }
            }
        }
    }
}
