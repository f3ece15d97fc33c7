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
/// lines to the other: `remote UFRAG PASSWORD`, candidates as browsers write them, `end`. `say WORDS` sends the words,
/// `resolve NAME` asks for a name.
///
///     path-peer controlling|controlled LOCAL-ADDRESS|all [stun=SERVER] [turn=SERVER] [without=udp|tcp] [hides=yes]
@main
struct PathPeer {
    static func main() throws {
        guard let wishes = Wishes(CommandLine.arguments.dropFirst()) else {
            print("usage: path-peer controlling|controlled LOCAL-ADDRESS|all [stun=SERVER] [turn=SERVER] …")
            return
        }
        let loop = try EventLoop()
        let peer = LoopPeer(wishes)
        loop.execute { peer.start(on: $0) }
        while let line = readLine() { loop.execute { _ in peer.heard(line) } }
        loop.execute { $0.shutDown() }
        loop.join()
    }
}

/// What the command line asks for.
struct Wishes: Sendable {
    let isControlling: Bool
    /// Nil for all there are, whenever they come or go.
    let local: IPAddress?
    var stun: SocketAddress?
    var turn: SocketAddress?
    var speaksUDP = true
    var speaksTCP = true
    var hidesAddresses = false

    init?(_ words: ArraySlice<String>) {
        guard let role = words.first, let second = words.dropFirst().first else { return nil }
        self.isControlling = role == "controlling"
        self.local = IPAddress(second)
        guard self.local != nil || second == "all" else { return nil }
        for word in words.dropFirst(2) {
            let halves = word.split(separator: "=", maxSplits: 1)
            guard halves.count == 2 else { return nil }
            switch halves[0] {
            case "stun": self.stun = SocketAddress(halves[1])
            case "turn": self.turn = SocketAddress(halves[1])
            case "without": if halves[1] == "udp" { self.speaksUDP = false } else { self.speaksTCP = false }
            case "hides": self.hidesAddresses = true
            default: return nil
            }
        }
    }
}

extension Wishes {
    /// The addresses to use; the loopback interface is as good as any when it is asked for.
    func look() -> [InterfaceAddress] {
        InterfaceAddress.all().compactMap { address in
            guard let local = self.local else { return address }
            return address.ip == local ? InterfaceAddress(local, on: address.interface, index: address.index) : nil
        }
    }
}

/// What lives on the loop; the lines from outside are handed to it there.
final class LoopPeer: PeerPathHandler, @unchecked Sendable {
    // Unchecked because it is touched on its loop only, after it was made.
    private var path: PeerPath<ICEAgent>?
    private var names: LocalNames?
    private let wishes: Wishes
    private var isAnswered = false
    private var reactor: Reactor?

    init(_ wishes: Wishes) {
        self.wishes = wishes
    }

    func start(on reactor: Reactor) {
        var random = SystemRandomNumberGenerator()
        let credentials = ICECredentials(using: &random)
        var settings = ICESettings()
        settings.stunServers = [self.wishes.stun].compactMap(\.self)
        let agent = ICEAgent(
            self.wishes.isControlling ? .controlling : .controlled, credentials, settings: settings, random: random)
        let watch = InterfaceWatch(on: reactor, inspect: self.wishes.look)
        var means = PeerPathSettings()
        means.speaksUDP = self.wishes.speaksUDP
        means.speaksTCP = self.wishes.speaksTCP
        let names = LocalNames(on: reactor, watching: watch)
        means.names = self.wishes.hidesAddresses ? .told(names) : .known(names)
        self.names = names
        let path = PeerPath(agent, on: reactor, by: means, handler: self)
        self.reactor = reactor
        self.path = path
        self.say("remote \(credentials.usernameFragment) \(credentials.password)")
        let account = TURNAccount(username: "user", password: "pass")
        let trust = ServerTrust(name: "lab", isBlind: true)
        let relays = [TURNTransport.udp, .tcp].compactMap { transport in
            self.wishes.turn.map { RelayServer($0, transport, account, trust) }
        }
        path.start(following: watch, relays: relays)
    }

    func heard(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        if words.first == "remote", words.count == 3 {
            guard let credentials = ICECredentials(usernameFragment: words[1], password: words[2]) else { return }
            self.path?.remoteDescribed(credentials)
        } else if line == "end" {
            self.path?.remoteCandidatesEnded()
        } else if line.hasPrefix("say ") {
            self.path?.send(Array(line.utf8.dropFirst(4)).span)
        } else if words.first == "resolve", words.count == 2 {
            self.names?.resolve(words[1]) { self.say("found \(words[1]) \($0?.description ?? "nowhere")") }
        } else if let candidate = ICECandidate(line) {
            self.path?.candidateReceived(candidate)
        }
    }

    func happened(_ event: ICEEvent, on path: PeerPath<ICEAgent>) {
        switch event {
        case .candidate(let candidate): self.say(candidate.text)
        case .candidatesEnded: self.say("end")
        case .stateChanged(let state): self.say("state \(state.rawValue)")
        case .selected(let id, let remote):
            self.say("selected \(path.kind(of: id)?.rawValue ?? "gone") \(remote)")
            if self.wishes.isControlling { self.greet() }
        case .roleChanged(let role): self.say("role \(role)")
        case .resolve, .peerExpected, .dial, .serverSilent: return
        }
    }

    /// Until somebody answers: the first may be too early for a better path, or lost.
    private func greet() {
        guard !self.isAnswered else { return }
        self.path?.send(Array("hello".utf8).span)
        self.reactor?.schedule(after: .milliseconds(200)) { self.greet() }
    }

    func received(_ payload: Span<UInt8>, on path: PeerPath<ICEAgent>) {
        let text = payload.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        self.say("heard \(text)")
        self.isAnswered = true
        if !self.wishes.isControlling { path.send(Array("\(text) yourself".utf8).span) }
    }

    private func say(_ line: String) {
        // Not through the library's buffer: to flush it would be to wait for who reads the other one.
        let bytes = Array((line + "\n").utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }
}
