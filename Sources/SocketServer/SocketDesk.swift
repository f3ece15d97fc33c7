internal import HTTPServer
internal import Journal
internal import Reactor
internal import Sessions
internal import SocketIO
internal import Vocabulary
internal import Web

/// All sessions of the server, on their loop: finds the one a request is for, or begins one.
final class SocketDesk {
    let reactor: Reactor
    let settings: SocketServerSettings
    let application: any SocketApplication
    let journal: Journal
    private var links: [SessionID: EngineLink] = [:]
    /// The sockets that may come back, by their keys.
    private var places: [ResumeKey: Socket] = [:]
    private var random = SystemRandomNumberGenerator()
    private var lastOffset: UInt64 = 0
    private var lastAckIDs: [Namespace: Int] = [:]

    init(
        _ reactor: Reactor, _ settings: SocketServerSettings, _ journal: Journal, _ application: any SocketApplication
    ) {
        self.reactor = reactor
        self.settings = settings
        self.journal = journal
        self.application = application
    }

    var now: Instant { Instant(milliseconds: Int64(clamping: self.reactor.now)) }

    func makeLayer() -> any EngineLayer { self.settings.echoes ? EchoLayer() : SocketLayer(self) }

    func forget(_ link: EngineLink) { self.links[link.sid] = nil }

    func drain() {
        for link in Array(self.links.values) { link.close(.serverShutdown) }
    }
}

// MARK: - Requests

extension SocketDesk {
    func respond(to exchange: HTTPExchange) {
        guard self.settings.crossOrigin.allows(exchange.request, isEncrypted: exchange.isEncrypted) else {
            return self.refuse(exchange, .forbidden)
        }
        do throws(EngineRefusal) {
            try self.answer(exchange, try EngineRequest(exchange.request))
        } catch {
            self.refuse(exchange, error)
        }
    }

    private func answer(_ exchange: HTTPExchange, _ request: EngineRequest) throws(EngineRefusal) {
        switch request.purpose {
        case .handshake(let version): self.welcome(exchange, request, version)
        case .poll(let sid): try self.link(sid).poll(exchange)
        case .post(let sid): try self.link(sid).post(exchange)
        case .upgrade(let sid): try self.link(sid).upgrade(exchange)
        }
    }

    private func link(_ sid: SessionID) throws(EngineRefusal) -> EngineLink {
        guard let link = self.links[sid] else { throw .unknownSession }
        return link
    }

    private func welcome(_ exchange: HTTPExchange, _ request: EngineRequest, _ version: EngineVersion) {
        let link = EngineLink(SessionID(using: &self.random), version, request, exchange, self)
        switch request.transport {
        case .polling: link.begin(answering: exchange)
        case .webSocket: exchange.upgradeToWebSocket { link.begin(on: $0) }
        }
        // A handshake that went wrong leaves nothing behind.
        if link.hasBegun { self.links[link.sid] = link }
    }

    /// In the words that Engine.IO's clients know.
    func refuse(_ exchange: HTTPExchange, _ refusal: EngineRefusal) {
        let status: HTTPStatus = refusal.status == 403 ? .forbidden : .badRequest
        guard exchange.request.isUpgrade(to: "websocket") else {
            return self.respond(exchange, .json(status, refusal.body))
        }
        var response = HTTPResponse.text(status, refusal.message)
        response.head.fields.set(.connection, to: "close")
        self.respond(exchange, response)
    }

    /// Answers with what a page from elsewhere needs to read the answer. Never kept by anybody on the way.
    func respond(_ exchange: HTTPExchange, _ response: HTTPResponse) {
        var response = response
        let origin = self.settings.crossOrigin
        for (name, value) in origin.fields(for: exchange.request, isEncrypted: exchange.isEncrypted) {
            response.head.fields.set(name, to: value)
        }
        response.head.fields.set(.cacheControl, to: "no-store")
        exchange.respond(response)
    }
}

// MARK: - Names and places

extension SocketDesk {
    func newSocketID() -> SessionID { SessionID(using: &self.random) }
    func newResumeKey() -> ResumeKey { ResumeKey(using: &self.random) }

    /// Counts events over all sockets, so that one that goes to many is encoded once.
    func nextOffset() -> EventOffset {
        self.lastOffset += 1
        return EventOffset(self.lastOffset)
    }

    /// Old servers count all acks of a namespace together, from 0; some clients rely on that.
    func nextAckID(in namespace: Namespace) -> Int {
        defer { self.lastAckIDs[namespace, default: 0] += 1 }
        return self.lastAckIDs[namespace, default: 0]
    }

    func keepPlace(of socket: Socket, _ key: ResumeKey) { self.places[key] = socket }
    func place(for key: ResumeKey) -> Socket? { self.places[key] }
    func giveUpPlace(_ key: ResumeKey) { self.places[key] = nil }
}

extension EngineRequest {
    fileprivate init(_ request: HTTPRequestHead) throws(EngineRefusal) {
        guard let items = QueryItems(request.query ?? "") else { throw .badRequest }
        try self.init(
            method: request.method.text, isUpgrade: request.isUpgrade(to: "websocket"), parameter: { items[$0] })
    }
}
