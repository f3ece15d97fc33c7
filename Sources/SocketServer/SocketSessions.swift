internal import Hashing
internal import HTTPServer
internal import Journal
internal import Pacing
internal import Reactor
internal import Sessions
internal import SocketIO
internal import Vocabulary
internal import Web

/// All sessions of the server, on their loop: finds the one a request is for, or begins one. Knows the sockets that may
/// come back.
final class SocketSessions {
    let clock: any Scheduler
    let settings: SocketServerSettings
    private let linkPolicy: Shared<LinkPolicy>
    private let legacyLinkPolicy: Shared<LinkPolicy>?
    let application: any SocketApplication
    let journal: Journal
    /// This node's name, where there may be others that clients come back to.
    private let node: RandomToken?
    private var links: [SessionID: EngineLink] = [:]
    private var arrivals: SessionAdmission
    /// The sockets that may come back, by the handles of their keys.
    private var places: [SessionID: Socket] = [:]
    private var random = BufferedRandom()
    private var lastOffset: UInt64
    private var lastAckIDs: [Namespace: Int] = [:]

    init(
        _ settings: SocketServerSettings, as node: RandomToken? = nil, clock: any Scheduler, journal: Journal,
        application: any SocketApplication
    ) {
        self.node = node
        self.clock = clock
        self.settings = settings
        self.linkPolicy = Shared(settings.link)
        self.legacyLinkPolicy = settings.legacyLink.map { Shared($0) }
        self.journal = journal
        self.arrivals = SessionAdmission(settings.arrivals)
        self.application = application
        // What another node has called by an offset must not be called so here.
        self.lastOffset = node == nil ? 0 : UInt64.random(in: 0..<1 << 48, using: &self.random)
    }

    var now: Instant { self.clock.instant }

    func makeLayer(_ version: EngineVersion, _ policy: LinkPolicy) -> any EngineLayer {
        self.settings.echoes ? EchoLayer() : SocketLayer(self, version: version, policy: policy)
    }

    func forget(_ link: EngineLink) {
        self.links[link.sid] = nil
        self.arrivals.left(link.client.address)
    }

    func drain() {
        for link in Array(self.links.values) { link.close(.serverShutdown) }
    }

    func sendOldClientsAway() {
        for link in Array(self.links.values) where link.version == .v3 { link.close(.serverShutdown) }
    }
}

// MARK: - Requests

extension SocketSessions {
    func respond(to exchange: HTTPExchange) {
        do throws(EngineRefusal) {
            let hints = self.settings.legacyLink?.impliedBy ?? []
            let request = try EngineRequest(exchange, legacyHints: hints)
            if let sid = request.session, self.links[sid] == nil, self.application.forward(exchange, of: sid) { return }
            if case .handshake(.v3) = request.purpose, self.application.forwardOldClient(exchange) { return }
            try self.answer(exchange, request)
        } catch {
            exchange.refuse(error)
        }
    }

    private func answer(_ exchange: HTTPExchange, _ request: EngineRequest) throws(EngineRefusal) {
        switch request.purpose {
        case .handshake(let version): try self.welcome(exchange, request, version: version)
        case .poll(let sid): try self.link(sid, exchange).poll(exchange)
        case .post(let sid): try self.link(sid, exchange).post(exchange)
        case .upgrade(let sid): try self.link(sid, exchange).upgrade(exchange)
        }
    }

    private func link(_ sid: SessionID, _ exchange: HTTPExchange) throws(EngineRefusal) -> EngineLink {
        guard let link = self.links[sid], link.accepts(exchange) else { throw .unknownSession }
        exchange.isOfNewcomer = !link.isAdmitted
        return link
    }

    private func welcome(
        _ exchange: HTTPExchange, _ request: EngineRequest, version: EngineVersion
    ) throws(EngineRefusal) {
        guard let policy = version == .v4 ? self.linkPolicy : self.legacyLinkPolicy else { throw .unsupportedVersion }
        if let wait = exchange.reactor.waitOfLateNewcomer() { return self.putOff(exchange, for: wait) }
        do throws(SessionAdmission.Refusal) {
            try self.arrivals.arrived(from: exchange.client, at: self.now)
        } catch {
            return self.turnAway(exchange, error)
        }
        let link = EngineLink(
            self.newLinkID(), version: version, policy: policy, for: request, on: exchange, sessions: self
        )
        exchange.isOfNewcomer = !link.isAdmitted
        switch request.transport {
        case .polling: link.begin(answering: exchange)
        case .webSocket:
            exchange.upgradeToWebSocket(maximumMessageBytes: link.maximumMessageBytes) { link.begin(on: $0) }
        }
        // A handshake that went wrong leaves nothing behind.
        guard link.hasBegun else { return self.arrivals.left(link.client.address) }
        if !link.isOver { self.links[link.sid] = link }
    }

    private func turnAway(_ exchange: HTTPExchange, _ refusal: SessionAdmission.Refusal) {
        let (wait, problem): (Duration, StaticString) =
            switch refusal {
            case .tooOften(let wait): (wait, "connection rate limit exceeded")
            case .tooMany: (Self.retryDelay, "too many open sessions from this address")
            }
        self.journal.debug(.arrivalRefused, problem, [.peer: .private("\(exchange.client)")])
        exchange.refuse(arrivalUntil: wait, "\(problem); connect again later")
    }

    /// More want in than can be served soon: this one comes back when there is time for it, and not with all others.
    private func putOff(_ exchange: HTTPExchange, for wait: Duration) {
        self.settings.onPutOff()
        let jitter = Duration.milliseconds(Int64.random(in: 0..<1000, using: &self.random))
        let words = "too many arrive at once; connect again later"
        exchange.refuse(.serviceUnavailable, arrivalUntil: wait + jitter, words)
    }

    /// When a client may ask again whether one of its address's sessions has ended.
    private static let retryDelay = Duration.seconds(10)
}

// MARK: - Names and places

extension SocketSessions {
    func newSocketID() -> SessionID { SessionID(using: &self.random) }
    func newResumeKey(of session: SessionID) -> ResumeKey { ResumeKey(of: session, using: &self.random) }

    /// Beside other nodes it says whose it is.
    private func newLinkID() -> SessionID {
        guard let node = self.node else { return SessionID(using: &self.random) }
        return SessionID(RandomToken(taggedBy: node, using: &self.random))
    }

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

    func keepPlace(of socket: Socket) { self.places[socket.id] = socket }
    func giveUpPlace(of socket: Socket) { self.places[socket.id] = nil }

    func place(for key: ResumeKey) -> Socket? {
        guard let socket = self.places[key.session], socket.isKept(for: key) else { return nil }
        return socket
    }
}

extension EngineRequest {
    fileprivate var session: SessionID? {
        switch self.purpose {
        case .handshake: nil
        case .poll(let sid), .post(let sid), .upgrade(let sid): sid
        }
    }

    fileprivate init(_ exchange: HTTPExchange, legacyHints: [String]) throws(EngineRefusal) {
        guard let query = exchange.query else { throw .badRequest }
        let request = exchange.request
        try self.init(
            method: request.method.text, isUpgrade: request.isUpgrade(to: "websocket"), legacyHints: legacyHints,
            parameter: { query[$0] })
    }
}

extension LogName {
    static let arrivalRefused = LogName("arrival.refused")
}
