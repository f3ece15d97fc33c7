import ICE
import Reactor
import STUN
import Vocabulary

/// Looks at all UDP servers of one family through one socket, and then, with the help of one of them, at the NATs on
/// the way.
final class NetworkRun {
    /// A server's probe and where its findings go.
    private final class Look {
        var probe: BindingProbe
        let found: (BindingProbe.Findings) -> Void

        init(_ probe: consuming BindingProbe, found: @escaping (BindingProbe.Findings) -> Void) {
            self.probe = probe
            self.found = found
        }
    }

    private(set) var network = SurveyReport.Network()
    private let watching: Duration
    private let reactor: Reactor
    private var done: (() -> Void)?
    private var looks: [Look] = []
    private var nat: NATProbe?
    private var lifetime: LifetimeProbe?
    private var sockets: [PathID: UDPSocket] = [:]
    private var packets = PacketQueue()
    private let deadlineTimer: DeadlineTimer

    /// The lifetime's sockets are numbered behind the others.
    private static let lifetimeBase = 100

    /// - Parameter watching: how long to wait for a NAT to forget a binding; zero not to.
    init(watching: Duration, on reactor: Reactor, done: @escaping () -> Void) {
        self.watching = watching
        self.reactor = reactor
        self.deadlineTimer = DeadlineTimer(on: reactor)
        self.done = done
    }

    func add(_ server: SocketAddress, found: @escaping (BindingProbe.Findings) -> Void) {
        self.looks.append(Look(BindingProbe(of: server, path: NATProbe.main), found: found))
    }

    func start() {
        if let first = self.looks.first { self.network.local = UDPSocket.source(towards: first.probe.server) }
        for look in self.looks { look.probe.start(at: SteadyClock.now, into: &self.packets) }
        self.pump()
    }

    private func pump() {
        guard self.done != nil else { return }
        self.goOn()
        for packet in self.packets.packets {
            let socket = self.socket(packet.path, for: packet.destination)
            self.packets.withBytes(of: packet) { _ = socket?.send($0, to: packet.destination) }
        }
        self.packets.removeAll()
        self.isOver ? self.finish() : self.deadlineTimer.set(self.deadline, for: self)
    }

    private func socket(_ path: PathID, for server: SocketAddress) -> UDPSocket? {
        if let socket = self.sockets[path] { return socket }
        // Without a socket nothing is sent, and nothing is answered: the findings say so.
        guard let socket = try? UDPSocket(on: SocketAddress(server.ip.anyOfFamily, port: 0), reactor: self.reactor)
        else { return nil }
        socket.start(self)
        self.sockets[path] = socket
        return socket
    }
}

// MARK: - One step after the other

extension NetworkRun: DeadlineTimerOwner {
    private var isOver: Bool {
        self.looks.allSatisfy({ $0.probe.isDone }) && (self.nat?.isDone ?? true) && (self.lifetime?.isDone ?? true)
    }

    /// Begins what can begin now.
    private func goOn() {
        guard self.nat == nil else { return self.watchLifetime() }
        guard let helper = self.helper, let mapped = helper.findings.mapped, let other = helper.findings.other else {
            return
        }
        let port = self.sockets[NATProbe.main]?.address.port
        let local = self.network.local.flatMap { ip in port.map { SocketAddress(ip, port: $0) } }
        self.network.mapped = mapped
        var probe = NATProbe(
            server: helper.server, other: other, mapped: mapped, local: local,
            roundTrip: helper.findings.median ?? .milliseconds(100))
        probe.start(at: SteadyClock.now, into: &self.packets)
        self.nat = consume probe
    }

    private var helper: (server: SocketAddress, findings: BindingProbe.Findings)? {
        for look in self.looks where look.probe.findings.other != nil {
            return (look.probe.server, look.probe.findings)
        }
        return nil
    }

    private func watchLifetime() {
        guard self.lifetime == nil, self.nat?.isDone == true, self.watching > .zero, let helper = self.helper,
            self.nat?.findings.isTranslated != false
        else { return }
        let lengths = LifetimeProbe.usualLengths.filter { $0 < self.watching } + [self.watching]
        var probe = LifetimeProbe(
            server: helper.server, lengths: lengths, roundTrip: helper.findings.median ?? .milliseconds(100))
        var own = PacketQueue()
        probe.start(at: SteadyClock.now, into: &own)
        self.lifetime = consume probe
        self.append(own)
    }

    private func append(_ own: PacketQueue) {
        for packet in own.packets {
            let path = PathID(rawValue: packet.path.rawValue + Self.lifetimeBase)
            own.withBytes(of: packet) { self.packets.append(from: path, to: packet.destination, $0) }
        }
    }

    private var deadline: Instant? {
        let probes = self.looks.map { $0.probe.deadline } + [self.nat?.deadline, self.lifetime?.deadline]
        return probes.compactMap(\.self).min()
    }

    func deadlineReached() { self.advance(to: SteadyClock.now) }

    private func advance(to now: Instant) {
        for look in self.looks { look.probe.clockAdvanced(to: now, into: &self.packets) }
        self.nat?.clockAdvanced(to: now, into: &self.packets)
        var own = PacketQueue()
        self.lifetime?.clockAdvanced(to: now, into: &own)
        self.append(own)
        self.pump()
    }

    private func finish() {
        self.deadlineTimer.cancel()
        for look in self.looks { look.found(look.probe.findings) }
        if let findings = self.nat?.findings { self.network.nat = findings }
        self.network.lifetime = self.lifetime?.lifetime
        if self.nat == nil { self.compareAddresses() }
        for socket in self.sockets.values { socket.close() }
        self.sockets = [:]
        self.done.take()?()
    }

    /// Without a server that helps, what several servers say about the one socket still tells something.
    private func compareAddresses() {
        var seen: [IPAddress: SocketAddress] = [:]
        for look in self.looks {
            if let mapped = look.probe.findings.mapped { seen[look.probe.server.ip] = mapped }
        }
        self.network.mapped = self.looks.lazy.compactMap({ $0.probe.findings.mapped }).first
        if let local = self.network.local, let mapped = self.network.mapped {
            self.network.nat.isTranslated = local != mapped.ip
        }
        guard seen.count > 1 else { return }
        // Of those that make a difference, the address is the least.
        self.network.nat.mapping = Set(seen.values).count == 1 ? .endpointIndependent : .addressDependent
    }
}

extension NetworkRun: DatagramHandler {
    func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
        guard let path = self.sockets.first(where: { $0.value === socket })?.key,
            let message = try? STUNMessage(parsing: datagram)
        else { return }
        let now = SteadyClock.now
        if path.rawValue >= Self.lifetimeBase {
            _ = self.lifetime?.received(message, on: PathID(rawValue: path.rawValue - Self.lifetimeBase), at: now)
        } else if self.nat?.received(message, from: peer, on: path, at: now, into: &self.packets) != true {
            for look in self.looks where peer == look.probe.server && look.probe.received(message, at: now) { break }
        }
        self.pump()
    }
}
