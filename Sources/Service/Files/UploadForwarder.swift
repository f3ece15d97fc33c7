internal import Client
internal import HTTPServer
internal import Reactor
internal import Vocabulary
internal import Web

/// A request for an upload that lies on another node's disk is passed on to that node as it comes, and its answer passed back: one step only,
/// and with the client's own token. Lives on the home loop.
final class UploadForwarder {
    private let reactor: Reactor
    private let addresses: () -> [RandomToken: String?]
    private var underWay = 0
    /// When a client first asked for an upload on a node of which nothing is known.
    private var unknownSince: [FileID: Duration] = [:]

    /// A node that is there is heard of within so long, also when this one has just begun.
    private static let meetingTime = Duration.seconds(5)
    private static let mostUnknown = 1000
    /// Nothing moved for so long.
    private static let idleTimeout = Duration.seconds(60)
    private static let mostUnderWay = 1000
    private static let passedOn: [HTTPFieldName] = [
        .authorization, .contentType, .tusResumable, .uploadOffset, "Upload-Checksum", "X-HTTP-Method-Override",
    ]
    private static let passedBack: [HTTPFieldName] = [
        .contentType, .cacheControl, .retryAfter, .tusResumable, .uploadOffset, .uploadLength, .uploadExpires,
        "Access-Control-Expose-Headers", "Tus-Version",
    ]

    /// - Parameter addresses: where the other nodes are.
    init(on reactor: Reactor, to addresses: @escaping () -> [RandomToken: String?]) {
        self.reactor = reactor
        self.addresses = addresses
    }

    /// False when it is on no other node that is there.
    func forward(_ exchange: HTTPExchange, of upload: FileID, limit: Int) -> Bool {
        guard let address = self.addresses().first(where: { upload.isTagged(by: $0.key) })?.value,
            let server = ServerURL(address), self.underWay < Self.mostUnderWay
        else {
            guard self.mayBeMet(upload) else { return false }
            Self.refuse(exchange, .unavailable)
            return true
        }
        self.unknownSince[upload] = nil
        guard exchange.request.framing == .none || exchange.request.framing.length != nil else {
            Self.refuse(exchange, .lengthMissing)
            return true
        }
        let body = exchange.request.framing.length.map { ForwardedBody(exchange, length: $0) }
        self.call(server, exchange, body)
        if let body { exchange.streamBody(to: body, limit: limit) }
        return true
    }

    private func mayBeMet(_ upload: FileID) -> Bool {
        let now = Duration.milliseconds(Int64(clamping: self.reactor.now))
        if self.unknownSince.count >= Self.mostUnknown { self.unknownSince = [:] }
        let first = self.unknownSince[upload, default: now]
        self.unknownSince[upload] = first
        return now - first < Self.meetingTime
    }

    private func call(_ server: ServerURL, _ exchange: HTTPExchange, _ body: ForwardedBody?) {
        self.underWay += 1
        let request = ForwardedRequest(exchange, passing: Self.passedOn)
        let call = HTTPCall(server, on: self.reactor) { [unowned self] outcome in
            self.underWay -= 1
            exchange.onAbandoned = nil
            self.answer(exchange, outcome)
        }
        exchange.onAbandoned = { call.cancel() }
        call.send(
            exchange.request.method, request.target, fields: request.fields, from: body, idleTimeout: Self.idleTimeout)
    }

    private static func refuse(_ exchange: HTTPExchange, _ problem: FileProblem) {
        var response = problem.response
        response.head.fields.set(.tusResumable, to: "1.0.0")
        exchange.respond(response)
    }

    private func answer(_ exchange: HTTPExchange, _ outcome: HTTPCall.Outcome) {
        // A node that died is known to be gone in a few seconds.
        guard case .success(let answer) = outcome else { return Self.refuse(exchange, .unavailable) }
        var response = HTTPResponse(answer.status, body: answer.body.isEmpty ? .none : .bytes(answer.body))
        response.head.fields.take(Self.passedBack, from: answer.fields)
        exchange.respond(response)
    }
}
