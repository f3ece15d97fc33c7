import Bytes
import ICE
import Pathways
import Reactor
import STUN
import Vocabulary

/// Sends back what it gets.
final class UDPEcho: DatagramHandler {
    private(set) var peers: [SocketAddress] = []

    func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
        self.peers.append(peer)
        socket.send(datagram, to: peer)
    }
}

/// A relay that speaks with echoes: what happened to it, in order, as sentences.
final class RelayStory: TURNRelayHandler {
    enum Step: Sendable {
        case echo(IPAddress)
        case bind(IPAddress)
        case permit(IPAddress)
        case rest(Duration)
        /// Goes without a word.
        case vanish
    }

    private let reactor: Reactor
    private var steps: [Step]
    private var relay: TURNRelay?
    private var echoes: [IPAddress: (socket: UDPSocket, handler: UDPEcho)] = [:]
    private var sentences: [String] = []
    private let done: ([String]) -> Void

    init(_ steps: [Step], on reactor: Reactor, done: @escaping ([String]) -> Void) throws {
        self.steps = steps
        self.reactor = reactor
        self.done = done
        for ip in [IPAddress.loopback, .loopback6] {
            let handler = UDPEcho()
            let socket = try UDPSocket(on: SocketAddress(ip, port: 0), reactor: reactor)
            socket.start(handler)
            self.echoes[ip] = (socket, handler)
        }
    }

    func start(_ settings: TURNSettings, at server: SocketAddress, as account: TURNAccount) {
        let relay = TURNRelay(
            settings, server: server, account: account, trust: ServerTrust(name: "localhost", isBlind: true),
            on: self.reactor, handler: self)
        self.relay = relay
        relay.start()
        self.reactor.schedule(after: .seconds(20)) { self.end("and then nothing more") }
    }

    func happened(_ event: TURNEvent, at relay: TURNRelay) {
        switch event {
        case .allocated(let allocation):
            self.sentences.append("allocated \(allocation.relayed.map(\.ip))")
            self.goOn()
        case .channelBound: self.say("bound")
        case .permitted: if case .permit? = self.steps.first { self.say("permitted") }
        case .forbidden(_, let failure): self.say("forbidden: \(failure.code?.description ?? "\(failure)")")
        case .reopen: self.sentences.append("reopened")
        case .failed(let failure): self.sentences.append("failed: \(failure.code?.description ?? "\(failure)")")
        case .closed:
            self.end("closed")
        }
    }

    private func end(_ sentence: String) {
        guard self.relay.take() != nil else { return }
        for echo in self.echoes.values { echo.socket.close() }
        self.done(self.sentences + [sentence])
    }

    func received(_ payload: Span<UInt8>, from peer: SocketAddress, through relay: TURNRelay) {
        // A second answer, because it was asked twice.
        guard case .echo? = self.steps.first else { return }
        let text = payload.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        self.say(peer == self.echoes[peer.ip]?.socket.address ? text : "\(text) from a stranger")
    }

    private func say(_ sentence: String) {
        self.sentences.append(sentence)
        self.steps = Array(self.steps.dropFirst())
        self.goOn()
    }

    private func goOn() {
        switch self.steps.first {
        case nil: self.relay?.close()
        case .echo(let ip): self.call(ip, left: self.steps.count)
        case .bind(let ip): if let peer = self.echoes[ip]?.socket.address { self.relay?.bindChannel(to: peer) }
        case .permit(let ip): self.relay?.permit(ip)
        case .vanish: self.end("vanished")
        case .rest(let duration): self.reactor.schedule(after: duration) { self.say("rested") }
        }
    }

    /// Until somebody answers: what is sent may get lost.
    private func call(_ ip: IPAddress, left: Int) {
        guard let peer = self.echoes[ip]?.socket.address, let relay = self.relay, self.steps.count == left else {
            return
        }
        relay.send(Array("echo".utf8).span, to: peer)
        self.reactor.schedule(after: .milliseconds(500)) { self.call(ip, left: left) }
    }

    /// Plays a story against a server and brings back what happened.
    static func play(
        _ steps: [Step], _ settings: TURNSettings, at server: SocketAddress,
        as account: TURNAccount = TURNAccount(username: "user", password: "pass")
    ) async throws -> [String] {
        let group = try EventLoopGroup(count: 1)
        defer { group.shutDown() }
        return await withCheckedContinuation { continuation in
            group.loops[0].execute { reactor in
                do {
                    let story = try RelayStory(steps, on: reactor) { continuation.resume(returning: $0) }
                    story.start(settings, at: server, as: account)
                } catch {
                    continuation.resume(returning: ["\(error)"])
                }
            }
        }
    }
}
