internal import Bytes
internal import ICE
internal import MulticastDNS
package import Reactor
package import Vocabulary

/// `.local` names on the networks around us: asks for those of others, answers for ours. One for each loop will do.
///
/// Nothing is opened before the first name is wanted.
package final class LocalNames {
    private let reactor: Reactor
    private let watch: InterfaceWatch
    private var exchange = NameExchange()
    private var outbox = Outbox<NameFound>()
    private var links: [Place: NameLink] = [:]
    private var waiting: [HostName: [(IPAddress?) -> Void]] = [:]
    private var held: [IPAddress: (name: HostName, users: Int)] = [:]
    private var nextLink = 0
    private var isOpen = false
    private let deadlineTimer: DeadlineTimer

    /// An interface, and one of the two groups there.
    private struct Place: Hashable {
        let interface: UInt32
        let group: SocketAddress
    }

    package init(on reactor: Reactor, watching watch: InterfaceWatch) {
        self.reactor = reactor
        self.deadlineTimer = DeadlineTimer(on: reactor)
        self.watch = watch
    }

    /// Resolves a name, nil when no host answers; never within the call.
    package func resolve(_ name: String, _ completion: @escaping (IPAddress?) -> Void) {
        guard let name = HostName(name) else {
            self.reactor.schedule(after: .zero) { completion(nil) }
            return
        }
        self.open()
        self.waiting[name, default: []].append(completion)
        // It may know at once.
        self.reactor.schedule(after: .zero) { self.act { $0.resolve(name, at: $1, into: &$2) } }
    }

    /// A `.local` name for an address of ours, the same for all connections.
    package func publish(_ ip: IPAddress) -> String {
        self.open()
        if let held = self.held[ip] {
            self.held[ip] = (held.name, held.users + 1)
            return held.name.text
        }
        var random = SystemRandomNumberGenerator()
        let name = HostName.random(using: &random)
        self.held[ip] = (name, 1)
        self.exchange.publish(name, ip)
        return name.text
    }

    /// What was published, while it is.
    func name(of ip: IPAddress) -> String? { self.held[ip]?.name.text }

    /// One who asked for it needs it no more.
    package func withdraw(_ ip: IPAddress) {
        guard let held = self.held[ip] else { return }
        self.held[ip] = held.users > 1 ? (held.name, held.users - 1) : nil
        if held.users == 1 { self.act { $0.withdraw(held.name, at: $1, into: &$2) } }
    }

    package func close() {
        for held in self.held.values { self.act { $0.withdraw(held.name, at: $1, into: &$2) } }
        self.watch.remove(self)
        self.held = [:]
        self.deadlineTimer.cancel()
        // What was said last leaves at the end of this turn.
        let links = self.links.values
        self.reactor.schedule(after: .zero) { for link in links { link.close() } }
        self.links = [:]
        let waiting = self.waiting.values.flatMap(\.self)
        self.waiting = [:]
        for completion in waiting { completion(nil) }
    }

    private func open() {
        guard !self.isOpen else { return }
        self.isOpen = true
        self.watch.add(self)
    }
}

// MARK: - What the machine wants

extension LocalNames: DeadlineTimerOwner {
    func deadlineReached() { self.act { $0.clockAdvanced(to: $1, into: &$2) } }

    private func act(_ body: (inout NameExchange, Instant, inout Outbox<NameFound>) -> Void) {
        body(&self.exchange, SteadyClock.now, &self.outbox)
        self.carryOut()
    }

    private func carryOut() {
        var due = Outbox<NameFound>()
        swap(&due, &self.outbox)
        for packet in due.packets.packets { due.packets.withBytes(of: packet) { self.send($0, packet) } }
        for found in due.events {
            for completion in self.waiting.removeValue(forKey: found.name) ?? [] { completion(found.ip) }
        }
        self.deadlineTimer.set(self.exchange.deadline, for: self)
    }

    private func send(_ bytes: Span<UInt8>, _ packet: PacketQueue.Packet) {
        self.links.values.first { $0.id == packet.path }?.send(bytes, to: packet.destination)
    }

    func received(_ bytes: Span<UInt8>, on link: PathID, from peer: SocketAddress) {
        self.exchange.received(bytes, on: link, from: peer, at: SteadyClock.now, into: &self.outbox)
        self.carryOut()
    }
}

// MARK: - Links

extension LocalNames: InterfaceFollower {
    package func addressesAre(_ addresses: [InterfaceAddress]) {
        var wanted: [Place: [IPAddress]] = [:]
        for address in addresses where !address.isInternal {
            let group = address.ip.groups == nil ? NameExchange.group4 : NameExchange.group6
            wanted[Place(interface: address.index, group: group)] =
                addresses.filter { $0.index == address.index }.map(\.ip)
        }
        for (place, link) in self.links where wanted[place] == nil { self.remove(link, at: place) }
        for (place, ours) in wanted { self.use(place, ours) }
    }

    private func use(_ place: Place, _ addresses: [IPAddress]) {
        if let link = self.links[place] {
            return self.act { $0.linkChanged(link.id, addresses: addresses, at: $1, into: &$2) }
        }
        let id = PathID(rawValue: self.nextLink)
        // Where it cannot be joined now, it may be when the addresses are looked at the next time.
        guard let link = try? NameLink(id, place.group, place.interface, self.reactor, for: self) else { return }
        self.nextLink += 1
        self.links[place] = link
        self.act { $0.linkAdded(id, to: place.group, addresses: addresses, at: $1, into: &$2) }
    }

    private func remove(_ link: NameLink, at place: Place) {
        self.links[place] = nil
        link.close()
        self.act { exchange, _, _ in exchange.linkRemoved(link.id) }
    }
}
