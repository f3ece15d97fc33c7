internal import HTTPServer
internal import JSON
internal import Reactor
internal import Store
internal import Switchboard
internal import Vocabulary
internal import Web

extension APIVisit {
    /// Everything a user hears: first what the device missed, then what comes.
    func streamEverything(_ user: UserID) {
        let query = QueryItems(self.exchange.request.query ?? "")
        let device = query?["device"].flatMap { DeviceID($0) } ?? .main
        EventStream(self, user).start(on: device)
    }
}

/// A stream of Server-Sent Events of all of somebody's conversations. Who reads too slowly is cut off, and finds what it
/// missed when it comes back.
final class EventStream: ChatListener {
    let user: UserID
    private let visit: APIVisit
    private var isOver = false
    private var timer: TimerToken?

    private static let heartbeat = Duration.seconds(20)

    init(_ visit: APIVisit, _ user: UserID) {
        self.visit = visit
        self.user = user
    }

    func start(on device: DeviceID) {
        self.visit.exchange.onAbandoned = { self.end() }
        self.visit.exchange.onPeerFinished = { self.end() }
        let request = SyncRequest(self.user, on: device)
        self.visit.desk.chat.listen(self, request, isAlive: { !self.isOver }) { result in
            switch result {
            case .failure(let error):
                self.visit.refuse(error)
                self.end()
            case .success(let synced): self.begin(synced)
            }
        }
    }

    private func begin(_ synced: Synced) {
        guard !self.isOver, self.visit.startStream() else { return self.end() }
        var json = JSONWriter()
        json.synced(synced)
        self.write("chat.sync", json.bytes)
        self.beat()
    }

    func hear(_ news: ChatNews) { self.write(news.event, news.json) }

    private func write(_ event: String, _ json: [UInt8]) {
        guard !self.isOver else { return }
        guard self.visit.exchange.write(ServerSentEvent.frame(event, json).span) else {
            self.visit.exchange.fail()
            return self.end()
        }
    }

    private func beat() {
        self.timer = self.visit.exchange.reactor.schedule(after: Self.heartbeat) { [unowned self] in
            ServerSentEvent.beat(on: self.visit.exchange)
            self.beat()
        }
    }

    private func end() {
        guard !self.isOver else { return }
        self.isOver = true
        if let timer = self.timer.take() { self.visit.exchange.reactor.cancel(timer) }
        self.visit.desk.chat.stopListening(self)
        self.visit.exchange.onAbandoned = nil
        self.visit.exchange.onPeerFinished = nil
    }
}
