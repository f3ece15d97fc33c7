internal import Hashing
internal import Reactor
internal import STUN
internal import Secure
internal import TURN
internal import Vocabulary

/// The clients of the TURN server that speak DTLS. Of whoever has not shown that its address is its own nothing is kept.
final class DTLSClients {
    private let certificate: () -> TLSContext?
    private let reactor: Reactor
    private unowned let service: TURNService
    private let key: HMACKey
    private var context: (tls: TLSContext, dtls: DTLSContext)?
    /// Takes the next client's first datagrams.
    private var listening: DTLSSession?
    private var clients: [Place: DTLSClient] = [:]
    private var strangers: SourceLimiter

    private static let maximumClients = 8192
    /// Answers a second to one prefix before it has shown where it is.
    private static let firstAnswersPerSecond = 500
    /// As long a cookie is good, and once more as long.
    private static let cookieSeconds: Int64 = 60

    private struct Place: Hashable {
        let peer: SocketAddress
        let socket: ObjectIdentifier
    }

    init(_ certificate: @escaping () -> TLSContext?, _ service: TURNService, _ reactor: Reactor) {
        self.certificate = certificate
        self.service = service
        self.reactor = reactor
        var random = SystemRandomNumberGenerator()
        self.key = HMACKey((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }, using: .sha256)
        self.strangers = SourceLimiter(limit: Self.firstAnswersPerSecond, using: &random)
    }

    /// Whether a datagram's first byte is one of DTLS (RFC 7983 §7).
    static func isTheirs(_ datagram: Span<UInt8>) -> Bool { datagram.count > 0 && (20...63).contains(datagram[0]) }

    func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
        let place = Place(peer: peer, socket: ObjectIdentifier(socket))
        if let client = self.clients[place] { return client.received(datagram) }
        guard self.clients.count < Self.maximumClients, self.strangers.allows(peer.ip, at: self.reactor.instant),
            let session = self.session()
        else { return }
        do throws(SecureError) {
            // What it says goes out in any case: a cookie, or why it will not do.
            defer { for answer in session.takeDatagrams() { socket.send(answer.span, to: peer) } }
            guard try session.listen(datagram, cookies: self.cookies(for: peer)) else { return }
            self.listening = nil
            let client = DTLSClient(session, peer, socket, self.service) { [weak self] in self?.clients[place] = nil }
            self.clients[place] = client
            client.begin()
        } catch {
            self.listening = nil
        }
    }

    func sweep() { for client in self.clients.values { client.sweep(at: self.reactor.instant) } }

    func close() { for client in self.clients.values { client.close() } }

    /// One that nobody has yet, with the certificate as it is now.
    private func session() -> DTLSSession? {
        guard let tls = self.certificate() else { return nil }
        if self.context?.tls !== tls {
            self.context = (try? DTLSContext(serverAs: tls)).map { (tls, $0) }
            self.listening = nil
        }
        guard let context = self.context?.dtls else { return nil }
        if self.listening == nil { self.listening = try? DTLSSession(context, role: .server) }
        return self.listening
    }

    /// Of this minute and of the one before.
    private func cookies(for peer: SocketAddress) -> [[UInt8]] {
        let minute = Int64(SystemClock.now().seconds) / Self.cookieSeconds
        return [minute, minute - 1].map { Array(self.key.code(of: Array("\($0) \(peer)".utf8)).prefix(16)) }
    }
}

/// One client by DTLS, which has shown that its address is its own.
private final class DTLSClient: TURNLine {
    private let session: DTLSSession
    private let peer: SocketAddress
    private let socket: UDPSocket
    private unowned let service: TURNService
    private let ended: () -> Void
    private var lastHeard: Instant
    private var repetition: TimerToken?
    private var wasEstablished = false

    private static let handshakeTimeout = Duration.seconds(30)
    /// Longer than the usual life of an allocation.
    private static let silenceTimeout = Duration.seconds(660)

    init(
        _ session: DTLSSession, _ peer: SocketAddress, _ socket: UDPSocket, _ service: TURNService,
        ended: @escaping () -> Void
    ) {
        self.session = session
        self.peer = peer
        self.socket = socket
        self.service = service
        self.ended = ended
        self.lastHeard = service.reactor.instant
    }

    var isStream: Bool { false }
    // Nothing is taken by datagrams.
    func join(_ peer: any PeerStream, of user: TURNUser) { peer.close() }

    func begin() { self.flush() }

    func send(_ bytes: Span<UInt8>, to client: SocketAddress) {
        guard self.session.isEstablished, (try? self.session.send(bytes)) != nil else { return }
        self.flush()
    }

    func received(_ datagram: Span<UInt8>) {
        self.lastHeard = self.service.reactor.instant
        do throws(SecureError) {
            try self.session.receive(datagram) { self.service.received($0, from: self.peer, on: self) }
        } catch {
            return self.end()
        }
        self.flush()
        if self.session.isClosedByPeer { self.end() }
    }

    func sweep(at now: Instant) {
        let limit = self.wasEstablished ? Self.silenceTimeout : Self.handshakeTimeout
        if self.lastHeard + limit <= now { self.close() }
    }

    func close() {
        self.session.close()
        self.flush()
        self.end()
    }

    private func end() {
        if let timer = self.repetition.take() { self.service.reactor.cancel(timer) }
        self.service.ended(self, of: self.peer)
        self.ended()
    }

    private func flush() {
        for datagram in self.session.takeDatagrams() { self.socket.send(datagram.span, to: self.peer) }
        guard !self.wasEstablished else { return }
        self.wasEstablished = self.session.isEstablished
        if self.wasEstablished { self.session.releaseBuffers() }
        self.awaitAnswer()
    }

    /// What of the handshake is not answered goes out again.
    private func awaitAnswer() {
        if let timer = self.repetition.take() { self.service.reactor.cancel(timer) }
        guard !self.wasEstablished, let pause = self.session.timeout else { return }
        self.repetition = self.service.reactor.schedule(after: pause) { [weak self] in
            guard let self else { return }
            self.repetition = nil
            if (try? self.session.timedOut()) == nil { self.end() } else { self.flush() }
        }
    }
}
