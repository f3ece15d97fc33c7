internal import Client
internal import Conversing
internal import JSON
internal import Journal
internal import Pacing
internal import Reactor
internal import Keeping
internal import Switchboard
internal import Vocabulary
internal import Web

/// Tells another program of every entry: at least once, in the order of each conversation, for as long as it takes. What it
/// has not taken is in the store, so a crash on either side loses nothing.
final class WebhookSender {
    private let url: HTTPURL
    private let signature: HookSignature
    private let time: Duration
    private let store: any Store
    private let reactor: Reactor
    private let metrics: ServiceMetrics
    private let journal: Journal
    private var queue = DeliveryQueue()
    private var payloads: [Int64: Payload] = [:]
    /// Everything up to here was taken from the store.
    private var last: Int64 = 0
    private var isLoading = false
    private var hasNews = false
    private var alarm: TimerToken?
    private var retry: TimerToken?
    private let errands: Errands
    private let late: LateRows<ListDeliveries, Delivery>
    private var places = LanePlaces()
    /// Answers of the store to what was asked before are of no use.
    private var run = 0

    private struct Payload {
        let id: String
        let body: [UInt8]
        /// The same for each attempt.
        let trace: TraceContext
    }

    private static let portion = 500
    /// More are not held in memory.
    private static let maximumQueued = 2000

    init(
        _ url: HTTPURL, _ settings: HookSettings, _ store: any Store, _ errands: Errands, on reactor: Reactor,
        _ metrics: ServiceMetrics, _ journal: Journal
    ) {
        self.errands = errands
        self.metrics = metrics
        self.url = url
        self.signature = HookSignature(secret: settings.secret)
        self.time = settings.deliveryTime
        self.store = store
        self.reactor = reactor
        self.journal = journal
        self.late = LateRows(store, on: reactor) { .numbered($0) }
        self.late.onFound = { [unowned self] in self.take($0) }
        self.late.onFailure = { [unowned self] in self.note($0) }
    }

    /// Another one may have done it until now.
    func begin() {
        self.run += 1
        self.queue = DeliveryQueue()
        self.payloads = [:]
        self.late.forgetAll()
        self.places = LanePlaces()
        self.last = 0
        self.isLoading = false
        self.wake()
    }

    /// Something was written into the outbox, or may have been.
    func wake() {
        self.hasNews = true
        self.load()
    }

    /// One portion after the other: what follows in a lane, or else what is new. So what is known of a lane is all there
    /// is of it up to `last`.
    private func load() {
        guard self.errands.isOurs, !self.isLoading, self.queue.count <= Self.maximumQueued - Self.portion else {
            return
        }
        if let request = self.queue.nextLoad() { return self.load(request) }
        guard self.hasNews else { return }
        self.isLoading = true
        self.hasNews = false
        self.store.send(
            ListDeliveries.after(self.last, limit: Self.portion),
            self.reactor.returning { [unowned self, run] result in
                if run == self.run { self.loaded(result) }
            })
    }

    private func loaded(_ result: Result<[Delivery], StoreError>) {
        self.isLoading = false
        guard let deliveries = self.taken(result) else {
            self.hasNews = true
            return self.loadLater()
        }
        if self.errands.isShared { self.late.took(deliveries, after: self.last) }
        if deliveries.count == Self.portion { self.hasNews = true }
        self.takeInOrder(deliveries)
    }

    /// Where numbers are missing, the entry before one of these may have one of them: then those are looked for first. It was committed before
    /// what follows it in its conversation, so it is there.
    private func takeInOrder(_ deliveries: [Delivery]) {
        guard !self.late.isEmpty, self.places.areBroken(by: Self.places(of: deliveries)) else {
            return self.take(deliveries)
        }
        self.isLoading = true
        self.late.look { [unowned self] missed in
            self.isLoading = false
            guard let missed else {
                self.hasNews = true
                return self.loadLater()
            }
            self.take((deliveries + missed).sorted { $0.number < $1.number })
        }
    }

    private func take(_ deliveries: [Delivery]) {
        self.places.saw(Self.places(of: deliveries))
        for delivery in deliveries {
            self.last = max(self.last, delivery.number)
            if self.queue.add(Self.item(delivery)) { self.hold(delivery) }
        }
        self.pump()
    }

    private static func places(of deliveries: [Delivery]) -> [LanePlaces.Place] {
        deliveries.compactMap { delivery in
            guard case .entry(let entry, _) = delivery.content else { return nil }
            return (delivery.key.number, entry.number)
        }
    }

    private func load(_ request: DeliveryQueue.LoadRequest) {
        self.isLoading = true
        let numbers = request.from...max(request.from, self.last)
        self.store.send(
            ListDeliveries.inConversation(
                ConversationKey(request.lane), numbers, limit: self.queue.settings.maximumPerLane),
            self.reactor.returning { [unowned self, run] result in
                guard run == self.run else { return }
                self.isLoading = false
                guard let deliveries = self.taken(result) else {
                    self.queue.notLoaded(request)
                    return self.loadLater()
                }
                for delivery in deliveries { self.hold(delivery) }
                self.queue.loaded(deliveries.map { Self.item($0) }, for: request)
                self.pump()
            })
    }

    /// The store may do its work again by then, and no other request may come.
    private func loadLater() {
        guard self.retry == nil else { return }
        self.retry = self.reactor.schedule(after: self.queue.settings.firstWait) { [unowned self] in
            self.retry = nil
            self.load()
        }
    }

    private func taken(_ result: Result<[Delivery], StoreError>) -> [Delivery]? {
        switch result {
        case .success(let deliveries): return deliveries
        case .failure(let error):
            self.note(error)
            return nil
        }
    }

    private func note(_ error: StoreError) {
        self.journal.error(.webhookNotRead, "the outbox could not be read", [.error: .error(error)])
    }

    private static func item(_ delivery: Delivery) -> DeliveryQueue.Item {
        .init(delivery.number, lane: delivery.key.number, attempts: delivery.attempts)
    }

    private func hold(_ delivery: Delivery) {
        var random = SystemRandomNumberGenerator()
        let before = delivery.trace.flatMap { TraceContext($0) }
        let trace = before?.next(using: &random) ?? .fresh(using: &random)
        let (id, body) = Self.words(of: delivery)
        self.payloads[delivery.number] = Payload(id: id, body: body, trace: trace)
    }

    private static func words(of delivery: Delivery) -> (id: String, body: [UInt8]) {
        switch delivery.content {
        case .event(let json): return ("event.\(delivery.number)", Array(json.utf8))
        case .entry(let entry, let conversation):
            let id = delivery.key.name(of: entry.number)
            let json = JSONWriter.object { json in
                json.field("event", "chat.entry")
                json.field("id", id)
                json.field("entry") { $0.entry(entry, in: conversation, delivery.key) }
            }
            return (id, json)
        }
    }

    private var now: Instant { Instant(milliseconds: Int64(clamping: self.reactor.now)) }

    private func pump() {
        guard self.errands.isOurs else { return }
        for item in self.queue.next(at: self.now) { self.send(item) }
        self.load()
        if let alarm = self.alarm.take() { self.reactor.cancel(alarm) }
        guard let deadline = self.queue.deadline else { return }
        self.alarm = self.reactor.schedule(after: max(.zero, self.now.duration(to: deadline))) { [unowned self] in
            self.alarm = nil
            self.pump()
        }
    }

    private func send(_ item: DeliveryQueue.Item) {
        guard let payload = self.payloads[item.number] else { return self.delivered(item) }
        let call = HTTPCall(self.url.server, on: self.reactor, rules: HTTPCallRules(maximumBodyBytes: 64 << 10)) {
            [weak self, run] outcome in
            self?.answered(outcome, of: item, in: run)
        }
        var fields = self.signature.fields(id: payload.id, at: SystemClock.now(), payload.body)
        fields.set(.traceParent, to: payload.trace.text)
        call.send(.post, self.url.target, fields: fields, json: payload.body, timeout: self.time)
    }

    private func answered(_ outcome: HTTPCall.Outcome, of item: DeliveryQueue.Item, in run: Int) {
        switch outcome {
        case .success(let answer) where answer.status.isSuccess:
            self.metrics.deliveries.increment()
            // Should this fail, it is delivered once more after the next start.
            self.store.send(ConfirmDelivery(item.number)) { _ in }
            if run == self.run { self.delivered(item) }
        case .success(let answer): self.failed(item, "it answered \(answer.status.code)", in: run)
        case .failure(let failure): self.failed(item, "\(failure)", in: run)
        }
    }

    private func delivered(_ item: DeliveryQueue.Item) {
        self.payloads[item.number] = nil
        self.queue.delivered(item)
        self.pump()
    }

    private func failed(_ item: DeliveryQueue.Item, _ trouble: String, in run: Int) {
        self.metrics.deliveryFailures.increment()
        // What was sent before this node had the duty anew was read again from the store, and is sent again.
        guard run == self.run, let after = self.queue.failed(item, at: self.now) else { return }
        switch after {
        case .givenUp:
            self.payloads[item.number] = nil
            self.journal.error(
                .webhookGivenUp, "an entry was not delivered: parley webhooks", [.reason: .plain(trouble)])
        case .waits(let released):
            for number in released { self.payloads[number] = nil }
            self.journal.info(.webhookFailed, "an entry is delivered again later", [.reason: .plain(trouble)])
        }
        self.store.send(DeliveryFailure(item.number, trouble, isGivenUp: after == .givenUp)) { _ in }
        self.pump()
    }
}

extension LogName {
    static let webhookFailed = LogName("webhook.failed")
    static let webhookGivenUp = LogName("webhook.given_up")
    static let webhookNotRead = LogName("webhook.not_read")
}
