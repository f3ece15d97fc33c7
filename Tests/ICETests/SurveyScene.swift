import ICE
import STUN
import TestSupport
import Vocabulary

/// A machine that is driven by packets on several sockets.
protocol Surveyor: ~Copyable {
    var deadline: Instant? { get }
    var isDone: Bool { get }
    mutating func begin(at now: Instant, into packets: inout PacketQueue)
    mutating func clockAdvanced(to now: Instant, into packets: inout PacketQueue)
    mutating func heard(
        _ message: STUNMessage, from peer: SocketAddress, on path: PathID, at now: Instant,
        into packets: inout PacketQueue)
}

extension BindingProbe: Surveyor {
    mutating func begin(at now: Instant, into packets: inout PacketQueue) { self.start(at: now, into: &packets) }

    mutating func heard(
        _ message: STUNMessage, from peer: SocketAddress, on path: PathID, at now: Instant,
        into packets: inout PacketQueue
    ) {
        _ = self.received(message, at: now)
    }
}

extension NATProbe: Surveyor {
    mutating func begin(at now: Instant, into packets: inout PacketQueue) { self.start(at: now, into: &packets) }

    mutating func heard(
        _ message: STUNMessage, from peer: SocketAddress, on path: PathID, at now: Instant,
        into packets: inout PacketQueue
    ) {
        _ = self.received(message, from: peer, on: path, at: now, into: &packets)
    }
}

extension LifetimeProbe: Surveyor {
    mutating func begin(at now: Instant, into packets: inout PacketQueue) { self.start(at: now, into: &packets) }

    mutating func heard(
        _ message: STUNMessage, from peer: SocketAddress, on path: PathID, at now: Instant,
        into packets: inout PacketQueue
    ) {
        _ = self.received(message, on: path, at: now)
    }
}

/// A host that lets one such machine after the other have its sockets.
final class SurveyScene: VirtualDatagramHandler {
    static let addresses = [IPAddress.v4(0xC633_6401), .v4(0xC633_6402)]
    static let server = SocketAddress(addresses[0], port: 3478)

    let network: VirtualNetwork
    let server: VirtualSTUNServer
    let host: VirtualHost
    private var sockets: [PathID: VirtualSocket] = [:]
    private var inbox: [(bytes: [UInt8], peer: SocketAddress, path: PathID)] = []

    /// - Parameter behaviour: nil for a host on the open internet.
    init(
        _ behaviour: NATBehaviour?, link: LinkProfile = LinkProfile(delay: .milliseconds(25)), seed: UInt64 = 1,
        knowsOther: Bool = true
    ) throws {
        self.network = VirtualNetwork(seed: seed)
        let machine = self.network.addHost(Self.addresses[0])
        if knowsOther { machine.interfaces[0].add(Self.addresses[1]) }
        self.server = try VirtualSTUNServer(on: machine)
        if let behaviour {
            let gateway = self.network.addGateway(behaviour, at: .v4(0xCB00_7105))
            self.host = self.network.addHost(.v4(0xC0A8_0102), in: gateway.inside, link: link)
        } else {
            self.host = self.network.addHost(.v4(0xCB00_7107), link: link)
        }
    }

    func local(_ path: PathID) throws -> SocketAddress {
        SocketAddress(self.host.addresses[0], port: try self.socket(path).address.port)
    }

    private func socket(_ path: PathID) throws -> VirtualSocket {
        if let socket = self.sockets[path] { return socket }
        let socket = try self.host.bind(SocketAddress(.any, port: 0), self)
        self.sockets[path] = socket
        return socket
    }

    /// Whoever comes next gets sockets that were not used yet, except for the first one.
    func closeFreshSockets() {
        for (path, socket) in self.sockets where path.rawValue > 0 {
            socket.close()
            self.sockets[path] = nil
        }
    }

    func received(_ datagram: [UInt8], from peer: SocketAddress, on socket: VirtualSocket) {
        guard let path = self.sockets.first(where: { $0.value === socket })?.key else { return }
        self.inbox.append((datagram, peer, path))
    }

    /// Lets a machine ask until it knows; says how long that took.
    @discardableResult
    func survey<Machine: Surveyor & ~Copyable>(_ machine: inout Machine) throws -> Duration {
        let start = self.network.now
        var packets = PacketQueue()
        machine.begin(at: start, into: &packets)
        while true {
            for packet in packets.packets {
                try self.socket(packet.path).send(packets.bytes(of: packet), to: packet.destination)
            }
            packets.removeAll()
            guard !machine.isDone, let deadline = machine.deadline else { break }
            if self.network.run(until: deadline, isDone: { !self.inbox.isEmpty }) {
                let (bytes, peer, path) = self.inbox.removeFirst()
                let message = try STUNMessage(parsing: bytes.span)
                machine.heard(message, from: peer, on: path, at: self.network.now, into: &packets)
            } else {
                machine.clockAdvanced(to: self.network.now, into: &packets)
            }
        }
        return start.duration(to: self.network.now)
    }

    /// What a first look at the server gives.
    func bind() throws -> BindingProbe.Findings {
        var probe = BindingProbe(of: Self.server, random: self.network.makeRandom())
        try self.survey(&probe)
        return probe.findings
    }
}
