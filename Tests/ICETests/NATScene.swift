import ICE
import STUN
import TestSupport
import Vocabulary

/// Two peers behind two gateways, a STUN and a TURN server between them.
struct NATScene {
    static let stunServer = SocketAddress(.v4(0xC633_6401), port: 3478)
    static let turnServer = SocketAddress(.v4(0xC633_6402), port: 3478)

    let network: VirtualNetwork
    let peers: [NATPeer]
    let hosts: [VirtualHost]
    let gateways: [VirtualGateway]
    let stun: VirtualSTUNServer
    let turn: VirtualTURNServer
    private let behaviours: [NATBehaviour]

    /// - Parameter signalling: how long a description or a candidate is on its way to the other side.
    init(
        _ left: NATBehaviour, _ right: NATBehaviour, loss: Double = 0, seed: UInt64 = 1,
        delay: Duration = .milliseconds(25), signalling: Duration = .milliseconds(30),
        servers: [SocketAddress] = [stunServer], settings: ICESettings = ICESettings()
    ) throws {
        self.network = VirtualNetwork(seed: seed)
        self.behaviours = [left, right]
        self.stun = try VirtualSTUNServer(on: self.network.addHost(Self.stunServer.ip))
        self.turn = try VirtualTURNServer(on: self.network.addHost(Self.turnServer.ip), of: self.network)
        let link = LinkProfile(delay: delay, loss: loss > 0 ? .random(loss) : .none)
        var settings = settings
        settings.stunServers = servers
        var parts: (peers: [NATPeer], hosts: [VirtualHost], gateways: [VirtualGateway]) = ([], [], [])
        for (index, behaviour) in self.behaviours.enumerated() {
            let gateway = self.network.addGateway(behaviour, at: .v4(0xCB00_7105 + UInt32(index) << 8))
            let host = self.network.addHost(
                .v4(0xC0A8_0002 + UInt32(index) << 8), in: gateway.inside, link: link,
                down: LinkProfile(loss: link.loss))
            parts.gateways.append(gateway)
            parts.hosts.append(host)
            parts.peers.append(
                NATPeer(
                    index == 0 ? .controlling : .controlled, self.network, host, settings: settings,
                    signalling: signalling))
        }
        (self.peers, self.hosts, self.gateways) = parts
        self.peers[0].other = self.peers[1]
        self.peers[1].other = self.peers[0]
    }

    /// Both begin at the same time, and say who they are at once.
    func start(turn: SocketAddress? = turnServer) throws {
        for peer in self.peers { try peer.start(turn: turn) }
        for peer in self.peers { peer.describe() }
    }

    var bothSelected: Bool { self.peers.allSatisfy { $0.selection != nil } }

    /// How many relays are on the way that a peer uses.
    func relays(_ peer: Int) -> Int? {
        guard let selection = self.peers[peer].selection else { return nil }
        return (NATPeer.isRelayed(selection.path) ? 1 : 0) + (selection.remote.ip == Self.turnServer.ip ? 1 : 0)
    }

    /// Both use the same way, and it is the cheapest there can be.
    var isBest: Bool {
        let best = Self.fewestRelays(self.behaviours[0], self.behaviours[1])
        return self.relays(0) == best && self.relays(1) == best
    }

    /// Both sides mean the same way: what one sends from is what the other sends to, as far as NATs let it be seen.
    var isSameWay: Bool {
        guard let first = self.peers[0].selection, let second = self.peers[1].selection else { return false }
        let isRelayed = [first, second].map { NATPeer.isRelayed($0.path) }
        let isTowardsRelay = [first, second].map { $0.remote.ip == Self.turnServer.ip }
        return isRelayed[0] == isTowardsRelay[1] && isRelayed[1] == isTowardsRelay[0]
    }

    /// Waits until both use the cheapest way and nothing better is found for two seconds.
    func settle() {
        let end = Instant(milliseconds: 40_000)
        while self.network.run(until: end, isDone: { self.isBest && self.isSameWay }) {
            self.network.run(for: .seconds(2))
            if self.isBest && self.isSameWay { return }
        }
    }

    /// Sends packets both ways until some have arrived.
    func carriesPackets() -> Bool {
        for attempt in 0..<100 {
            let packet: [UInt8] = [0x80, UInt8(attempt)]
            guard self.peers[0].send(packet), self.peers[1].send(packet) else { return false }
            self.network.run(for: .milliseconds(200))
            if self.peers.allSatisfy({ !$0.heard.isEmpty }) { return true }
        }
        return false
    }

    /// What theory says (RFC 5128 §3.3, thought through for all kinds): whether a hole can be punched.
    static func fewestRelays(_ left: NATBehaviour, _ right: NATBehaviour) -> Int {
        guard left.passesUDP, right.passesUDP else { return left.passesUDP || right.passesUDP ? 1 : 2 }
        return self.canPunch(left, right) ? 0 : 1
    }

    private static func canPunch(_ left: NATBehaviour, _ right: NATBehaviour) -> Bool {
        let isStable = [left, right].map { $0.mapping == .endpointIndependent }
        // Each knows where the other will come from.
        if isStable == [true, true] { return true }
        // One comes from an unknown port: the other must not care about ports.
        if isStable[0] { return left.filtering != .addressAndPortDependent }
        if isStable[1] { return right.filtering != .addressAndPortDependent }
        // Both do: one must let anybody in, the other must not care about ports, and the answer must come from where
        // the question went.
        if left.mapping == .addressAndPortDependent, right.mapping == .addressAndPortDependent { return false }
        let isOpen = [left, right].map { $0.filtering == .endpointIndependent }
        let isStrict = [left, right].map { $0.filtering == .addressAndPortDependent }
        return isOpen[0] && !isStrict[1] || isOpen[1] && !isStrict[0]
    }
}
