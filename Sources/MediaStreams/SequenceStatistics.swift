package import RTP
package import Vocabulary

/// What came of a stream, told by its numbers (RFC 3550 §6.4.1, appendices A.1, A.3 and A.8).
package struct SequenceStatistics: Hashable, Sendable {
    /// So far ahead is a loss, further is a stream that began anew.
    package static let maximumDropped: Int64 = 3000
    /// So far behind is late.
    private static let maximumMisordered = 100

    private let clock: MediaClock
    package private(set) var received: UInt64 = 0
    package private(set) var bursts = BurstMeter()
    /// In ticks of the clock, times 16.
    private var scaledJitter: Int64 = 0
    private var base: Int64?
    private var highest: Int64 = 0
    /// Where a stream that jumped should go on, when it really did.
    private var suspected: UInt16?
    /// Packets of what the stream was before it jumped.
    private var lostBefore: Int64 = 0
    private var receivedSinceBase: Int64 = 0
    private var lastTransit: Int64?
    private var expectedAtReport: Int64 = 0
    private var receivedAtReport: Int64 = 0

    package init(_ clock: MediaClock) {
        self.clock = clock
    }

    /// False for a packet that does not belong to the stream as it is known. Who sends is known already, by what keeps the
    /// transport secret, so that the first packet is believed.
    package mutating func heard(_ sequence: UInt16) -> Bool {
        guard self.base != nil else {
            self.begin(at: sequence)
            self.count()
            return true
        }
        let ahead = sequence.wrappedDistance(from: UInt16(truncatingIfNeeded: self.highest))
        if ahead > Self.maximumDropped || ahead < -Self.maximumMisordered {
            guard sequence == self.suspected else {
                self.suspected = sequence &+ 1
                return false
            }
            self.lostBefore += self.lostSinceBase
            self.begin(at: sequence)
        } else if ahead > 0 {
            self.highest += ahead
            for _ in 1..<ahead { self.bursts.lost() }
        }
        self.suspected = nil
        self.count()
        return true
    }

    /// A packet that was missed, or came before: it belongs to the stream however late it is.
    package mutating func heardLate() { self.count() }

    private mutating func begin(at sequence: UInt16) {
        self.base = Int64(sequence)
        self.highest = Int64(sequence)
        self.receivedSinceBase = 0
        self.expectedAtReport = 0
        self.receivedAtReport = 0
        self.lastTransit = nil
    }

    private mutating func count() {
        self.received += 1
        self.receivedSinceBase += 1
        self.bursts.arrived()
    }

    /// - Parameter timestamp: without its turns around the circle.
    package mutating func heard(timestamp: Int64, at now: Instant) {
        let transit = self.clock.ticks(in: .nanoseconds(now.nanoseconds)) &- timestamp
        if let last = self.lastTransit {
            // A jump of the stream is no jitter.
            let difference = min(abs(transit &- last), Int64(self.clock.rate))
            self.scaledJitter += difference - ((self.scaledJitter + 8) >> 4)
        }
        self.lastTransit = transit
    }

    package var jitter: UInt32 { UInt32(clamping: self.scaledJitter >> 4) }

    private var expectedSinceBase: Int64 { self.base.map { self.highest - $0 + 1 } ?? 0 }
    private var lostSinceBase: Int64 { self.expectedSinceBase - self.receivedSinceBase }
    /// Of all that were sent, as far as is known.
    package var expected: Int64 { Int64(clamping: self.received) + self.lost }
    /// Less than zero when packets came twice.
    package var lost: Int64 { self.lostBefore + self.lostSinceBase }

    /// What there is to report since the last time; nil before anything came.
    package mutating func takeReport(about ssrc: UInt32) -> RTCPReport? {
        guard self.base != nil else { return nil }
        let expected = self.expectedSinceBase - self.expectedAtReport
        let lost = expected - (self.receivedSinceBase - self.receivedAtReport)
        self.expectedAtReport = self.expectedSinceBase
        self.receivedAtReport = self.receivedSinceBase
        let fraction = expected > 0 && lost > 0 ? (lost << 8) / expected : 0
        return RTCPReport(
            ssrc: ssrc, fractionLost: UInt8(clamping: fraction), lost: Int32(clamping: self.lost),
            highestSequence: UInt32(truncatingIfNeeded: self.highest), jitter: self.jitter)
    }
}
