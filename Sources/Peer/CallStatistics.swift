package import AudioStreams
package import ICE
internal import Vocabulary

/// A call at one moment, under the names of W3C's statistics (webrtc-stats).
package struct CallStatistics: Sendable {
    package struct Line: Hashable, Sendable {
        package let transceiver: Int
        package let outbound: OutboundStatistics?
        package let inbound: InboundStatistics?
        /// How long sound of theirs waits before it is heard.
        package let delay: Duration?
    }

    package let state: ConnectionState
    package let transport: ICESnapshot
    package let roundTrip: Duration?
    package let lines: [Line]
}

extension CallSession {
    package var statistics: CallStatistics {
        CallStatistics(
            state: self.state, transport: self.agent.snapshot,
            roundTrip: self.reporter?.roundTrip ?? self.agent.roundTrip,
            lines: self.lines.map { line in
                CallStatistics.Line(
                    transceiver: line.transceiver, outbound: line.sender?.statistics,
                    inbound: line.receiver?.statistics, delay: line.receiver?.delay)
            })
    }
}
