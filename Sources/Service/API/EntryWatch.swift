internal import Conversing
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
    static let maximumWaitSeconds = 60

    /// Takes the request over when it wants to wait for entries, or to hear of them for as long as it listens.
    func watch(
        _ parameters: PathParameters, _ query: QueryItems, _ identity: Identity
    ) throws(RequestError) -> Bool {
        let wantsStream = self.exchange.request.fields["Accept"]?.contains("text/event-stream") ?? false
        guard wantsStream || query["wait"] != nil else { return false }
        guard let id = parameters["conversation"].flatMap({ ConversationID($0) }) else {
            throw RequestError(.badRequest, "field 'conversation' must be the id of a conversation")
        }
        // Where the browser's EventSource stopped comes before what its address says.
        let place = self.exchange.request.fields["Last-Event-ID"] ?? query["after"] ?? "0"
        guard let after = UInt64(place), let wait = Int(query["wait"] ?? "0"), wait >= 0 else {
            throw RequestError(.badRequest, "fields 'after' and 'wait' must be whole numbers")
        }
        let limit = min(max(query["limit"].flatMap { Int($0) } ?? 50, 1), 200)
        let watch = EntryWatch(self, identity.user, id, after: after, limit: limit, isStream: wantsStream)
        watch.start(identity, waiting: .seconds(min(wait, Self.maximumWaitSeconds)))
        return true
    }
}

/// A client without a socket that wants to know what comes next in one conversation: once, or again and again.
final class EntryWatch: ChatListener {
    let user: UserID
    private let visit: APIVisit
    private let id: ConversationID
    private let limit: Int
    private let isStream: Bool
    private var position: UInt64
    /// A page was asked for and is not there yet; something may happen meanwhile.
    private var isAsking = false
    private var hasNews = false
    private var standing: StandingVisit?
    private var timer: TimerToken?

    /// A comment now and then keeps proxies from thinking that nothing lives here.
    private static let heartbeat = Duration.seconds(20)

    init(_ visit: APIVisit, _ user: UserID, _ id: ConversationID, after: UInt64, limit: Int, isStream: Bool) {
        self.visit = visit
        self.user = user
        self.id = id
        self.position = after
        self.limit = limit
        self.isStream = isStream
    }

    private var reactor: Reactor { self.visit.exchange.reactor }

    func start(_ identity: Identity, waiting wait: Duration) {
        self.standing = StandingVisit(self.visit, identity) { self.end($0) }
        // It listens before it looks, so that nothing falls in between.
        self.visit.desk.chat.wait(self, in: self.id)
        self.visit.exchange.onDrained = { [weak self] in self?.ask() }
        self.timer = self.reactor.schedule(after: self.isStream ? Self.heartbeat : wait) { [weak self] in
            self?.timeIsOver()
        }
        self.ask()
    }

    func hear(_ news: ChatNews) {
        guard news.outcome != nil else { return }
        self.hasNews = true
        self.ask()
    }

    private func ask() {
        guard !self.isAsking, self.standing != nil else { return }
        self.isAsking = true
        self.hasNews = false
        let request = HistoryRequest(self.id, for: self.user, .after(self.position), limit: self.limit)
        self.visit.desk.chat.ask(request, isPatient: true) { self.take($0) }
    }

    private func take(_ result: Result<EntryPage, RequestError>) {
        self.isAsking = false
        guard self.standing != nil else { return }
        switch result {
        case .failure(let error): self.end(error)
        case .success(let page): self.isStream ? self.write(page) : self.answer(page)
        }
    }

    private func answer(_ page: EntryPage) {
        guard page.items.isEmpty, self.timer != nil else { return self.finish(page) }
        if self.hasNews { self.ask() }
    }

    private func finish(_ page: EntryPage) {
        self.stop()
        self.visit.answer(.json(.ok, JSONWriter.bytes { $0.page(page) }))
    }

    private func write(_ page: EntryPage) {
        if !self.visit.exchange.isAnswered, !self.visit.startStream() { return }
        var keepsUp = true
        for item in page.items {
            let json = JSONWriter.bytes { $0.entry(item.entry, in: item.conversation, item.key) }
            let frame = ServerSentEvent.frame(ServerEvent.chatEntry.rawValue, json, id: String(item.entry.number))
            keepsUp = self.visit.exchange.write(frame.span)
            self.position = item.entry.number
        }
        // A slow reader is waited for; the rest stays in the store.
        if keepsUp, page.hasMore || self.hasNews { self.ask() }
    }

    private func timeIsOver() {
        self.timer = nil
        guard self.standing != nil else { return }
        guard self.isStream else { return self.isAsking ? () : self.finish(EntryPage()) }
        if self.visit.exchange.isAnswered { ServerSentEvent.beat(on: self.visit.exchange) }
        self.timer = self.reactor.schedule(after: Self.heartbeat) { [weak self] in self?.timeIsOver() }
    }

    private func end(_ error: RequestError?) {
        self.stop()
        // A member who may not send any more may still read, and nothing has happened yet.
        if error == nil, !self.isStream { return self.finish(EntryPage()) }
        self.visit.endStream(error)
    }

    private func stop() {
        self.standing.take()?.leave()
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        self.visit.desk.chat.stopListening(self)
        self.visit.exchange.onDrained = nil
    }
}

/// The text of Server-Sent Events (HTML Standard §9.2.5). JSON of ours has no line breaks.
enum ServerSentEvent {
    /// Says that the server is still here.
    static func beat(on exchange: HTTPExchange) {
        let comment = Array(": here\n\n".utf8)
        exchange.write(comment.span)
    }

    /// The same words as on a socket.
    static func end(_ error: RequestError, on exchange: HTTPExchange) {
        let json = JSONWriter.bytes { $0.error(error) }
        exchange.write(Self.frame(ServerEvent.sessionEnding.rawValue, json).span)
    }

    static func frame(_ event: String, _ json: [UInt8], id: String? = nil) -> [UInt8] {
        var frame = Array("event: \(event)\n".utf8)
        if let id { frame += "id: \(id)\n".utf8 }
        frame += "data: ".utf8
        // A sender's own JSON may have line breaks between its values; within texts there are none.
        frame += json.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        return frame + [0x0A, 0x0A]
    }
}
