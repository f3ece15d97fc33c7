internal import HTTPServer
internal import Identity
internal import JSON
internal import Reactor
internal import RealtimeTree
internal import Vocabulary
internal import Web

/// A place and all that happens there, as server-sent events.
final class TreeStream: TreeObserver {
    private let visit: TreeVisit
    private var number = 0
    private var timer: TimerToken?
    private var expiryTimer: TimerToken?
    private var isEnded = false
    /// Written since the client kept up for the last time.
    private var unread = 0

    private static let heartbeat = Duration.seconds(30)
    private static let maximumUnreadBytes = 16_000_000

    init(_ visit: TreeVisit) { self.visit = visit }

    private var desk: TreeDesk { self.visit.desk }
    private var path: TreePath { self.visit.request.path }
    private var query: TreeQuery { self.visit.request.query ?? TreeQuery() }

    /// It lives for as long as the client listens.
    /// - Parameter node: what is there.
    func start(_ node: TreeNode) {
        let exchange = self.visit.exchange
        let head = HTTPResponseHead(.ok, fields: [.contentType: "text/event-stream", .cacheControl: "no-cache"])
        guard exchange.start(head, length: nil) else { return }
        self.number = self.desk.enter(self)
        exchange.onAbandoned = { self.end() }
        exchange.onPeerFinished = { self.end() }
        exchange.onDrained = { [weak self] in self?.unread = 0 }
        self.send("put", .root, .set(node))
        self.desk.listen(self.number, self.path, self.query, tag: nil)
        self.beat()
        if let expiry = self.visit.access.expiry { self.endAtExpiry(expiry) }
    }

    func hear(_ news: TreeMessage) { self.send("put", news.news.path.dropping(self.path.count), news.news.change) }

    func hear(_ news: TreeNews, at place: TreePath, tag: Int?) {
        self.send("put", news.path.dropping(place.count), news.change)
    }

    private func send(_ event: String, _ path: TreePath, _ change: TreeNews.Change) {
        let json = JSONWriter.object { json in
            json.field("path", "/\(path.text)")
            json.key("data")
            switch change {
            case .set(let node): json.tree(node, self.visit.request.form)
            case .merge(let places):
                json.object { json in
                    for (path, node) in places {
                        json.key(path.text)
                        json.tree(node, self.visit.request.form)
                    }
                }
            }
        }
        if case .merge = change { self.write("patch", json) } else { self.write(event, json) }
    }

    private func write(_ event: String, _ json: [UInt8]) {
        guard !self.isEnded else { return }
        let frame = ServerSentEvent.frame(event, json)
        self.unread = self.visit.exchange.write(frame.span) ? 0 : self.unread + frame.count
        if self.unread > Self.maximumUnreadBytes { self.visit.exchange.fail() }
    }

    private func beat() {
        guard !self.isEnded else { return }
        self.timer = self.visit.exchange.reactor.schedule(after: Self.heartbeat) { [weak self] in
            guard let self else { return }
            self.write("keep-alive", Array("null".utf8))
            self.beat()
        }
    }

    // MARK: - The end

    private func endAtExpiry(_ expiry: WallTime) {
        let wait = max(expiry.milliseconds - self.desk.now.milliseconds, 0)
        self.expiryTimer = self.visit.exchange.reactor.schedule(after: .milliseconds(wait)) { [weak self] in
            self?.revoked()
        }
    }

    private func revoked() {
        self.finish("auth_revoked", JSONWriter.bytes { $0.string("credential is no longer valid") })
    }

    func interrupted() { self.visit.exchange.fail() }

    func accessChanged(_ accounts: Accounts) {
        if !self.visit.access.isGood(accounts) { self.revoked() }
    }

    func rulesChanged() {
        if !self.desk.mayRead(self.path, by: self.visit.access) { self.finish("cancel", Array("null".utf8)) }
    }

    private func finish(_ event: String, _ json: [UInt8]) {
        self.write(event, json)
        self.end()
        self.visit.exchange.finish()
    }

    private func end() {
        guard !self.isEnded else { return }
        self.isEnded = true
        for timer in [self.timer, self.expiryTimer] { if let timer { self.visit.exchange.reactor.cancel(timer) } }
        self.desk.unlisten(self.number, self.path, self.query)
        self.desk.leave(self.number)
    }
}
