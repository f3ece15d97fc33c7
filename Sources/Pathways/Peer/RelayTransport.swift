internal import ICE
internal import Reactor
internal import STUN
internal import Vocabulary

/// A relay, with a path for each family of addresses it may have.
final class RelayTransport: PeerTransport, TURNRelayHandler {
    private let ids: (v4: PathID, v6: PathID)
    private let transport: TURNTransport
    private let server: SocketAddress
    private var relay: TURNRelay?
    private var owner: (any PeerTransportOwner)?
    /// Whether it is known if there is one.
    private(set) var isSettled = false
    /// It was said already that there is none.
    private var isReported = false

    /// What has not answered by then is told of, as STUN servers are; it is still waited for.
    private static let answerTimeout = Duration.seconds(5)

    init(_ server: RelayServer, of owner: any PeerTransportOwner) {
        self.ids = (owner.makePathID(), owner.makePathID())
        self.transport = server.transport
        self.server = server.address
        self.owner = owner
        self.relay = TURNRelay(
            TURNSettings(transport: server.transport, families: [.ipv4, .ipv6]), server: server.address,
            account: server.account, trust: server.trust, on: owner.reactor, handler: self)
    }

    var kind: PeerTransportKind { .relay }
    var paths: [PathID] { [self.ids.v4, self.ids.v6] }

    func start() {
        self.relay?.start()
        self.owner?.reactor.schedule(after: Self.answerTimeout) { [weak self] in
            guard let self, !self.isSettled else { return }
            self.report(CandidateError(.turn, silent: self.server))
        }
    }

    private func report(_ error: CandidateError) {
        guard !self.isReported else { return }
        self.isReported = true
        self.owner?.failed(error)
    }

    func send(_ packet: Span<UInt8>, to peer: SocketAddress) { self.relay?.send(packet, to: peer) }
    func permit(_ ip: IPAddress) { self.relay?.permit(ip) }
    func bindChannel(to peer: SocketAddress) { self.relay?.bindChannel(to: peer) }

    func close() {
        self.owner = nil
        self.relay.take()?.close()
    }

    func happened(_ event: TURNEvent, at relay: TURNRelay) {
        switch event {
        case .allocated(let allocation):
            self.isSettled = true
            for address in allocation.relayed { self.add(address, allocation.mapped) }
            self.owner?.noticeEndOfPaths()
        case .failed(let failure):
            self.isSettled = true
            self.report(CandidateError(failure, of: self.server))
            for path in self.paths { self.owner?.removed(path) }
            self.owner?.noticeEndOfPaths()
        case .permitted, .forbidden, .channelBound, .reopen, .closed: return
        }
    }

    private func add(_ address: SocketAddress, _ mapped: SocketAddress?) {
        // Among relays UDP is first, for what is lost in it is not waited for.
        let preference: UInt8 = self.transport.isStream ? 0 : 2
        let path = ICEPath(
            self.path(to: address.ip), .relayed(mapped: mapped), address: address, preference: preference)
        self.owner?.added(path)
    }

    private func path(to ip: IPAddress) -> PathID {
        STUNAddressFamily(of: ip) == .ipv6 ? self.ids.v6 : self.ids.v4
    }

    func received(_ payload: Span<UInt8>, from peer: SocketAddress, through relay: TURNRelay) {
        _ = self.owner?.received(payload, on: self.path(to: peer.ip), from: peer)
    }
}
