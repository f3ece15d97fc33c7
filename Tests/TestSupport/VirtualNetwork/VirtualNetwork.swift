package import Vocabulary

/// A network in memory and in a time of its own: what runs on it runs the same way for the same seed.
///
///     internet ──link── server
///        └─link── gateway ── inside ──link── host
///                               └─link── gateway ── inside ──link── host
///
/// A packet goes up its host's link into a realm, down the link of whoever has its address there, or else through the
/// realm's gateway, which may translate it, and up that one's link into the realm around.
package final class VirtualNetwork {
    package let internet = VirtualRealm()
    package private(set) var eventCount = 0
    /// Sees every datagram where it is sent, delivered or dropped.
    package var watcher: ((VirtualSighting) -> Void)?
    private(set) var nanoseconds: Int64 = 0

    private var drops = [Int](repeating: 0, count: PacketDrop.allCases.count)
    private var events = EventHeap()
    private var random: SeededRandom
    private var links: [VirtualLink] = []
    private var hosts: [VirtualHost] = []
    private var gateways: [VirtualGateway] = []
    private var packets: [VirtualPacket?] = []
    private var freePackets: [Int32] = []
    private var alarms: [VirtualAlarm.Slot] = []
    private var calls: [Int32: () -> Void] = [:]
    private var nextCall: Int32 = 0

    package init(seed: UInt64) {
        self.random = SeededRandom(seed: seed)
    }

    package var now: Instant { Instant(nanoseconds: self.nanoseconds) }

    package func dropCount(_ reason: PacketDrop) -> Int { self.drops[reason.rawValue] }

    /// A value for whoever wants randomness of its own that belongs to this network's seed.
    package func makeRandom() -> SeededRandom { SeededRandom(seed: self.random.next()) }
}

// MARK: - Building

extension VirtualNetwork {
    package func addHost(
        _ addresses: IPAddress..., in realm: VirtualRealm? = nil, link: LinkProfile = .perfect,
        down: LinkProfile? = nil
    ) -> VirtualHost {
        let firstPort = UInt16.random(in: 49_152...60_000, using: &self.random)
        let host = VirtualHost(of: self, firstPort: firstPort)
        self.hosts.append(host)
        self.addInterface(addresses, to: host, in: realm, link: link, down: down)
        return host
    }

    /// Gives a host another way out.
    @discardableResult
    package func addInterface(
        _ addresses: [IPAddress], to host: VirtualHost, in realm: VirtualRealm? = nil, link: LinkProfile = .perfect,
        down: LinkProfile? = nil
    ) -> VirtualInterface {
        let interface = VirtualInterface(self.makeLink(in: realm, link, down), of: host)
        for address in addresses { interface.add(address) }
        host.interfaces.append(interface)
        return interface
    }

    /// Puts a gateway into `realm`. Hosts and further gateways are added to its inside.
    package func addGateway(
        _ behaviour: NATBehaviour, at address: IPAddress, in realm: VirtualRealm? = nil, link: LinkProfile = .perfect,
        down: LinkProfile? = nil
    ) -> VirtualGateway {
        let gateway = VirtualGateway(
            behaviour, at: address, self.makeLink(in: realm, link, down), inside: VirtualRealm(), of: self,
            seed: self.random.next())
        self.gateways.append(gateway)
        return gateway
    }

    private func makeLink(in realm: VirtualRealm?, _ up: LinkProfile, _ down: LinkProfile?) -> VirtualLink {
        let link = VirtualLink(
            Int32(self.links.count), in: realm ?? self.internet, up: up, down: down ?? up, seed: self.random.next())
        self.links.append(link)
        return link
    }
}

// MARK: - Time

extension VirtualNetwork {
    /// Lets everything happen that happens until then.
    package func run(until end: Instant) {
        while let event = self.events.first, event.nanoseconds <= end.nanoseconds { self.happen(event) }
        self.nanoseconds = max(self.nanoseconds, end.nanoseconds)
    }

    package func run(for duration: Duration) { self.run(until: self.now + duration) }

    /// Goes on until `isDone`, at most until then; says whether it is.
    package func run(until end: Instant, isDone: () -> Bool) -> Bool {
        while !isDone() {
            guard let event = self.events.first, event.nanoseconds <= end.nanoseconds else {
                self.nanoseconds = max(self.nanoseconds, end.nanoseconds)
                return isDone()
            }
            self.happen(event)
        }
        return true
    }

    /// Calls back once. For the few turns of a test's story; a machine's deadline is an alarm.
    package func at(_ moment: Instant, _ body: @escaping () -> Void) {
        self.calls[self.nextCall] = body
        self.events.add(.call, self.nextCall, at: max(moment.nanoseconds, self.nanoseconds))
        self.nextCall &+= 1
    }

    package func after(_ delay: Duration, _ body: @escaping () -> Void) { self.at(self.now + delay, body) }

    private func happen(_ event: EventHeap.Event) {
        self.events.removeFirst()
        self.nanoseconds = event.nanoseconds
        self.eventCount += 1
        switch event.kind {
        case .packet: self.arrived(event.index)
        case .alarm: self.rang(event.index)
        case .call: self.calls.removeValue(forKey: event.index)?()
        }
    }
}

// MARK: - Alarms

extension VirtualNetwork {
    package func makeAlarm(for sleeper: any VirtualSleeper) -> VirtualAlarm {
        self.alarms.append(VirtualAlarm.Slot(sleeper: sleeper))
        return VirtualAlarm(Int32(self.alarms.count - 1), of: self)
    }

    /// An alarm that moves back leaves its event where it is and looks again then: deadlines mostly move back.
    func set(_ alarm: Int32, to moment: Instant?) {
        let slot = Int(alarm)
        let nanoseconds = moment.map { max($0.nanoseconds, self.nanoseconds) }
        self.alarms[slot].moment = nanoseconds
        guard let nanoseconds, nanoseconds < self.alarms[slot].pending ?? .max else { return }
        self.alarms[slot].pending = nanoseconds
        self.events.add(.alarm, alarm, at: nanoseconds)
    }

    private func rang(_ alarm: Int32) {
        let slot = Int(alarm)
        guard self.alarms[slot].pending == self.nanoseconds else { return }
        self.alarms[slot].pending = nil
        guard let moment = self.alarms[slot].moment else { return }
        guard moment <= self.nanoseconds else { return self.set(alarm, to: Instant(nanoseconds: moment)) }
        self.alarms[slot].moment = nil
        self.alarms[slot].sleeper?.woken(at: self.now)
    }
}

// MARK: - Packets

extension VirtualNetwork {
    func send(_ datagram: [UInt8], from socket: VirtualSocket, to peer: SocketAddress) {
        let source = socket.address
        guard let (interface, ip) = socket.host.way(to: peer.ip, from: source.ip) else {
            return self.drop(VirtualPacket(source: source, destination: peer, payload: datagram), .linkDown)
        }
        let from = SocketAddress(ip, port: source.port)
        var packet = VirtualPacket(source: from, destination: peer, payload: datagram)
        self.watch(packet, .sent)
        if socket.host.has(peer.ip) {
            packet.link = interface.link.index
            packet.isUpward = false
            self.schedule(packet, at: self.nanoseconds)
        } else {
            self.enter(interface.link, packet, upward: true)
        }
    }

    private func enter(_ link: VirtualLink, _ packet: VirtualPacket, upward: Bool) {
        guard link.isUp else { return self.drop(packet, .linkDown) }
        var packet = packet
        packet.link = link.index
        packet.isUpward = upward
        // Never downward: a host that answers at once would answer within its own call.
        if upward, link.up.isPerfect, packet.size <= link.up.profile.mtu { return self.route(packet, in: link.realm) }
        let fate =
            upward
            ? link.up.carry(packet.size, at: self.nanoseconds) : link.down.carry(packet.size, at: self.nanoseconds)
        switch fate {
        case .dropped(let reason): self.drop(packet, reason)
        case .arrives(let moment): self.schedule(packet, at: moment)
        case .arrivesTwice(let first, let second):
            self.schedule(packet, at: first)
            self.schedule(packet, at: second)
        }
    }

    private func schedule(_ packet: VirtualPacket, at moment: Int64) {
        if let index = self.freePackets.popLast() {
            self.packets[Int(index)] = packet
            self.events.add(.packet, index, at: moment)
        } else {
            self.packets.append(packet)
            self.events.add(.packet, Int32(self.packets.count - 1), at: moment)
        }
    }

    private func arrived(_ index: Int32) {
        guard let packet = self.packets[Int(index)].take() else { return }
        self.freePackets.append(index)
        let link = self.links[Int(packet.link)]
        guard link.isUp else { return self.drop(packet, .linkDown) }
        if packet.isUpward { return self.route(packet, in: link.realm) }
        switch link.owner {
        case .host(let host): self.deliver(packet, to: host.object)
        case .gateway(let gateway): self.enter(gateway.object, packet)
        case nil: self.drop(packet, .noRoute)
        }
    }

    private func route(_ packet: VirtualPacket, in realm: VirtualRealm) {
        if let link = realm.places[packet.destination.ip] { return self.enter(link, packet, upward: false) }
        guard let gateway = realm.gateway else { return self.drop(packet, .noRoute) }
        var packet = packet
        let isHairpin = gateway.isHairpin(packet)
        if isHairpin, !gateway.behaviour.hairpins { return self.drop(packet, .noRoute) }
        if let reason = gateway.outward(&packet) { return self.drop(packet, reason) }
        if isHairpin { self.enter(gateway, packet) } else { self.enter(gateway.link, packet, upward: true) }
    }

    /// From outside, or from inside by way of the outer address.
    private func enter(_ gateway: VirtualGateway, _ packet: VirtualPacket) {
        var packet = packet
        if let reason = gateway.inward(&packet) { return self.drop(packet, reason) }
        guard let link = gateway.inside.places[packet.destination.ip] else { return self.drop(packet, .noRoute) }
        self.enter(link, packet, upward: false)
    }

    private func deliver(_ packet: VirtualPacket, to host: VirtualHost) {
        guard let socket = host.socket(at: packet.destination) else { return self.drop(packet, .noListener) }
        self.watch(packet, .delivered)
        if !socket.deliver(packet.payload, from: packet.source) { self.drop(packet, .noListener) }
    }

    private func drop(_ packet: VirtualPacket, _ reason: PacketDrop) {
        self.drops[reason.rawValue] += 1
        self.watch(packet, .dropped(reason))
    }

    private func watch(_ packet: VirtualPacket, _ event: VirtualSighting.Event) {
        guard let watcher = self.watcher else { return }
        watcher(
            VirtualSighting(
                event: event, moment: self.now, source: packet.source, destination: packet.destination,
                payload: packet.payload))
    }
}
