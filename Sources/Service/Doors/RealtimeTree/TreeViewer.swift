internal import HTTPServer
internal import Identity
internal import JSON
internal import Reactor
internal import RealtimeTree
internal import Vocabulary
internal import Web

/// A viewer of the tree on the page, over a WebSocket (`/.view`): the children of the places that are open there, and what
/// changes among them. Only for those who may read everything.
///
///     unknown ──{"auth"}──▶ looking ──the access ends──▶ ended
///        └────no token in time, or a wrong one────────────▲
final class TreeViewer: WebSocketHandler, TreeObserver {
    private let socket: WebSocketConnection
    private let desk: TreeDesk
    private let gate: TreeGate
    private var access: TreeAccess?
    private var number: Int?
    private var outline = TreeOutline()
    private var timer: TimerToken?
    private var endTimer: TimerToken?

    /// Of a message of a viewer: a token and a path fit into it.
    static let maximumMessageBytes = 16 << 10
    /// Viewers of the tree at once, since each hears of every write.
    private static let maximumViewers = 64
    /// How long a viewer may take to say who they are.
    private static let entryTimeout = Duration.seconds(10)
    /// What changes within this time is shown together.
    private static let interval = Duration.milliseconds(100)
    /// What may wait on the socket of a viewer; behind more nothing is put.
    private static let maximumQueuedBytes = 256 << 10

    init(_ socket: WebSocketConnection, _ desk: TreeDesk, _ gate: TreeGate) {
        self.socket = socket
        self.desk = desk
        self.gate = gate
        self.endTimer = socket.reactor.schedule(after: Self.entryTimeout) { [weak self] in self?.refuse(.wrongToken) }
    }

    func received(_ kind: WebSocketMessageKind, _ payload: Span<UInt8>, on webSocket: WebSocketConnection) {
        guard let message = TreeViewerMessage(payload) else {
            return self.socket.close(.policyViolation, reason: "no message of a viewer")
        }
        do throws(TreeProblem) {
            switch message {
            case .auth(let token): try self.enter(try self.gate.viewer(token, at: self.desk.now))
            case .open, .close:
                guard self.access != nil else { throw .denied }
                self.change(message)
            }
        } catch {
            self.refuse(error)
        }
    }

    private func enter(_ access: TreeAccess) throws(TreeProblem) {
        guard self.number != nil || self.desk.viewers < Self.maximumViewers else { throw .tooMany("viewers") }
        self.access = access
        self.socket.reactor.cancel(self.endTimer.take())
        if let expiry = access.expiry {
            let wait = max(expiry.milliseconds - self.desk.now.milliseconds, 0)
            self.endTimer = self.socket.reactor.schedule(after: .milliseconds(wait)) { [weak self] in
                self?.refuse(.expired)
            }
        }
        guard self.number == nil else { return }
        let number = self.desk.enter(self)
        self.number = number
        self.desk.viewers += 1
        self.desk.listen(number, .root, TreeQuery(), tag: nil)
    }

    private func change(_ message: TreeViewerMessage) {
        switch message {
        case .auth: break
        case .open(let path, let limit):
            do throws(TreeOutline.Refusal) {
                try self.outline.open(path, limit: limit)
                self.show(after: .zero)
            } catch {
                self.send { json in json.fields(("path", path.text), ("error", "too_many")) }
            }
        case .close(let path): self.outline.close(path)
        }
    }

    // MARK: - What is shown

    func hear(_ news: TreeMessage) {
        self.outline.heard(news.news)
        if self.timer == nil, self.outline.isDue { self.show(after: Self.interval) }
    }

    func hear(_ news: TreeNews, at place: TreePath, tag: Int?) {}

    private func show(after wait: Duration) {
        self.socket.reactor.cancel(self.timer.take())
        self.timer = self.socket.reactor.schedule(after: wait) { [weak self] in
            self?.timer = nil
            self?.show()
        }
    }

    private func show() {
        guard self.socket.queuedBytes <= Self.maximumQueuedBytes else { return self.show(after: Self.interval) }
        for change in self.outline.takeChanges(in: self.desk.tree) { self.send { $0.change(change) } }
    }

    private func send(_ write: (inout JSONWriter) -> Void) { self.socket.send(.text, JSONWriter.bytes(write).span) }

    // MARK: - The end

    /// It is told why before it is cut.
    private func refuse(_ problem: TreeProblem) {
        self.send { json in
            json.object { json in
                json.key("error")
                json.fields(("code", problem.viewerCode), ("message", problem.message))
            }
        }
        self.access = nil
        self.socket.close(.policyViolation, reason: problem.viewerCode)
    }

    func interrupted() { self.socket.close(.goingAway) }

    func accessChanged(_ accounts: Accounts) {
        if self.access?.isGood(accounts) == false { self.refuse(.expired) }
    }

    func rulesChanged() {}

    func closed(_ webSocket: WebSocketConnection, _ code: WebSocketCloseCode?, reason: String) {
        for timer in [self.timer.take(), self.endTimer.take()] { self.socket.reactor.cancel(timer) }
        guard let number = self.number.take() else { return }
        self.desk.unlisten(number, .root, TreeQuery())
        self.desk.leave(number)
        self.desk.viewers -= 1
    }
}

extension Reactor {
    fileprivate func cancel(_ timer: TimerToken?) { if let timer { self.cancel(timer) } }
}

extension TreeProblem {
    /// In the words of our own interface, which the page knows.
    fileprivate var viewerCode: String {
        switch self {
        case .denied: "forbidden"
        case .expired: "token_expired"
        case .wrongToken: "unauthorized"
        default: "unavailable"
        }
    }
}

extension JSONWriter {
    /// `{"path","whole","value"|"count","rows":[{"at","key",…}],"gone":[…]}`
    fileprivate mutating func change(_ change: TreeOutline.Change) {
        self.object { json in
            json.field("path", change.path.text)
            json.field("whole", change.isWhole)
            json.summary(change.summary)
            json.array("rows", of: change.rows) { json, shown in
                json.object { json in
                    json.field("at", shown.index)
                    json.field("key", shown.row.key.text)
                    json.summary(shown.row.summary)
                }
            }
            json.array("gone", of: change.gone) { $0.string($1.text) }
        }
    }

    /// Nothing is `"value":null`.
    private mutating func summary(_ summary: TreeOutline.Summary) {
        switch summary {
        case .nothing:
            self.key("value")
            self.null()
        case .children(let count): self.field("count", count)
        case .value(let scalar):
            self.key("value")
            self.scalar(scalar)
        case .text(let beginning, let bytes):
            self.field("value", beginning)
            self.field("bytes", bytes)
        }
    }
}
