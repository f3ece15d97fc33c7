import STUN
import Vocabulary

/// A request under way.
struct TURNTransaction: Sendable {
    enum Purpose: Hashable, Sendable {
        case allocate
        case refresh
        case close
        case permission(IPAddress)
        case channel(ChannelNumber)

        var method: UInt16 {
            switch self {
            case .allocate: STUNMethod.allocate
            case .refresh, .close: STUNMethod.refresh
            case .permission: STUNMethod.createPermission
            case .channel: STUNMethod.channelBind
            }
        }
    }

    let id: TransactionID
    let purpose: Purpose
    /// As it was sent: it is repeated to the bit.
    let bytes: [UInt8]
    /// What it was signed with, and what its answer has to be signed with.
    let signature: TURNSignature
    /// How often this request came back for another signature.
    let challenges: Int
    let firstSent: Instant
    let firstPause: Duration
    var sends = 1
    /// When it is sent again, or given up.
    var deadline: Instant
}

/// How long an answer takes on this way, and so how long to wait for one (RFC 6298, as RFC 8489 §6.2.1 wants it).
struct RetransmissionTimer: Hashable, Sendable {
    /// Over UDP a request is sent so often, and then waited for as long as sixteen first pauses.
    static let maximumSends = 7
    /// Over a stream it is sent once and waited for so long.
    static let stream = Duration.milliseconds(39_500)

    private(set) var pause: Duration
    private var smoothed: Duration?
    private var variation = Duration.zero

    init(_ first: Duration) {
        self.pause = first
    }

    mutating func measured(_ roundTrip: Duration) {
        if let smoothed = self.smoothed {
            let error = smoothed > roundTrip ? smoothed - roundTrip : roundTrip - smoothed
            self.variation = (self.variation * 3 + error) / 4
            self.smoothed = (smoothed * 7 + roundTrip) / 8
        } else {
            self.smoothed = roundTrip
            self.variation = roundTrip / 2
        }
        self.pause = max(.milliseconds(100), (self.smoothed ?? roundTrip) + self.variation * 4)
    }

    /// How long to wait after the `sends`th sending.
    static func pause(after sends: Int, first: Duration) -> Duration {
        sends < self.maximumSends ? first * (1 << (sends - 1)) : first * 16
    }
}
