internal import Vocabulary

/// A candidate pair (RFC 8445 §6.1.2): one local path and one remote address.
///
///     waiting ──check sent──▶ inProgress ──answer──▶ succeeded ──consent lost──▶ failed
///        ▲                        └──no answer in time─────────────────────────────▲
///        └──────────────────────────────────────────── their check ────────────────┘
struct CandidatePair: Sendable {
    enum State: Hashable, Sendable {
        /// Nothing was sent yet. Can become: inProgress.
        case waiting
        /// Checks are sent again and again. Can become: succeeded, failed.
        case inProgress
        /// Packets go both ways. Can become: failed.
        case succeeded
        /// Given up, until the other side tries it. Can become: inProgress.
        case failed
    }

    let id: Int
    /// The local path. Of an active TCP candidate, the one that dials, and after that the connection.
    var path: PathID
    var needsDialing: Bool
    let isRelayed: Bool
    /// Of the base that checks leave from; once a check has succeeded, of the candidate that the other side saw, since only
    /// that gives both sides the same pair priority (RFC 8445 §7.2.5.3.2).
    var localPriority: UInt32
    /// The mapped address: what the other side sees us as.
    var mapped: SocketAddress?
    let reflexivePriority: UInt32
    let localFoundation: String
    var remote: RemoteCandidate
    var priority: UInt64
    var state = State.waiting

    // MARK: Checking

    var attempts = 0
    var firstAttempt: Instant?
    var nextAttempt = Instant(nanoseconds: .min)
    /// The other side nominated it; it is selected as soon as our own check succeeds (RFC 8445 §7.3.1.5).
    var isNominated = false
    var nomination: UInt32 = 0
    /// The controlled side asks for it, because it has lost the selected pair.
    var isRequestedByPeer = false
    /// An authenticated check came this way, so what else comes is believed to be theirs.
    var isTrusted = false

    // MARK: Living

    var lastReceived = Instant(nanoseconds: .min)
    var consentUntil = Instant(nanoseconds: .min)
    var nextConsent = Instant(nanoseconds: .min)
    /// Whether consent is asked for: for the pair in use and its reserves.
    var isKept = false
    var roundTrip: Duration?
    var counters = PairCounters()

    var isUndecided: Bool { self.state == .waiting || self.state == .inProgress }

    mutating func measured(_ roundTrip: Duration) {
        self.counters.totalRoundTripTime += roundTrip
        self.counters.currentRoundTripTime = roundTrip
        // RFC 6298 §2: seven parts old, one part new.
        self.roundTrip = self.roundTrip.map { ($0 * 7 + roundTrip) / 8 } ?? roundTrip
    }

    /// How long after this attempt the next one is made. Each is a transaction of its own, so this is no
    /// retransmission timer and may be quick (docs/decisions/ice.md).
    var interval: Duration {
        switch self.attempts {
        case ...2: .milliseconds(50)
        case ...4: .milliseconds(100)
        // Theirs arrive, so ours mostly will.
        case _ where self.isTrusted: .milliseconds(100)
        case ...7: .milliseconds(200)
        default: .milliseconds(500)
        }
    }
}

/// A candidate of the other side with an address.
struct RemoteCandidate: Hashable, Sendable {
    let address: SocketAddress
    let transport: ICETransport
    let foundation: String
    var kind: ICECandidateKind
    var priority: UInt32

    init(_ candidate: ICECandidate, at address: SocketAddress) {
        self.address = address.unmappingIPv4
        self.transport = candidate.transport
        self.foundation = candidate.foundation
        self.kind = candidate.kind
        self.priority = candidate.priority
    }

    /// A peer-reflexive candidate: an authenticated check from an address that was not signalled (RFC 8445 §7.3.1.3).
    init(discovered address: SocketAddress, transport: ICETransport, priority: UInt32) {
        self.address = address
        self.transport = transport
        self.foundation = "prflx\(address)"
        self.kind = .peerReflexive
        self.priority = priority
    }
}

/// What is counted for a pair, under the names of W3C's `RTCIceCandidatePairStats`.
package struct PairCounters: Hashable, Sendable {
    package var requestsSent = 0
    package var requestsReceived = 0
    package var responsesSent = 0
    package var responsesReceived = 0
    package var consentRequestsSent = 0
    package var packetsSent = 0
    package var packetsReceived = 0
    package var bytesSent = 0
    package var bytesReceived = 0
    package var packetsDiscardedOnSend = 0
    package var bytesDiscardedOnSend = 0
    package var totalRoundTripTime = Duration.zero
    package var currentRoundTripTime: Duration?
}
