import Arguments
import Client
import HTTPServer
import Handset
import JSON
import Negotiating
import Pathways
import Peer
import Reactor
import Vocabulary
import Web

/// Calls that need no signalling server: `POST /offer` with `{"sdp","type":"offer"}` is answered with the answer. One desk
/// on each loop; a call stays on the loop that its request came to.
final class OfferDesk {
    private let house: PeerHouse
    private let plan: CallPlan
    private let folder: String?
    private var calls: [ObjectIdentifier: OfferedCall] = [:]
    private var count = 0

    private static let most = 1_000
    private static let longestOffer = 256 << 10

    init(_ plan: CallPlan, recordingsIn folder: String?, on reactor: Reactor) throws {
        self.plan = plan
        self.folder = folder
        self.house = try PeerHouse(plan, on: reactor)
        self.house.find([]) {}
    }

    var router: Router {
        var router = Router()
        router.on(.post, "/offer") { exchange, _ in
            exchange.collectBody(limit: Self.longestOffer) { body in self.answer(body, exchange) }
        }
        return router
    }

    private func answer(_ body: [UInt8], _ exchange: HTTPExchange) {
        guard let json = RawJSON(body), json.text("type") == "offer", let sdp = json.text("sdp") else {
            return exchange.respond(.error(.badRequest, "an offer is {\"type\":\"offer\",\"sdp\":\"…\"}"))
        }
        guard self.calls.count < Self.most else {
            return exchange.respond(.error(.serviceUnavailable, "\(Self.most) calls are as many as are taken at once"))
        }
        do {
            self.count += 1
            let path = self.folder.map { "\($0)/\(self.house.reactor.loop.index)-\(self.count).ogg" }
            let call = OfferedCall(
                self.house, feed: try self.plan.play?.open(), sinks: try SoundOptions.sinks(path),
                endsWithSound: self.plan.endsWithSound)
            let key = ObjectIdentifier(call)
            self.calls[key] = call
            try call.answer(sdp, exchange) { self.calls[key] = nil }
        } catch let error as NegotiationError {
            exchange.respond(.error(.badRequest, "\(error)"))
        } catch {
            Terminal.complain("parley answer: \(error)")
            exchange.respond(.error(.internalServerError, "the call cannot be taken"))
        }
    }

    func close() {
        for call in self.calls.values { call.close() }
        self.house.close()
    }
}

/// One call that came as an offer over HTTP.
final class OfferedCall {
    private var link: PeerLink?
    private let reactor: Reactor
    private var exchange: HTTPExchange?
    private var ended: (() -> Void)?
    private var timer: TimerToken?

    /// Who has not come by then does not come.
    private static let patience = Duration.seconds(15)

    init(_ house: PeerHouse, feed: (any SoundFeed)?, sinks: [any SoundSink], endsWithSound: Bool) {
        self.reactor = house.reactor
        let link = house.open(
            begins: false, feed: feed, sinks: sinks, signal: { _ in }, told: { [weak self] in self?.told($0) })
        self.link = link
        if endsWithSound { link.handset.onEnd = { [weak self] in self?.close() } }
    }

    func answer(_ offer: String, _ exchange: HTTPExchange, ended: @escaping () -> Void) throws(NegotiationError) {
        guard let connection = self.link?.connection else { return }
        self.ended = ended
        do throws(NegotiationError) {
            try connection.setRemoteDescription(.offer, offer)
            _ = try connection.createAnswer()
            self.exchange = exchange
            try connection.setLocalDescription(.answer)
        } catch {
            self.exchange = nil
            self.close()
            throw error
        }
        self.timer = self.reactor.schedule(after: Self.patience) { [weak self] in
            self?.timer = nil
            if self?.link?.connectedAt == nil { self?.close() }
        }
    }

    private func told(_ event: PeerEvent) {
        switch event {
        // Whoever posts an offer takes no candidates afterwards.
        case .candidatesEnded: self.respond()
        case .stateChanged(.failed), .stateChanged(.closed), .goodbye, .securityStateChanged(.closed): self.close()
        default: return
        }
    }

    private func respond() {
        guard let exchange = self.exchange.take(), let sdp = self.link?.connection.localDescription else { return }
        var json = JSONWriter()
        json.object { json in
            json.field("type", "answer")
            json.field("sdp", sdp)
        }
        exchange.respond(.json(.ok, json.bytes))
    }

    func close() {
        guard let link = self.link.take() else { return }
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        if let exchange = self.exchange.take() {
            exchange.respond(.error(.serviceUnavailable, "the call was not taken"))
        }
        // Not from within what the connection tells.
        self.reactor.schedule(after: .zero) { link.close() }
        self.ended.take()?()
    }
}
