package import RTP

/// How the two ends of a transport report to each other.
package struct MediaReporterSettings: Hashable, Sendable {
    /// As whom reports are sent; of a sender it is the sender's own.
    package var ssrc: UInt32
    /// By which all streams of this end are known.
    package var cname: String
    /// Feedback may leave without a report in front (RFC 5506).
    package var allowsReducedSize = true
    /// Packets carry numbers of the transport, and the other side wants to hear of them.
    package var sendsTransportFeedback = false
    /// The other side understands extended reports (RFC 3611).
    package var sendsExtendedReports = false
    /// The moment when the clock that is passed in began, for those who compare streams of different machines.
    package var clockStart = NTPTime(unixNanoseconds: 0)
    /// In bit/s; a twentieth is for reports.
    package var sessionBitRate = 64_000
    package var minimumInterval = Duration.seconds(1)
    /// In bit/s, for everything on the transport.
    package var initialEstimate = 100_000
    package var maximumEstimate = 1_000_000
    /// Of so many packets it is known when they left, until feedback tells of them: five seconds of sound alone.
    package var sentPacketsKept = 256
    /// A random number, so that not all peers report at once.
    package var seed: UInt64 = 1

    package init(ssrc: UInt32, cname: String) {
        self.ssrc = ssrc
        self.cname = cname
    }
}

/// What the streams of this end have to report.
package struct MediaReport: Hashable, Sendable {
    /// One stream that is sent.
    package struct Sender: Hashable, Sendable {
        package let ssrc: UInt32
        package var info: RTCPSenderInfo

        package init(ssrc: UInt32, info: RTCPSenderInfo) {
            self.ssrc = ssrc
            self.info = info
        }
    }

    /// Empty for an end that only receives.
    package var senders: [Sender]
    /// What is received, as `SequenceStatistics.takeReport` says it.
    package var receptions: [RTCPReport]
    package var qualities: [RTCPCallQuality]

    package init(senders: [Sender] = [], receptions: [RTCPReport] = [], qualities: [RTCPCallQuality] = []) {
        self.senders = senders
        self.receptions = receptions
        self.qualities = qualities
    }
}

/// What the other side's reports say.
package enum MediaReporterEvent: Hashable, Sendable {
    /// For the sender of that stream.
    case report(RemoteReport)
    /// For all senders of the transport.
    case feedback(TransportEstimate)
    /// How a call is to its listener.
    case quality(RTCPCallQuality)
    /// Packets of that stream are missing over there, and wanted again (NACK).
    case missing([UInt16], of: UInt32)
    /// That stream is wanted from a key frame on.
    case keyFrameRequest(RTCPKeyFrameRequest, of: UInt32)
    /// A sender has left.
    case goodbye(UInt32)
}
