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
    package var leastInterval = Duration.seconds(1)
    /// In bit/s, for everything on the transport.
    package var firstEstimate = 100_000
    package var mostEstimate = 1_000_000
    /// A random number, so that not everybody reports at once.
    package var seed: UInt64 = 1

    package init(ssrc: UInt32, cname: String) {
        self.ssrc = ssrc
        self.cname = cname
    }
}

/// What the streams of this end have to report.
package struct MediaReport: Hashable, Sendable {
    /// What is sent; nil for who only listens.
    package var sender: RTCPSenderInfo?
    /// What is received, as `AudioReceiver.takeReport` says it.
    package var receptions: [RTCPReport]
    package var qualities: [RTCPCallQuality]

    package init(sender: RTCPSenderInfo?, receptions: [RTCPReport] = [], qualities: [RTCPCallQuality] = []) {
        self.sender = sender
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
    /// A sender has left.
    case goodbye(UInt32)
}
