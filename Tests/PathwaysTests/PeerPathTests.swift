import ICE
import Pathways
import Reactor
import Testing
import Vocabulary

/// Two peers on one loop who hear of each other at once, until the first has had an answer.
private final class Meeting: PeerPathHandler {
    private var paths: [PeerPath] = []
    private var credentials: [ICECredentials] = []
    private var sentences: [String] = []
    private let done: ([String]) -> Void

    init(on reactor: Reactor, address: IPAddress, done: @escaping ([String]) -> Void) throws {
        self.done = done
        var random = SystemRandomNumberGenerator()
        for role in [ICERole.controlling, .controlled] {
            let credentials = ICECredentials(using: &random)
            self.credentials.append(credentials)
            self.paths.append(PeerPath(ICEAgent(role, credentials, random: random), on: reactor, handler: self))
        }
        for (path, other) in zip(self.paths, self.credentials.reversed()) { path.remoteDescribed(other) }
        for path in self.paths { try path.start(on: [address], relays: []) }
    }

    func happened(_ event: ICEEvent, on path: PeerPath) {
        guard let other = self.paths.first(where: { $0 !== path }) else { return }
        switch event {
        case .candidate(let candidate): other.candidateReceived(candidate)
        case .candidatesEnded: other.remoteCandidatesEnded()
        case .selected where path === self.paths.first: path.send(Array("hello".utf8).span)
        case .stateChanged(.failed): self.end("failed")
        case .selected, .stateChanged, .roleChanged, .resolve, .peerExpected, .dial, .serverSilent: return
        }
    }

    func received(_ payload: Span<UInt8>, on path: PeerPath) {
        let text = payload.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        self.sentences.append(text)
        if path === self.paths.first { return self.end("done") }
        path.send(Array("\(text) yourself".utf8).span)
    }

    private func end(_ sentence: String) {
        for path in self.paths { path.close() }
        self.paths = []
        self.done(self.sentences + [sentence])
    }
}

@Suite("A path between peers", .timeLimit(.minutes(1)))
struct PeerPathTests {
    @Test("is found on one machine over either family", arguments: [IPAddress.loopback, .loopback6])
    func loopback(address: IPAddress) async throws {
        let group = try EventLoopGroup(count: 1)
        defer { group.shutDown() }
        let happened = await withCheckedContinuation { (continuation: CheckedContinuation<[String], Never>) in
            group.loops[0].execute { reactor in
                do {
                    let meeting = try Meeting(on: reactor, address: address) { continuation.resume(returning: $0) }
                    reactor.schedule(after: .seconds(30)) { withExtendedLifetime(meeting) {} }
                } catch {
                    continuation.resume(returning: ["\(error)"])
                }
            }
        }
        #expect(happened == ["hello", "hello yourself", "done"])
    }
}
