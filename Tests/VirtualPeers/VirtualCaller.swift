package import ICE
internal import Negotiating
package import Peer
internal import SDP
package import Secure
package import TestSupport
package import Vocabulary

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A call on a host of the virtual network: what a program would do with sockets, and a wire to the other side for
/// descriptions and candidates.
package final class VirtualCaller: VirtualDatagramHandler, VirtualSleeper {
    private static let path = PathID(rawValue: 0)

    package var session: CallSession
    package weak var other: VirtualCaller?
    package var onEvent: ((PeerEvent) -> Void)?
    package private(set) var events: [PeerEvent] = []
    package private(set) var moments: [(PeerEvent, Instant)] = []
    package private(set) var audibleAt: Instant?
    package private(set) var keys = ""
    package var isPolite = false
    package var keepsDatagrams = false
    package private(set) var datagrams: [(bytes: [UInt8], from: SocketAddress)] = []
    package var audibleShare = (audible: 0, all: 0)
    private var isClosed = false
    private let network: VirtualNetwork
    private let host: VirtualHost
    private let signalling: Duration
    private var socket: VirtualSocket?
    private var alarm: VirtualAlarm?
    private var outbox = Outbox<ICEEvent>()

    package init(
        _ settings: PeerSettings, _ context: DTLSContext, on network: VirtualNetwork, _ host: VirtualHost,
        signalling: Duration
    ) {
        self.network = network
        self.host = host
        self.signalling = signalling
        self.session = CallSession(settings, context, random: network.makeRandom())
        self.alarm = network.makeAlarm(for: self)
    }

    package func when(_ event: PeerEvent) -> Instant? { self.moments.first { $0.0 == event }?.1 }

    // MARK: Descriptions

    package func offer(restartingICE: Bool = false) throws {
        let text = try self.session.createOffer(restartingICE: restartingICE)
        try self.attempt { session, now, outbox in
            try session.setLocalDescription(.offer, text, at: now, into: &outbox)
        }
        self.tell { try? $0.answer(text) }
    }

    private func answer(_ offer: String) throws {
        if self.session.negotiation.state == .haveLocalOffer {
            // Of two offers that cross, the impolite side's stands.
            guard self.isPolite else { return }
            try self.attempt { try $0.setLocalDescription(.rollback, at: $1, into: &$2) }
        }
        try self.attempt { try $0.setRemoteDescription(.offer, offer, at: $1, into: &$2) }
        let text = try self.session.createAnswer()
        try self.attempt { try $0.setLocalDescription(.answer, text, at: $1, into: &$2) }
        self.tell { other in
            try? other.attempt { try $0.setRemoteDescription(.answer, text, at: $1, into: &$2) }
        }
    }

    private func tell(_ body: @escaping (VirtualCaller) -> Void) {
        self.network.after(self.signalling) { [weak other = self.other] in other.map(body) }
    }

    // MARK: Sound

    /// Speaks in packets of 20 ms from now on, for as long as the scene lasts, and hears as much.
    package func talk(_ sound: TestTone? = TestTone(hertz: 440)) {
        guard !self.isClosed else { return }
        if var sound {
            let samples = sound.next(960)
            self.act { $0.speak(samples.span, at: $1, into: &$2) }
            self.network.after(.milliseconds(20)) { [weak self] in self?.talk(sound) }
        } else {
            self.network.after(.milliseconds(20)) { [weak self] in self?.talk(nil) }
        }
        self.listen()
    }

    private func listen() {
        var sound = [Float](repeating: 0, count: 480)
        for _ in 0..<2 {
            var span = sound.mutableSpan
            self.session.pull(into: &span, at: self.network.now)
            let isAudible = sound.contains { abs($0) > 0.05 }
            if isAudible, self.audibleAt == nil { self.audibleAt = self.network.now }
            self.audibleShare.audible += isAudible ? 1 : 0
            self.audibleShare.all += 1
        }
    }

    package func hangUp() {
        self.isClosed = true
        self.act { $0.close(at: $1, into: &$2) }
    }

    // MARK: What the network brings

    /// As if the network had brought it.
    package func deliver(_ datagram: [UInt8], from peer: SocketAddress) {
        self.act { _ = $0.received(datagram.span, on: Self.path, from: peer, at: $1, into: &$2) }
    }

    package func received(_ datagram: [UInt8], from peer: SocketAddress, on socket: VirtualSocket) {
        if self.keepsDatagrams { self.datagrams.append((datagram, peer)) }
        self.act { _ = $0.received(datagram.span, on: Self.path, from: peer, at: $1, into: &$2) }
    }

    package func woken(at now: Instant) { self.act { $0.clockAdvanced(to: $1, into: &$2) } }

    package func act(_ body: (inout CallSession, Instant, inout Outbox<ICEEvent>) -> Void) {
        VirtualTimeOfDay.at(self.network.now) { body(&self.session, self.network.now, &self.outbox) }
        self.carryOut()
    }

    package func attempt(
        _ body: (inout CallSession, Instant, inout Outbox<ICEEvent>) throws -> Void
    ) throws {
        defer { self.carryOut() }
        try VirtualTimeOfDay.at(self.network.now) { try body(&self.session, self.network.now, &self.outbox) }
    }

    private func carryOut() {
        let packets = self.outbox.packets
        self.outbox.removeAll()
        for packet in packets.packets { self.socket?.send(packets.bytes(of: packet), to: packet.destination) }
        for event in self.session.takeEvents() { self.carryOut(event) }
        self.alarm?.set(self.findDeadline())
    }

    /// With data the agent is not asked anew each time; but nothing that it waits for may come late.
    private func findDeadline() -> Instant? {
        let (found, wanted) = (self.session.findDeadline(), self.session.agent.deadline)
        if let wanted { precondition(found.map { $0 <= wanted } == true, "woken at \(found as Any), not \(wanted)") }
        return found
    }

    private func carryOut(_ event: PeerEvent) {
        self.events.append(event)
        self.moments.append((event, self.network.now))
        switch event {
        case .gatheringWanted: self.gather()
        case .candidate(let candidate, _, _):
            self.tell { other in other.act { $0.addCandidate(candidate.text, at: $1, into: &$2) } }
        case .candidatesEnded: self.tell { other in other.act { $0.addCandidate("", at: $1, into: &$2) } }
        case .key(let key, _, _): self.keys.append(key)
        default: break
        }
        self.onEvent?(event)
    }

    private func gather() {
        guard let socket = try? self.host.bind(SocketAddress(self.host.addresses[0], port: 0), self) else { return }
        self.socket = socket
        self.act { session, now, outbox in
            session.pathAdded(ICEPath(Self.path, address: socket.address), at: now, into: &outbox)
            session.pathsEnded(at: now, into: &outbox)
        }
    }
}

/// A tone that goes on where it was.
package struct TestTone {
    package let hertz: Double
    private var phase = 0.0

    package init(hertz: Double) {
        self.hertz = hertz
    }

    package mutating func next(_ count: Int) -> [Float] {
        (0..<count).map { _ in
            defer { self.phase = (self.phase + self.hertz / 48_000).truncatingRemainder(dividingBy: 1) }
            return Float(0.5 * sin(2 * Double.pi * self.phase))
        }
    }
}
