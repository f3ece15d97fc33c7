import ICE
import Pathways
import Reactor
import Vocabulary

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// One of two who look for a path to each other, for tests in real networks. Whoever starts both carries each one's
/// lines to the other: `remote UFRAG PASSWORD`, candidates as browsers write them, `end`.
///
///     path-peer controlling|controlled LOCAL-ADDRESS STUN-SERVER [TURN-SERVER]
@main
struct PathPeer {
    static func main() throws {
        let words = CommandLine.arguments.dropFirst()
        guard words.count >= 3, let first = words.first, let local = IPAddress(words[2]),
            let stun = SocketAddress(words[3])
        else {
            print("usage: path-peer controlling|controlled LOCAL-ADDRESS STUN-SERVER [TURN-SERVER]")
            return
        }
        let turn = words.count > 3 ? SocketAddress(words[4]) : nil
        let loop = try EventLoop()
        let isControlling = first == "controlling"
        let peer = LoopPeer()
        loop.execute { peer.start(isControlling, local, stun, turn, on: $0) }
        while let line = readLine() { loop.execute { _ in peer.heard(line) } }
        loop.execute { $0.shutDown() }
        loop.join()
    }
}

/// What lives on the loop; the lines from outside are handed to it there.
final class LoopPeer: PeerPathHandler, @unchecked Sendable {
    // Unchecked because it is touched on its loop only, after it was made.
    private var path: PeerPath?
    private var remoteFragment = ""
    private var isControlling = false
    private var isAnswered = false
    private var reactor: Reactor?

    func start(
        _ isControlling: Bool, _ local: IPAddress, _ stun: SocketAddress, _ turn: SocketAddress?, on reactor: Reactor
    ) {
        var random = SystemRandomNumberGenerator()
        let credentials = ICECredentials(using: &random)
        var settings = ICESettings()
        settings.stunServers = [stun]
        let agent = ICEAgent(
            isControlling ? .controlling : .controlled, credentials, settings: settings, random: random)
        let path = PeerPath(agent, on: reactor, handler: self)
        self.isControlling = isControlling
        self.reactor = reactor
        self.path = path
        self.say("remote \(credentials.usernameFragment) \(credentials.password)")
        let account = TURNAccount(username: "user", password: "pass")
        let relays = [TURNTransport.udp, .tcp].compactMap { transport in
            turn.map { PeerPath.RelayServer($0, transport, account, ServerTrust(name: "lab", isBlind: true)) }
        }
        do {
            try path.start(on: [local], relays: relays)
        } catch {
            self.say("error \(error)")
        }
    }

    func heard(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        if words.first == "remote", words.count == 3 {
            guard let credentials = ICECredentials(usernameFragment: words[1], password: words[2]) else { return }
            self.path?.remoteDescribed(credentials)
        } else if line == "end" {
            self.path?.remoteCandidatesEnded()
        } else if let candidate = ICECandidate(line) {
            self.path?.candidateReceived(candidate)
        }
    }

    func happened(_ event: ICEEvent, on path: PeerPath) {
        switch event {
        case .candidate(let candidate): self.say(candidate.text)
        case .candidatesEnded: self.say("end")
        case .stateChanged(let state): self.say("state \(state.rawValue)")
        case .selected(let id, let remote):
            self.say("selected \(id.rawValue < 1000 ? "own" : "relay") \(remote)")
            if self.isControlling { self.greet() }
        case .roleChanged, .resolve, .peerExpected, .dial, .serverSilent: return
        }
    }

    /// Until somebody answers: the first may be too early for a better path, or lost.
    private func greet() {
        guard !self.isAnswered else { return }
        self.path?.send(Array("hello".utf8).span)
        self.reactor?.schedule(after: .milliseconds(200)) { self.greet() }
    }

    func received(_ payload: Span<UInt8>, on path: PeerPath) {
        let text = payload.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        self.say("heard \(text)")
        self.isAnswered = true
        if !self.isControlling { path.send(Array("\(text) yourself".utf8).span) }
    }

    private func say(_ line: String) {
        // Not through the library's buffer: to flush it would be to wait for who reads the other one.
        let bytes = Array((line + "\n").utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }
}
