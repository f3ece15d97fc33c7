internal import MediaStreams
internal import Negotiating
internal import RTP
internal import SDP
internal import Vocabulary

/// What flows over one transceiver: a sender and a receiver of its kind, as far as both sides agreed on them.
///
/// A line is a class for its place alone: in an array of values it would be copied for each packet that changes it.
protocol MediaLine: AnyObject {
    var place: LinePlace { get set }
    var statistics: CallStatistics.Line { get }

    /// When it has something to do.
    func findDeadline() -> Instant?

    /// Opens what may flow from now on, and leaves what may not: numbers must not begin anew under the same keys.
    func open(_ transceiver: Transceiver, random: inout any RandomNumberGenerator & Sendable)
    /// A packet of that number can be for this line.
    func accepts(_ payloadType: UInt8) -> Bool
    func received(_ packet: borrowing RTPPacket, at now: Instant, _ work: inout LineWork)
    func clockAdvanced(to now: Instant, _ work: inout LineWork)
    /// The other side says something of our stream, or of all of them.
    func received(_ event: MediaReporterEvent, at now: Instant, _ work: inout LineWork)
    /// A packet of ours as it leaves, made secret.
    func keep(_ packet: Span<UInt8>, at now: Instant)
    /// Adds what is to be reported of the line.
    func report(into report: inout MediaReport, roundTrip: Duration?, at now: Instant)
}

/// Where a line stands among the others, and what is known of both its ends.
struct LinePlace {
    let transceiver: Int
    let kind: MediaKind
    /// Ours.
    let ssrc: UInt32
    var mediaID: String?
    var sends = false
    var receives = false
    var hasHeard = false
    /// Theirs.
    var extensions = RTPExtensionIDs()

    init(_ transceiver: Transceiver) {
        self.transceiver = transceiver.index
        self.kind = transceiver.kind
        self.ssrc = transceiver.ssrc
    }
}

/// Where a line puts what it wants: packets, requests and events.
struct LineWork {
    var outbox = MediaOutbox()
    var reporter: MediaReporter?
    var events: [PeerEvent] = []
}
