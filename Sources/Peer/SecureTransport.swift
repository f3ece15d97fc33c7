internal import Bytes
internal import ICE
internal import Negotiating
internal import SDP
internal import SRTP
internal import Secure
internal import Vocabulary

/// Where a transport is on its way to being secret (`RTCDtlsTransportState`, by its names).
package enum SecurityState: String, Hashable, Sendable, CaseIterable {
    case new, connecting, connected, closed, failed
}

/// DTLS on the path that ICE has found, and SRTP with the keys from it (RFC 5764).
///
/// It is only told of packets from addresses that passed a check of ICE, and of what is in authentic checks, so a stranger cannot even
/// begin a handshake.
struct SecureTransport {
    private(set) var state = SecurityState.new
    /// When to call `clockAdvanced`.
    private(set) var deadline: Instant?
    private let context: DTLSContext
    private var dtls: DTLSSession?
    private var srtp: SRTPSession?
    private var isClient = false
    private var fingerprints: [SDPFingerprint] = []
    /// Nil before it is secret.
    var ciphers: DTLSCiphers? { self.srtp == nil ? nil : self.dtls?.ciphers }
    /// What could not leave because there was no path yet.
    private var unsent: [[UInt8]] = []
    private static let unsentLimit = 16
    /// When an alert said that the handshake has failed. If the peer sent it nothing more comes, and it is believed; if it is forged the
    /// handshake goes on.
    private var alertedAt: Instant?
    private static let alertTimeout = Duration.seconds(2)

    init(_ context: DTLSContext) {
        self.context = context
    }

    /// Of our certificate, for our descriptions.
    var fingerprint: String { self.context.identity?.fingerprint ?? "" }

    /// Both sides have described themselves. New fingerprints mean another one at the other end.
    ///
    /// - Parameter embeds: checks may carry the handshake, if theirs may as well.
    mutating func agreed(
        _ agreement: TransportAgreement, embeds: Bool, _ agent: inout ICEAgent, at now: Instant,
        into outbox: inout Outbox<ICEEvent>
    ) {
        let fingerprints = agreement.remote.fingerprints
        guard self.state != .closed, fingerprints != self.fingerprints || self.state == .failed else { return }
        self.fingerprints = fingerprints
        self.isClient = agreement.isClient
        self.dtls = nil
        self.srtp = nil
        self.unsent = []
        self.alertedAt = nil
        self.deadline = nil
        self.state = .new
        self.embed(embeds && agreement.remote.embedsHandshake, &agent, at: now, into: &outbox)
        self.pathOpened(&agent, at: now, into: &outbox)
    }

    private mutating func embed(
        _ embeds: Bool, _ agent: inout ICEAgent, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        guard embeds, !agent.hasPath else { return agent.handshake.stop() }
        agent.handshake.begin()
        if self.isClient { self.start(&agent, at: now, into: &outbox) }
        self.takeEmbedded(&agent, at: now, into: &outbox)
    }

    /// There is a way for packets.
    mutating func pathOpened(_ agent: inout ICEAgent, at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        guard !self.fingerprints.isEmpty, agent.hasPath else { return }
        let waiting = agent.handshake.takeUnacknowledged() + self.unsent
        self.unsent = []
        for datagram in waiting { agent.send(datagram.span, at: now, into: &outbox) }
        if self.isClient, self.state == .new { return self.start(&agent, at: now, into: &outbox) }
        guard let session = self.dtls, self.state == .connecting else { return }
        session.retries = DTLSRetries(roundTrip: agent.roundTrip)
        self.deadline = session.timeout.map { now + $0 }
    }

    private mutating func start(_ agent: inout ICEAgent, at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        self.attempt(&agent, at: now, into: &outbox) { session, _ throws(SecureError) in try session.start() }
    }

    mutating func close(_ agent: inout ICEAgent, at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        if let dtls = self.dtls {
            dtls.close()
            self.flush(dtls, &agent, at: now, into: &outbox)
        }
        self.end(.closed)
    }

    private mutating func end(_ state: SecurityState) {
        self.state = state
        self.dtls = nil
        self.srtp = nil
        self.deadline = nil
        self.unsent = []
    }
}

// MARK: - DTLS

extension SecureTransport {
    /// A datagram of DTLS from the other side of the path.
    mutating func received(
        _ datagram: Span<UInt8>, _ agent: inout ICEAgent, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        guard !self.fingerprints.isEmpty, self.state != .failed, self.state != .closed else { return }
        // The side that waits makes its session when it is needed: by then the way has been measured.
        guard self.dtls != nil || !self.isClient else { return }
        agent.handshake.received(datagram)
        let (bytes, wereAlerts) = PlainAlerts.taken(from: datagram)
        if wereAlerts, self.state == .connecting { self.alertedAt = self.alertedAt ?? now }
        guard !bytes.isEmpty else { return }
        self.attempt(&agent, at: now, into: &outbox) { session, _ throws(SecureError) in
            // Nothing but keys is agreed on here; channels for data are a thing of their own.
            try session.receive(bytes.span) { _ in }
        }
    }

    /// Processes the datagrams that came in checks.
    mutating func takeEmbedded(
        _ agent: inout ICEAgent, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        // Checks may come before the answer with the peer's fingerprints.
        guard !self.fingerprints.isEmpty else { return }
        for datagram in agent.handshake.takeDatagrams() {
            self.received(datagram.span, &agent, at: now, into: &outbox)
        }
    }

    mutating func clockAdvanced(
        to now: Instant, _ agent: inout ICEAgent, into outbox: inout Outbox<ICEEvent>
    ) {
        guard let deadline = self.deadline, deadline <= now, self.dtls != nil else { return }
        if self.state == .connecting, let alerted = self.alertedAt, alerted + Self.alertTimeout <= now {
            return self.end(.failed)
        }
        self.attempt(&agent, at: now, into: &outbox, isRepetition: true) { session, _ throws(SecureError) in
            try session.timedOut()
        }
    }

    private mutating func attempt(
        _ agent: inout ICEAgent, at now: Instant, into outbox: inout Outbox<ICEEvent>, isRepetition: Bool = false,
        _ body: (DTLSSession, Instant) throws(SecureError) -> Void
    ) {
        do throws(SecureError) {
            let session = try self.currentSession(agent)
            do throws(SecureError) {
                try body(session, now)
            } catch {
                // An alert says why.
                self.flush(session, &agent, at: now, into: &outbox)
                // What is wrong with one packet of an association that stands is that packet's trouble.
                guard self.state != .connected else { return }
                throw error
            }
            // Where one got lost, the next may be as well, and a call that waits is worth a few hundred bytes.
            self.flush(session, &agent, at: now, into: &outbox, times: isRepetition ? 2 : 1)
            try self.settle(session, &agent, at: now)
        } catch {
            agent.handshake.stop()
            self.end(.failed)
        }
    }

    private mutating func currentSession(_ agent: ICEAgent) throws(SecureError) -> DTLSSession {
        if let session = self.dtls { return session }
        self.state = .connecting
        let session = try DTLSSession(
            self.context, role: self.isClient ? .client : .server, retries: DTLSRetries(roundTrip: agent.roundTrip),
            datagramSize: agent.handshake.isActive ? EmbeddedHandshake.datagramSize : DTLSSession.datagramSize)
        self.dtls = session
        return session
    }

    private mutating func settle(
        _ session: DTLSSession, _ agent: inout ICEAgent, at now: Instant
    ) throws(SecureError) {
        guard !session.isClosedByPeer else { return self.end(.closed) }
        // Without a path, checks repeat the flight.
        self.deadline = agent.hasPath ? session.timeout.map { now + $0 } : nil
        guard session.isEstablished else { return }
        agent.handshake.established(isClient: self.isClient)
        session.releaseBuffers()
        guard self.srtp == nil else { return }
        guard self.isExpected(session), let keys = try session.srtpKeys(), let srtp = try? SRTPSession(keys) else {
            return self.end(.failed)
        }
        self.srtp = srtp
        self.state = .connected
    }

    /// RFC 8122 §5: of the functions they name, the best one we know decides.
    private func isExpected(_ session: DTLSSession) -> Bool {
        for algorithm in ["sha-512", "sha-384", "sha-256"] {
            let named = self.fingerprints.filter { $0.algorithm == algorithm }
            guard !named.isEmpty else { continue }
            guard let digest = session.peerDigest(algorithm) else { return false }
            return named.contains { $0.digest == digest }
        }
        return false
    }

    private mutating func flush(
        _ session: DTLSSession, _ agent: inout ICEAgent, at now: Instant, into outbox: inout Outbox<ICEEvent>,
        times: Int = 1
    ) {
        let datagrams = session.takeDatagrams()
        agent.handshake.carry(datagrams)
        for _ in 0..<times {
            for datagram in datagrams where !agent.send(datagram.span, at: now, into: &outbox) {
                guard !agent.handshake.isActive, self.unsent.count < Self.unsentLimit else { return }
                self.unsent.append(datagram)
            }
        }
    }
}

// MARK: - SRTP

extension SecureTransport {
    /// The room a packet needs behind it.
    static let trailerRoom = 24

    var isOpen: Bool { self.srtp != nil }

    /// Opens a packet in place and says how long it is now; nil for one that is not authentic.
    func open(_ packet: inout MutableSpan<UInt8>, isRTCP: Bool) -> Int? {
        guard let srtp = self.srtp else { return nil }
        return isRTCP ? try? srtp.unprotectRTCP(&packet) : try? srtp.unprotectRTP(&packet)
    }

    /// Protects a packet in place and says how long it is now; nil where there are no keys.
    func protect(_ packet: inout MutableSpan<UInt8>, count: Int, isRTCP: Bool) -> Int? {
        guard let srtp = self.srtp else { return nil }
        return isRTCP ? try? srtp.protectRTCP(&packet, count: count) : try? srtp.protectRTP(&packet, count: count)
    }

    func forget(_ ssrc: UInt32) { self.srtp?.forget(ssrc) }
}
