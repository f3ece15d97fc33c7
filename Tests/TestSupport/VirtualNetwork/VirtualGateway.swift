package import Vocabulary

/// What stands between a realm and the one around it: a NAT for IPv4, a firewall for IPv6.
package final class VirtualGateway {
    /// A flow as far as the mapping tells flows apart.
    private struct Flow: Hashable {
        let inner: SocketAddress
        let remote: SocketAddress
    }

    private struct Binding {
        let flow: Flow
        let inner: SocketAddress
        let outer: SocketAddress
        var expires: Int64
        /// Whom it lets in, and until when; what the filtering does not look at is zero.
        var permitted: [SocketAddress: Int64] = [:]
    }

    package let inside: VirtualRealm
    package let link: VirtualLink
    /// Where everybody outside sees the hosts inside.
    package private(set) var address: IPAddress
    package var behaviour: NATBehaviour
    private let network: Unowned<VirtualNetwork>
    private var outside: VirtualRealm { self.link.realm }

    private var flows: [Flow: SocketAddress] = [:]
    private var bindings: [SocketAddress: Binding] = [:]
    private var nextPort: UInt16
    private var random: SeededRandom

    init(
        _ behaviour: NATBehaviour, at address: IPAddress, _ link: VirtualLink, inside: VirtualRealm,
        of network: VirtualNetwork, seed: UInt64
    ) {
        self.behaviour = behaviour
        self.address = address
        self.link = link
        self.inside = inside
        self.network = Unowned(object: network)
        self.random = SeededRandom(seed: seed)
        self.nextPort = .random(in: 20_000...50_000, using: &self.random)
        link.owner = .gateway(Unowned(object: self))
        inside.gateway = self
        self.outside.places[address] = link
    }

    /// Forgets every binding, as after a restart, and perhaps comes back under another address.
    package func rebind(to address: IPAddress? = nil) {
        self.flows.removeAll()
        self.bindings.removeAll()
        guard let address else { return }
        self.outside.places[self.address] = nil
        self.address = address
        self.outside.places[address] = self.link
    }

    /// The outer address of an inner one, where there is exactly one.
    package func outerAddress(of inner: SocketAddress) -> SocketAddress? {
        let found = self.bindings.values.filter { $0.inner == inner && $0.expires > self.now }
        return found.count == 1 ? found[0].outer : nil
    }

    /// IPv6 addresses inside are addresses outside as well.
    func announce(_ address: IPAddress) {
        guard case .v6 = address, self.behaviour.filtering6 != nil else { return }
        self.outside.places[address] = self.link
        self.outside.gateway?.announce(address)
    }

    private var now: Int64 { self.network.object.nanoseconds }
}

// MARK: - Packets

extension VirtualGateway {
    /// Something inside wants out. Says why not, if not.
    func outward(_ packet: inout VirtualPacket) -> PacketDrop? {
        guard self.behaviour.passesUDP else { return .blocked }
        guard let filtering = self.filtering(of: packet.source) else { return .noRoute }
        let outer = self.outer(of: packet)
        let permission = packet.destination.asFar(as: filtering)
        let expires = self.expiry
        self.bindings[outer]?.expires = expires
        self.bindings[outer]?.permitted[permission] = expires
        packet.source = outer
        return nil
    }

    /// Something outside wants in. Says why not, if not.
    func inward(_ packet: inout VirtualPacket) -> PacketDrop? {
        guard self.behaviour.passesUDP else { return .blocked }
        guard let filtering = self.filtering(of: packet.destination) else { return .noRoute }
        guard let binding = self.bindings[packet.destination], binding.expires > self.now else { return .noBinding }
        let permission = packet.source.asFar(as: filtering)
        if filtering != .endpointIndependent {
            guard let until = binding.permitted[permission], until > self.now else { return .filtered }
        }
        if self.behaviour.isRefreshedFromOutside {
            self.bindings[packet.destination]?.expires = self.expiry
            self.bindings[packet.destination]?.permitted[permission] = self.expiry
        }
        packet.destination = binding.inner
        return nil
    }

    /// Whether somebody inside speaks to the gateway's own outer address.
    func isHairpin(_ packet: VirtualPacket) -> Bool { packet.destination.ip == self.address }

    private var expiry: Int64 {
        self.now.addingReportingOverflow(self.behaviour.lifetime.clampedNanoseconds).partialValue
    }

    private func filtering(of local: SocketAddress) -> NATBehaviour.Dependence? {
        switch local.ip {
        case .v4: self.behaviour.filtering
        case .v6: self.behaviour.filtering6
        }
    }

    private func mapping(of inner: SocketAddress) -> NATBehaviour.Dependence {
        if case .v6 = inner.ip { .endpointIndependent } else { self.behaviour.mapping }
    }

    private func outer(of packet: VirtualPacket) -> SocketAddress {
        let mapping = self.mapping(of: packet.source)
        let flow = Flow(inner: packet.source, remote: packet.destination.asFar(as: mapping))
        if let outer = self.flows[flow], let binding = self.bindings[outer] {
            if binding.expires > self.now { return outer }
            self.bindings[outer] = nil
        }
        let outer = self.freeAddress(for: packet.source)
        if let old = self.bindings[outer] { self.flows[old.flow] = nil }
        self.flows[flow] = outer
        self.bindings[outer] = Binding(flow: flow, inner: packet.source, outer: outer, expires: self.expiry)
        return outer
    }

    private func freeAddress(for inner: SocketAddress) -> SocketAddress {
        guard case .v4 = inner.ip else { return inner }
        while true {
            let candidate = SocketAddress(self.address, port: self.candidatePort(for: inner.port))
            if self.isFree(candidate) { return candidate }
            if self.behaviour.ports == .preserved { return self.randomFreeAddress() }
        }
    }

    private func randomFreeAddress() -> SocketAddress {
        precondition(self.bindings.count < 60_000, "the gateway \(self.address) is out of ports")
        while true {
            let port = UInt16.random(in: 1024...65_535, using: &self.random)
            let candidate = SocketAddress(self.address, port: port)
            if self.isFree(candidate) { return candidate }
        }
    }

    private func candidatePort(for inner: UInt16) -> UInt16 {
        switch self.behaviour.ports {
        case .preserved: return inner
        case .random: return .random(in: 1024...65_535, using: &self.random)
        case .sequential:
            self.nextPort = self.nextPort == .max ? 1024 : self.nextPort + 1
            return self.nextPort
        }
    }

    private func isFree(_ outer: SocketAddress) -> Bool {
        guard let binding = self.bindings[outer] else { return true }
        return binding.expires <= self.now
    }

    /// The address under which a TCP connection from inside appears outside.
    func outerAddressForStream() -> SocketAddress {
        SocketAddress(self.address, port: .random(in: 1024...65_535, using: &self.random))
    }
}

extension SocketAddress {
    /// The address without what makes no difference.
    fileprivate func asFar(as dependence: NATBehaviour.Dependence) -> SocketAddress {
        switch dependence {
        case .endpointIndependent: SocketAddress(.any, port: 0)
        case .addressDependent: SocketAddress(self.ip, port: 0)
        case .addressAndPortDependent: self
        }
    }
}
