internal import Bytes
internal import Hashing
package import STUN

/// DTLS inside of connectivity checks (SPED, draft-hancke-webrtc-sped-00): a flight of the handshake travels in Binding requests and
/// responses until it is acknowledged, so that the handshake begins with the first check and not after it.
///
///     off ──begin──▶ tentative ──theirs comes──▶ confirmed ──established──▶ finishing ──acknowledged──▶ complete
///                        └── none comes ──▶ off
///
/// It carries only. What is read of DTLS is for its session, whose flights come back by `carry`.
package struct EmbeddedHandshake: Sendable {
    package enum State: Hashable, Sendable { case off, tentative, confirmed, finishing, complete }

    package private(set) var state = State.off
    /// The datagrams that the peer has not acknowledged, and the index of the next to be sent.
    private var flight: [[UInt8]] = []
    private var next = 0
    /// Checksums of the last datagrams received, the newest last.
    private var seen: [UInt32] = []
    private var received: [[UInt8]] = []

    /// The largest datagram that fits into a check.
    package static let datagramSize = 900
    /// The length of a check that passes everywhere, without its integrity and fingerprint.
    private static let maximumMessage = STUNHeader.length + 1168
    /// Datagrams acknowledged in one check, and received datagrams kept for the DTLS session.
    private static let maximumSeen = 4
    private static let attributeHeader = 4

    package init(state: State = .off) { self.state = state }

    package var isActive: Bool { self.state != .off && self.state != .complete }
    /// Datagrams were received that the DTLS session has not taken.
    package var hasDatagrams: Bool { !self.received.isEmpty }
}

// MARK: - DTLS

extension EmbeddedHandshake {
    /// From now on checks say that handshakes may be embedded.
    package mutating func begin() {
        if !self.isActive { self = Self(state: .tentative) }
    }

    /// From now on DTLS is sent outside of checks only.
    package mutating func stop() {
        guard self.isActive else { return }
        self.state = .off
        self.received = []
    }

    /// The next flight, in place of the last one.
    package mutating func carry(_ datagrams: [[UInt8]]) {
        guard self.isActive, !datagrams.isEmpty else { return }
        self.flight = datagrams
        self.next = 0
    }

    /// The datagrams that are not acknowledged, to be sent directly when a path opens. Checks go on carrying them.
    package mutating func takeUnacknowledged() -> [[UInt8]] {
        defer { if !self.isActive { self.flight = [] } }
        return self.flight
    }

    package mutating func takeDatagrams() -> [[UInt8]] {
        defer { self.received = [] }
        return self.received
    }

    /// A datagram that was received outside of checks is acknowledged as well.
    package mutating func received(_ datagram: Span<UInt8>) {
        if self.isActive { self.note(datagram) }
    }

    /// - Parameter isClient: the server's last flight has come, which answers our last one.
    package mutating func established(isClient: Bool) {
        guard self.isActive, self.state != .finishing else { return }
        self.state = .finishing
        if isClient { self.flight = [] }
    }

    /// False when it was received before.
    @discardableResult
    private mutating func note(_ datagram: Span<UInt8>) -> Bool {
        let checksum = Checksum.crc32(datagram)
        guard !self.seen.contains(checksum) else { return false }
        if self.seen.count == Self.maximumSeen { self.seen.removeFirst() }
        self.seen.append(checksum)
        return true
    }
}

// MARK: - Checks

extension EmbeddedHandshake {
    /// Adds its attributes to a Binding request or response, before the integrity.
    package mutating func write(to message: inout STUNWriter) {
        guard self.isActive else { return }
        var acknowledgements = ByteWriter()
        for checksum in self.seen { acknowledgements.write(checksum) }
        message.append(.dtlsInSTUNAck, acknowledgements.bytes.span)
        if let datagram = self.nextDatagram(behind: message.count) { message.append(.dtlsInSTUN, datagram.span) }
    }

    /// Empty while the handshake is under way with nothing to send; nil leaves the attribute out.
    private mutating func nextDatagram(behind count: Int) -> [UInt8]? {
        guard !self.flight.isEmpty else { return self.state == .confirmed ? [] : nil }
        let datagram = self.flight[self.next % self.flight.count]
        self.next = (self.next + 1) % self.flight.count
        return count + Self.attributeHeader + datagram.count <= Self.maximumMessage ? datagram : nil
    }

    /// Reads the attributes of an authentic Binding request or response.
    package mutating func read(_ message: STUNMessage) {
        guard self.isActive else { return }
        let (datagram, acknowledgements) = (message.value(of: .dtlsInSTUN), message.value(of: .dtlsInSTUNAck))
        guard datagram != nil || acknowledgements != nil else { return self.foundNothing() }
        if self.state == .tentative { self.state = .confirmed }
        if let acknowledgements { self.acknowledge(acknowledgements) }
        guard let datagram else { return self.finishIfAcknowledged() }
        // Of what may come on such a path, these are DTLS (RFC 7983 §7).
        guard datagram.count > 0, (20...63).contains(datagram[0]) else { return }
        // Beyond the limit a datagram is dropped and not acknowledged, so that it is sent again.
        guard self.received.count < Self.maximumSeen, self.note(datagram) else { return }
        self.received.append([UInt8](copying: datagram))
    }

    /// Without attributes the peer either does not support it, or is done.
    private mutating func foundNothing() {
        switch self.state {
        case .tentative: self.state = .off
        case .finishing: self.complete()
        case .off, .confirmed, .complete: return
        }
    }

    private mutating func acknowledge(_ checksums: Span<UInt8>) {
        for offset in stride(from: 0, to: min(checksums.count, Self.maximumSeen * 4) & ~3, by: 4) {
            let checksum: UInt32 = checksums.bigEndian(at: offset)
            self.flight.removeAll { Checksum.crc32($0.span) == checksum }
        }
    }

    private mutating func finishIfAcknowledged() {
        if self.state == .finishing, self.flight.isEmpty { self.complete() }
    }

    private mutating func complete() { self = Self(state: .complete) }
}

extension STUNAttributeType {
    package static let dtlsInSTUN = Self(rawValue: 0xC070)
    package static let dtlsInSTUNAck = Self(rawValue: 0xC071)
}
