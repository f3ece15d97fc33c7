import AudioStreams
import MediaStreams
import JSON
import Pathways
import Peer
import Secure
import Vocabulary

/// What a call was like.
struct CallReport {
    let end: CallEnd
    /// What the other side is called; nil in a room.
    var callee: String?
    /// From the connection's first moment to its end.
    var duration = Duration.zero
    var hasHeardSound = false
    var statistics: CallStatistics?
    /// STUN and TURN servers that were of no use.
    var serverErrors: [CandidateError] = []

    /// How good it was to its listener, from 1 to 4.5, from the share of packets that were lost or came too late, and the
    /// delay from mouth to ear.
    var listeningQuality: Double? {
        guard let inbound = self.inbound, inbound.packetsReceived > 0 else { return nil }
        let missed = Double(max(0, inbound.packetsLost)) + Double(inbound.packetsDiscarded)
        let wait = (self.statistics?.sound?.delay ?? .zero) + .milliseconds(20)
        let delay = (self.roundTrip ?? .zero) / 2 + wait
        return CallGrade(concealedShare: missed / (missed + Double(inbound.packetsReceived)), mouthToEar: delay).opinion
    }

    var inbound: InboundStatistics? { self.statistics?.sound?.inbound }
    var outbound: OutboundStatistics? { self.statistics?.sound?.outbound }
    var roundTrip: Duration? { self.statistics?.roundTrip }

    /// On the error stream where standard output is for samples.
    func print(asJSON: Bool, besideSamples: Bool) {
        let text = asJSON ? JSONWriter.line(self.write) : self.words
        if besideSamples { Terminal.complain(text) } else { Terminal.print(text) }
    }

    private func write(to json: inout JSONWriter) {
        json.field("outcome", self.end.name)
        json.field("seconds", self.duration / .seconds(1), digits: 3)
        json.field("heard", self.hasHeardSound)
        json.field("roundTripMs", self.roundTrip.map { $0 / .milliseconds(1) }, digits: 1)
        json.field("quality", self.listeningQuality, digits: 2)
        json.nullable("packetsReceived", self.inbound.map { Int(clamping: $0.packetsReceived) })
        json.nullable("bytesReceived", self.inbound.map { Int(clamping: $0.bytesReceived) })
        json.nullable("packetsLost", self.inbound.map { Int(clamping: $0.packetsLost) })
        json.field("jitterMs", self.inbound.map { $0.jitter / .milliseconds(1) }, digits: 1)
        json.nullable("packetsSent", self.outbound.map { Int(clamping: $0.packetsSent) })
        json.nullable("bytesSent", self.outbound.map { Int(clamping: $0.bytesSent) })
        json.field("remoteLossShare", self.outbound?.fractionLost, digits: 4)
        json.nullable("dtlsCipher", self.statistics?.ciphers?.cipher)
        json.nullable("srtpCipher", self.statistics?.ciphers?.srtp)
        json.array("serverErrors", of: self.serverErrors) { json, error in json.object { $0.write(error) } }
    }

    private var words: String {
        let sentence = self.end.sentence(about: self.callee.map { PlainText.line($0) })
        guard let inbound = self.inbound, self.duration > .zero else { return sentence }
        let seconds = (self.duration / .seconds(1)).fixed(1)
        let loss = inbound.packetsLost
        var text = "\(sentence) \(seconds) s, \(inbound.packetsReceived) packets received, \(loss) lost, jitter "
        text += "\((inbound.jitter / .milliseconds(1)).fixed(1)) ms"
        if let roundTrip = self.roundTrip { text += ", round trip \((roundTrip / .milliseconds(1)).fixed(0)) ms" }
        if let quality = self.listeningQuality { text += ", quality \(quality.fixed(1)) of 4.5" }
        if !self.hasHeardSound { text += ", only silence was heard" }
        return text
    }
}
