import HTTPServer
import Handset
import JSON
import Negotiating
import Peer
import Reactor
import Web

/// One call that came as an offer over HTTP.
final class OfferedCall {
    private var link: PeerLink?
    private let peers: PeerDependencies
    private var exchange: HTTPExchange?
    private var ended: (() -> Void)?

    /// Why an offer is not answered.
    struct Refusal: Error {
        let text: String
    }

    /// Who has not come by then does not come.
    private static let timeout = Duration.seconds(15)

    init(_ peers: PeerDependencies, feed: (any SoundFeed)?, sinks: [any SoundSink], endsWithSound: Bool) {
        self.peers = peers
        let link = peers.open(
            begins: false, feed: feed, sinks: (sinks, []), signal: { _ in },
            told: { [weak self] in self?.told($0) })
        self.link = link
        if endsWithSound { link.handset.onEnd = { [weak self] in self?.close() } }
    }

    func answer(_ offer: String, _ exchange: HTTPExchange, ended: @escaping () -> Void) throws(Refusal) {
        guard let connection = self.link?.connection else { return }
        self.ended = ended
        do throws(NegotiationError) {
            try connection.setRemoteDescription(.offer, offer)
            _ = try connection.createAnswer()
            self.exchange = exchange
            try connection.setLocalDescription(.answer)
        } catch {
            throw self.refused("\(error)")
        }
        guard connection.localDescription != nil, connection.transceivers.contains(where: { $0.sends || $0.receives })
        else {
            throw self.refused("the offer has no sound in it that could be heard here: Opus over UDP/TLS/RTP/SAVPF")
        }
        self.peers.after(Self.timeout) { [weak self] in if self?.link?.connectedAt == nil { self?.close() } }
    }

    private func refused(_ text: String) -> Refusal {
        self.exchange = nil
        self.close()
        return Refusal(text: text)
    }

    private func told(_ event: PeerEvent) {
        switch event {
        // A client that posts an offer takes no candidates afterwards.
        case .candidatesEnded: self.respond()
        case .stateChanged(.failed), .stateChanged(.closed), .goodbye, .securityStateChanged(.closed): self.close()
        default: return
        }
    }

    private func respond() {
        guard let exchange = self.exchange.take(), let sdp = self.link?.connection.localDescription else { return }
        exchange.respond(.json(.ok, JSONWriter.bytes { $0.fields(("type", "answer"), ("sdp", sdp)) }))
    }

    /// Not from within what the connection tells.
    private func close() {
        guard let link = self.end() else { return }
        self.peers.reactor.schedule(after: .zero) { link.close() }
    }

    /// When there is no later any more.
    func closeAtOnce() { self.end()?.close() }

    /// What is left to be closed, if it is not yet.
    private func end() -> PeerLink? {
        guard let link = self.link.take() else { return nil }
        if let exchange = self.exchange.take() {
            exchange.respond(.error(.serviceUnavailable, "the call was not taken"))
        }
        self.ended.take()?()
        return link
    }
}
