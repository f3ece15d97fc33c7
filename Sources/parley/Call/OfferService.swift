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

/// Calls that need no signalling server: `POST /offer` with `{"sdp","type":"offer"}` is answered with the answer. One service
/// on each loop; a call stays on the loop that its request came to.
final class OfferService {
    private let peers: PeerDependencies
    private let plan: CallPlan
    private let folder: String?
    private let admission: OfferAdmission
    private var calls: [ObjectIdentifier: OfferedCall] = [:]
    /// Offers that came before the servers were found.
    private var early: [() -> Void]? = []

    private static let maximumCalls = 1_000
    private static let maximumOfferBytes = 256 << 10

    init(
        _ plan: CallPlan, recordingsIn folder: String?, _ admission: OfferAdmission, on reactor: Reactor
    ) throws {
        self.plan = plan
        self.admission = admission
        self.folder = folder
        self.peers = try PeerDependencies(plan, on: reactor)
        self.peers.find([]) {
            let early = self.early.take() ?? []
            for answer in early { answer() }
        }
    }

    var router: Router {
        var router = Router()
        router.on(.post, "/offer") { exchange, _ in
            exchange.collectBody(limit: Self.maximumOfferBytes) { body in self.received(body, exchange) }
        }
        return router
    }

    private func received(_ body: [UInt8], _ exchange: HTTPExchange) {
        guard self.calls.count + (self.early?.count ?? 0) < Self.maximumCalls else {
            return exchange.respond(
                .error(.serviceUnavailable, "\(Self.maximumCalls) calls are as many as are taken at once"))
        }
        if self.early?.append({ self.answer(body, exchange) }) == nil { self.answer(body, exchange) }
    }

    private func answer(_ body: [UInt8], _ exchange: HTTPExchange) {
        guard let json = RawJSON(body), json.text("type") == "offer", let sdp = json.text("sdp") else {
            return exchange.respond(.error(.badRequest, "an offer is {\"type\":\"offer\",\"sdp\":\"…\"}"))
        }
        let now = Instant(milliseconds: Int64(clamping: exchange.reactor.now))
        if let refusal = self.admission.refusal(of: exchange.client, at: now) { return exchange.respond(refusal) }
        self.take(sdp, from: exchange.client, exchange)
    }

    private func take(_ offer: String, from client: IPAddress, _ exchange: HTTPExchange) {
        // As no other call is called, today or the next time.
        var random = SystemRandomNumberGenerator()
        let name = RandomToken(using: &random).text
        let recording = RecordingPlan(heard: self.folder.map { "\($0)/\(name).ogg" })
        let call: OfferedCall
        do {
            call = OfferedCall(
                self.peers, feed: try self.plan.openFeed(), sinks: try recording.open().heard,
                endsWithSound: self.plan.endsWithSound)
        } catch {
            self.admission.left(client)
            Terminal.complain("parley answer: \(error)")
            return exchange.respond(.error(.internalServerError, "the call cannot be taken"))
        }
        let key = ObjectIdentifier(call)
        self.calls[key] = call
        do throws(OfferedCall.Refusal) {
            try call.answer(offer, exchange) {
                self.calls[key] = nil
                self.admission.left(client)
            }
        } catch {
            recording.discard()
            exchange.respond(.error(.badRequest, error.text))
        }
    }

    func close() {
        for call in self.calls.values { call.closeAtOnce() }
        self.peers.close()
    }
}
