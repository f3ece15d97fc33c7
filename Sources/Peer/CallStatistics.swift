package import ICE
package import MediaStreams
package import Negotiating
package import Secure
internal import Vocabulary

/// A call at one moment, under the names of W3C's statistics (webrtc-stats).
package struct CallStatistics: Sendable {
    package struct Line: Hashable, Sendable {
        package let transceiver: Int
        package let kind: MediaKind
        package let outbound: OutboundStatistics?
        package let inbound: InboundStatistics?
        /// How long sound of theirs waits before it is heard.
        package let delay: Duration?
    }

    package let state: ConnectionState
    package let transport: ICESnapshot
    /// `tlsVersion`, `dtlsCipher` and `srtpCipher` of the transport; nil before it is secret.
    package let ciphers: DTLSCiphers?
    package let roundTrip: Duration?
    package let lines: [Line]

    /// The first line of sound.
    package var sound: Line? { self.lines.first { $0.kind == .audio } }
}
