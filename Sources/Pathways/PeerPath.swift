internal import Bytes
package import ICE
package import Reactor
internal import STUN
package import Vocabulary

/// Who is told what becomes of the search for a path, always on its loop.
package protocol PeerPathHandler: AnyObject {
    func happened(_ event: ICEEvent, on path: PeerPath)
    /// What the other peer sent. The bytes are lent for the time of the call.
    func received(_ payload: Span<UInt8>, on path: PeerPath)
}

/// One ICE agent at work: opens its sockets and its relays, carries its packets, tells it the time.
package final class PeerPath {
    /// A TURN server, and who we are to it.
    package struct RelayServer: Sendable {
        package let address: SocketAddress
        package let transport: TURNTransport
        package let account: TURNAccount
        package let trust: ServerTrust

        package init(_ address: SocketAddress, _ transport: TURNTransport, _ account: TURNAccount, _ trust: ServerTrust)
        {
            self.address = address
            self.transport = transport
            self.account = account
            self.trust = trust
        }
    }

    private struct Relay {
        let relay: TURNRelay
        let transport: TURNTransport
        /// The first of the numbers that stand for its addresses: IPv4, then IPv6.
        let base: Int
        var isSettled = false
    }

    private var agent: ICEAgent
    private let reactor: Reactor
    private var handler: (any PeerPathHandler)?
    private var outbox = Outbox<ICEEvent>()
    private var sockets: [PathID: UDPSocket] = [:]
    private var relays: [Relay] = []
    private var timer: TimerToken?
    private var timerDeadline: Instant?

    /// Relays are numbered behind the sockets.
    private static let firstRelay = 1000

    package init(_ agent: ICEAgent, on reactor: Reactor, handler: any PeerPathHandler) {
        self.agent = agent
        self.reactor = reactor
        self.handler = handler
    }

    /// Opens a socket on each of our addresses, and asks every server for a relay, all at the same time.
    package func start(on addresses: [IPAddress], relays: [RelayServer]) throws(ReactorError) {
        for (index, ip) in addresses.enumerated() {
            let socket = try UDPSocket(on: SocketAddress(ip, port: 0), reactor: self.reactor)
            socket.start(self)
            self.sockets[PathID(rawValue: index)] = socket
            self.act { $0.pathAdded(ICEPath(PathID(rawValue: index), address: socket.address), at: $1, into: &$2) }
        }
        for (index, server) in relays.enumerated() {
            let relay = TURNRelay(
                TURNSettings(transport: server.transport, families: [.ipv4, .ipv6]), server: server.address,
                account: server.account, trust: server.trust, on: self.reactor, handler: self)
            let base = Self.firstRelay + 2 * index
            self.relays.append(Relay(relay: relay, transport: server.transport, base: base))
            relay.start()
        }
        self.noticeEndOfPaths()
    }

    package func remoteDescribed(_ credentials: ICECredentials) {
        self.act { $0.remoteDescribed(credentials, at: $1, into: &$2) }
    }

    package func candidateReceived(_ candidate: ICECandidate) {
        self.act { $0.candidateReceived(candidate, at: $1, into: &$2) }
    }

    package func remoteCandidatesEnded() { self.act { $0.remoteCandidatesEnded(at: $1, into: &$2) } }

    /// False when there is no path, or none that they still want to be sent to on.
    @discardableResult
    package func send(_ payload: Span<UInt8>) -> Bool {
        let isOnItsWay = self.agent.send(payload, at: SteadyClock.now, into: &self.outbox)
        self.carryOut()
        return isOnItsWay
    }

    package func close() {
        self.act { agent, _, outbox in agent.close(into: &outbox) }
        self.handler = nil
        for socket in self.sockets.values { socket.close() }
        self.sockets = [:]
        for relay in self.relays { relay.relay.close() }
        self.relays = []
    }
}

// MARK: - What the agent wants

extension PeerPath {
    private func act(_ body: (inout ICEAgent, Instant, inout Outbox<ICEEvent>) -> Void) {
        body(&self.agent, SteadyClock.now, &self.outbox)
        self.carryOut()
    }

    private func carryOut() {
        // Out of the house while it is carried out: whoever hears of it may want something at once.
        var due = Outbox<ICEEvent>()
        swap(&due, &self.outbox)
        for packet in due.packets.packets { due.packets.withBytes(of: packet) { self.send($0, packet) } }
        for event in due.events { self.carryOut(event) }
        due.removeAll()
        if self.outbox.isEmpty { swap(&due, &self.outbox) }
        self.setTimer()
    }

    private func send(_ bytes: Span<UInt8>, _ packet: PacketQueue.Packet) {
        if let socket = self.sockets[packet.path] {
            socket.send(bytes, to: packet.destination)
        } else {
            self.relay(of: packet.path)?.send(bytes, to: packet.destination)
        }
    }

    private func relay(of path: PathID) -> TURNRelay? {
        self.relays.first { path.rawValue == $0.base || path.rawValue == $0.base + 1 }?.relay
    }

    private func carryOut(_ event: ICEEvent) {
        switch event {
        case .peerExpected(let path, let peer): self.relay(of: path)?.permit(peer.ip)
        case .selected(let path, let remote):
            self.relay(of: path)?.bindChannel(to: remote)
            self.handler?.happened(event, on: self)
        // Only UDP is spoken with peers here, and nobody is asked for names.
        case .dial(let path, let peer): self.act { $0.dialed(from: path, to: peer, nil, at: $1, into: &$2) }
        case .resolve(let name): self.act { $0.nameResolved(name, nil, at: $1, into: &$2) }
        case .candidate, .candidatesEnded, .stateChanged, .roleChanged, .serverSilent:
            self.handler?.happened(event, on: self)
        }
    }

    private func setTimer() {
        let deadline = self.agent.deadline
        guard deadline != self.timerDeadline else { return }
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        self.timerDeadline = deadline
        guard let deadline else { return }
        self.timer = self.reactor.schedule(after: max(.zero, SteadyClock.now.duration(to: deadline))) {
            self.timerDeadline = nil
            self.act { $0.clockAdvanced(to: $1, into: &$2) }
        }
    }

    private func noticeEndOfPaths() {
        guard self.relays.allSatisfy(\.isSettled) else { return }
        self.act { $0.pathsEnded(at: $1, into: &$2) }
    }

    private func received(_ bytes: Span<UInt8>, on path: PathID, from peer: SocketAddress) {
        let receipt = self.agent.received(bytes, on: path, from: peer, at: SteadyClock.now, into: &self.outbox)
        self.carryOut()
        if receipt == .data { self.handler?.received(bytes, on: self) }
    }
}

// MARK: - Sockets and relays

extension PeerPath: DatagramHandler {
    package func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
        guard let path = self.sockets.first(where: { $0.value === socket })?.key else { return }
        self.received(datagram, on: path, from: peer)
    }
}

extension PeerPath: TURNRelayHandler {
    package func happened(_ event: TURNEvent, at relay: TURNRelay) {
        guard let index = self.relays.firstIndex(where: { $0.relay === relay }) else { return }
        switch event {
        case .allocated(let allocation):
            self.relays[index].isSettled = true
            for address in allocation.relayed { self.add(address, allocation.mapped, self.relays[index]) }
            self.noticeEndOfPaths()
        case .failed:
            self.relays[index].isSettled = true
            for path in [self.relays[index].base, self.relays[index].base + 1] {
                self.act { $0.pathRemoved(PathID(rawValue: path), at: $1, into: &$2) }
            }
            self.noticeEndOfPaths()
        case .permitted, .forbidden, .channelBound, .reopen, .closed: return
        }
    }

    private func add(_ address: SocketAddress, _ mapped: SocketAddress?, _ relay: Relay) {
        // Among relays UDP is first, for what is lost in it is not waited for.
        let preference: UInt8 = relay.transport.isStream ? 0 : 2
        let path = ICEPath(
            Self.path(to: address.ip, relay), .relayed(mapped: mapped), address: address, preference: preference)
        self.act { $0.pathAdded(path, at: $1, into: &$2) }
    }

    private static func path(to ip: IPAddress, _ relay: Relay) -> PathID {
        PathID(rawValue: relay.base + (STUNAddressFamily(of: ip) == .ipv6 ? 1 : 0))
    }

    package func received(_ payload: Span<UInt8>, from peer: SocketAddress, through relay: TURNRelay) {
        guard let known = self.relays.first(where: { $0.relay === relay }) else { return }
        self.received(payload, on: Self.path(to: peer.ip, known), from: peer)
    }
}
