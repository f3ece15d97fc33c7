internal import Journal
internal import Keeping
internal import Pacing
internal import Reactor
internal import Vocabulary

/// Carries pushes to the services of their devices (RFC 8030), as long and as often as it takes.
final class PushSender {
    struct Address: Hashable, Sendable {
        let user: UserID
        let device: DeviceID
    }

    struct Job: Sendable {
        let device: PushDevice
        let message: PushMessage
        let urgency: Urgency
        let ended: Ended

        /// Nothing more becomes of it. What it names is of the home loop.
        struct Ended: @unchecked Sendable {
            // Unchecked because queue and jobs stay on the loop they were made on.
            let call: () -> Void
        }
    }

    enum Urgency: String, Sendable { case low, normal, high }

    private let sinks: PushSinks
    private let store: any Store
    private let reactor: Reactor
    private let metrics: PushMetrics
    let trace: PushTrace
    private var queue = PushQueue<Address, Job>()
    private var alarm: TimerToken?

    /// More wait where they are kept.
    private static let maximumQueued = 10_000
    /// So many need not wait for those before them for long.
    private static let shortLine = 32

    init(_ sinks: PushSinks, _ store: any Store, on reactor: Reactor, _ metrics: PushMetrics) {
        self.sinks = sinks
        self.store = store
        self.reactor = reactor
        self.metrics = metrics
        self.trace = PushTrace(store, on: reactor)
    }

    var hasRoom: Bool { self.queue.count < Self.maximumQueued }

    /// Whether what is sent now leaves soon, unless its device rests.
    var isShort: Bool { self.queue.ready < Self.shortLine }

    /// Pushes have left, and `isShort` may be true again.
    var onTurn: (() -> Void)?

    private var now: Instant { Instant(milliseconds: Int64(clamping: self.reactor.now)) }

    func send(_ job: Job) {
        let item = PushQueue.Item(
            job, to: Address(user: job.device.user, device: job.device.device), topic: job.message.topic,
            expiry: self.now.advanced(by: job.message.life), isUrgent: job.message.isUrgent)
        self.metrics.queued.increment()
        self.trace.note(.queued, job)
        if let old = self.queue.add(item) { self.end(old, .replaced) }
        self.pump()
    }

    /// Whether nothing about this topic has left yet for the device, nor will.
    func withdraw(_ topic: String, of device: PushDevice) -> Bool {
        guard let job = self.queue.remove(topic, of: Address(user: device.user, device: device.device)) else {
            return false
        }
        self.end(job, .withdrawn)
        return true
    }

    /// Nothing becomes of one that is not under way.
    private func end(_ job: Job, _ event: PushEvent.Kind) {
        self.trace.note(event, job)
        job.ended.call()
    }

    private func pump() {
        let (items, expired) = self.queue.next(at: self.now)
        for item in items { self.post(item) }
        for job in expired {
            self.metrics.ended[.expired].increment()
            self.end(job, .expired)
        }
        if let alarm = self.alarm.take() { self.reactor.cancel(alarm) }
        guard let deadline = self.queue.deadline else { return }
        self.alarm = self.reactor.schedule(after: max(.zero, self.now.duration(to: deadline))) { [unowned self] in
            self.alarm = nil
            self.pump()
        }
    }

    private func post(_ item: PushQueue<Address, Job>.Item, idsAlone: Bool = false) {
        let job = item.push
        self.trace.note(.sent, job)
        let push = OutgoingPush(
            device: job.device, plain: job.message.plain(for: job.device.language, idsAlone: idsAlone),
            id: job.message.id, topic: item.topic, urgency: job.urgency, life: self.life(of: item))
        self.sinks.send(push) { [weak self] answer, status in
            self?.answered(answer, status, item, idsAlone: idsAlone)
        }
    }

    /// What is left of it, rounded up: 0 would ask the service to try once.
    private func life(of item: PushQueue<Address, Job>.Item) -> Int64 {
        item.push.message.isInstant ? 0 : max(0, self.now.duration(to: item.expiry).components.seconds) + 1
    }
}

// MARK: - Answers

extension PushSender {
    private func answered(
        _ answer: PushAnswer, _ status: UInt16?, _ item: PushQueue<Address, Job>.Item, idsAlone: Bool
    ) {
        switch answer {
        case .taken: self.end(item, .accepted, status, trouble: nil)
        case .gone:
            self.store.send(RemovePushDevice.gone(endpoint: item.push.device.endpoint)) { _ in }
            self.end(item, .gone, status, trouble: nil)
        case .tooLarge where !idsAlone: self.post(item, idsAlone: true)
        case .tooLarge: self.end(item, .refused, status, trouble: "the push is too large for its service")
        case .accessRefused(let trouble), .refused(let trouble): self.end(item, .refused, status, trouble: trouble)
        case .later(let retryAfter, let firstWait, let trouble):
            self.again(item, status, retryAfter: retryAfter, firstWait: firstWait, trouble: trouble)
        }
    }

    private func end(
        _ item: PushQueue<Address, Job>.Item, _ outcome: PushMetrics.Outcome, _ status: UInt16?, trouble: String?
    ) {
        self.metrics.ended[outcome].increment()
        self.trace.note(outcome.event, item.push, status: status.map { Int($0) }, reason: trouble)
        self.queue.ended(item.device)
        item.push.ended.call()
        self.pump()
        self.onTurn?()
    }

    private func again(
        _ item: PushQueue<Address, Job>.Item, _ status: UInt16?, retryAfter: Duration?, firstWait: Duration?,
        trouble: String
    ) {
        self.metrics.failures.increment()
        self.trace.note(.failed, item.push, status: status.map { Int($0) }, reason: trouble)
        let old = self.queue.failed(item.device, retryAfter: retryAfter, firstWait: firstWait, at: self.now)
        if let old { self.end(old, .replaced) }
        self.pump()
        self.onTurn?()
    }
}

extension PushMetrics.Outcome {
    fileprivate var event: PushEvent.Kind {
        switch self {
        case .accepted: .accepted
        case .gone: .gone
        case .refused: .refused
        case .expired: .expired
        }
    }
}
