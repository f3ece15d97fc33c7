internal import HTTPServer
internal import Identity
internal import JSON
internal import Operations
internal import Reactor
internal import Keeping
internal import Switchboard
internal import Vocabulary
internal import Web

extension APIVisit {
    /// Everything a user hears: first what the device missed, then what comes.
    func streamEverything(_ identity: Identity) {
        let query = QueryItems(self.exchange.request.query ?? "")
        let device = query?["device"].flatMap { DeviceID($0) } ?? .main
        EventStream(self, identity.user).start(identity, on: device)
    }
}

/// A stream of Server-Sent Events of all conversations of a user. Who reads too slowly is cut off, and finds what it
/// missed when it comes back.
final class EventStream: ChatListener {
    let user: UserID
    private let visit: APIVisit
    private var standing: StandingVisit?
    private var timer: TimerToken?
    /// Written since the client kept up for the last time.
    private var unread = 0

    private static let heartbeat = Duration.seconds(20)
    /// As much as waits for a client on a socket.
    private static let maximumUnreadBytes = 4_000_000

    init(_ visit: APIVisit, _ user: UserID) {
        self.visit = visit
        self.user = user
    }

    func start(_ identity: Identity, on device: DeviceID) {
        self.standing = StandingVisit(self.visit, identity) { self.end($0) }
        let request = SyncRequest(self.user, on: device)
        self.visit.desk.chat.listen(self, request, isAlive: { self.standing != nil }) { result in
            switch result {
            case .failure(let error): if self.standing != nil { self.end(error) }
            case .success(let synced): self.begin(synced)
            }
        }
    }

    private func begin(_ synced: Synced) {
        guard self.standing != nil, self.visit.startStream() else { return }
        self.write(Operation.chat(.sync).name, JSONWriter.bytes { $0.synced(synced) })
        self.beat()
    }

    func hear(_ news: ChatNews) { self.write(news.event.rawValue, news.json) }

    private func write(_ event: String, _ json: [UInt8]) {
        guard self.standing != nil else { return }
        let frame = ServerSentEvent.frame(event, json)
        self.unread = self.visit.exchange.write(frame.span) ? 0 : self.unread + frame.count
        // Closing it says who has gone.
        if self.unread > Self.maximumUnreadBytes { self.visit.exchange.fail() }
    }

    private func beat() {
        guard self.standing != nil else { return }
        self.timer = self.visit.exchange.reactor.schedule(after: Self.heartbeat) { [weak self] in
            guard let self else { return }
            ServerSentEvent.beat(on: self.visit.exchange)
            self.beat()
        }
    }

    private func end(_ error: RequestError?) {
        self.standing.take()?.leave()
        if let timer = self.timer.take() { self.visit.exchange.reactor.cancel(timer) }
        self.visit.desk.chat.stopListening(self)
        self.visit.endStream(error)
    }
}
