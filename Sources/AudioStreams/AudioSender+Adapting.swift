internal import OpusCodec
package import Vocabulary

// How a stream follows its way: copies of earlier packets while packets get lost, fewer bits while they gather.

extension AudioSender {
    /// What a packet costs besides its Opus, in bytes: the header with extensions, and the tag of SRTP.
    private static let overhead = 12 + 12 + 16

    /// The other side has told what of this stream it received.
    package mutating func received(report: RemoteReport, at now: Instant) {
        guard report.ssrc == self.settings.ssrc else { return }
        self.isKnown = true
        self.statistics.fractionLost = report.fractionLost
        self.statistics.packetsLost = report.packetsLost
        self.statistics.jitter = MediaClock.duration(of: Int64(report.jitter))
        if let roundTrip = report.roundTrip {
            self.statistics.roundTripTime = roundTrip
            self.statistics.totalRoundTripTime += roundTrip
            self.statistics.roundTripTimeMeasurements += 1
        }
        let count = Int(clamping: self.statistics.packetsSent - self.packetsAtLastReport)
        self.packetsAtLastReport = self.statistics.packetsSent
        self.loss.heard(fractionLost: report.fractionLost, of: count, at: now)
        self.adapt(at: now)
    }

    /// The other side has told when packets of the transport arrived.
    package mutating func received(feedback: TransportEstimate, at now: Instant) {
        self.estimate = feedback
        if feedback.isCongested { self.lastCongestion = now }
        self.loss.heard(received: feedback.received, lost: feedback.lost, at: now)
        self.adapt(at: now)
    }

    private mutating func adapt(at now: Instant) {
        let redundancy = self.affordableRedundancy(at: now)
        self.statistics.redundancy = redundancy
        // Copies serve better than the coarse ones inside of Opus, which cost the sound its quality even when nothing
        // is lost. So these are for those who know no others, or cannot afford them.
        let needsFEC = self.settings.usesFEC && self.loss.level > .none && redundancy == 0
        var wanted = self.encoderSettings
        wanted.usesInbandFEC = needsFEC
        wanted.expectedLoss = needsFEC ? min(30, Int((self.loss.share * 100).rounded(.up))) : 0
        wanted.bitRate = self.affordableBitRate(with: redundancy)
        self.statistics.isFECActive = needsFEC
        guard wanted != self.encoderSettings else { return }
        self.encoderSettings = wanted
        self.applyEncoderSettings()
    }

    private var packetsPerSecond: Int { MediaClock.rate / self.settings.frameDuration }

    /// What is there for copies and Opus together, in bit/s; nil before the way is known.
    private var budget: Int? {
        self.estimate.map { max(0, $0.bitRate - 8 * Self.overhead * self.packetsPerSecond) }
    }

    private func affordableRedundancy(at now: Instant) -> Int {
        guard self.settings.payloadTypes.red != nil else { return 0 }
        // What is lost because there is too much of it is not saved by more of it.
        if let last = self.lastCongestion, last + .seconds(3) > now { return 0 }
        guard let budget = self.budget else { return self.loss.level.rawValue }
        return min(self.loss.level.rawValue, max(0, budget / self.settings.leastBitRate - 1))
    }

    private func affordableBitRate(with redundancy: Int) -> Int {
        var share = (self.budget ?? self.settings.firstBitRate * (1 + redundancy)) / (1 + redundancy)
        if redundancy > 0 {
            // What copies cost on top of themselves: their headers, and those of the packet.
            let headers = 8 * (24 + 1 + 4 * redundancy) * self.packetsPerSecond
            share = min(share, (self.settings.mostBitRateWithCopies - headers) / (1 + redundancy))
        }
        let most = max(self.settings.mostBitRate, self.settings.leastBitRate)
        // Changes that nobody hears are not worth the encoder's effort.
        return min(max(share / 1000 * 1000, self.settings.leastBitRate), most)
    }
}
