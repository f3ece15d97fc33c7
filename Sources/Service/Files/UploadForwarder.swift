internal import Client
internal import HTTPServer
internal import Reactor
internal import Vocabulary
internal import Web

/// A request for an upload that lies on another node's disk is passed on to that node as it comes, and its answer passed back: one step only,
/// and with the client's own token. Lives on the home loop.
final class UploadForwarder {
    private let reactor: Reactor
    private let forwarder: RequestForwarder
    /// When a client first asked for an upload on a node of which nothing is known.
    private var unknownSince: [FileID: Duration] = [:]

    /// A node that is there is heard of within so long, also when this one has just begun.
    private static let meetingTime = Duration.seconds(5)
    private static let mostUnknown = 1000

    init(by forwarder: RequestForwarder, on reactor: Reactor) {
        self.reactor = reactor
        self.forwarder = forwarder
    }

    /// False when it is on no other node that is there.
    func forward(_ exchange: HTTPExchange, of upload: FileID, limit: Int) -> Bool {
        guard let server = self.forwarder.server(where: { upload.isTagged(by: $0) }) else {
            guard self.mayBeMet(upload) else { return false }
            Self.refuse(exchange, .unavailable)
            return true
        }
        self.unknownSince[upload] = nil
        guard exchange.request.framing == .none || exchange.request.framing.length != nil else {
            Self.refuse(exchange, .lengthMissing)
            return true
        }
        // A node that died is known to be gone in a few seconds.
        self.forwarder.pass(exchange, to: server, limit: limit) { Self.refuse($0, .unavailable) }
        return true
    }

    private func mayBeMet(_ upload: FileID) -> Bool {
        let now = Duration.milliseconds(Int64(clamping: self.reactor.now))
        if self.unknownSince.count >= Self.mostUnknown { self.unknownSince = [:] }
        let first = self.unknownSince[upload, default: now]
        self.unknownSince[upload] = first
        return now - first < Self.meetingTime
    }

    private static func refuse(_ exchange: HTTPExchange, _ problem: FileProblem) {
        var response = problem.response
        response.head.fields.set(.tusResumable, to: "1.0.0")
        exchange.respond(response)
    }
}
