internal import Keeping
internal import Reactor
internal import Vocabulary

/// Writes down what happens to pushes, many steps with one commit: thousands of them are nothing anybody waits for. Lives on
/// the home loop.
final class PushTrace {
    private let store: any Store
    private let reactor: Reactor
    private var waiting: [PushEvent] = []
    private var isWriting = false
    private var alarm: TimerToken?

    private static let delay = Duration.milliseconds(100)
    /// Messages wait for no more than these to be written.
    private static let portion = 25
    /// While the store has no time, more than these are forgotten.
    private static let maximumWaiting = 50_000

    init(_ store: any Store, on reactor: Reactor) {
        self.store = store
        self.reactor = reactor
    }

    func note(_ event: PushEvent) {
        guard self.waiting.count < Self.maximumWaiting else { return }
        self.waiting.append(event)
        self.writeSoon()
    }

    /// Whatever is asked of the store from now on finds all of it there.
    func writeAll() {
        let events = self.waiting
        guard !events.isEmpty else { return }
        self.waiting = []
        self.store.send(NotePushEvents(events)) { _ in }
    }

    private func writeSoon() {
        guard !self.isWriting, !self.waiting.isEmpty else { return }
        if self.waiting.count >= Self.portion { return self.write() }
        guard self.alarm == nil else { return }
        self.alarm = self.reactor.schedule(after: Self.delay) { [weak self] in
            self?.alarm = nil
            self?.write()
        }
    }

    func note(
        _ kind: PushEvent.Kind, _ job: PushSender.Job, status: Int? = nil, reason: String? = nil
    ) {
        let (device, message) = (job.device, job.message)
        self.note(
            PushEvent(
                kind, of: message.id, for: device.user, on: device.device, about: message.subject,
                at: SystemClock.now(), status: status, reason: reason))
    }

    private func write() {
        guard !self.isWriting, !self.waiting.isEmpty else { return }
        if let alarm = self.alarm.take() { self.reactor.cancel(alarm) }
        self.isWriting = true
        let events = Array(self.waiting.prefix(Self.portion))
        self.waiting.removeFirst(events.count)
        self.store.send(
            NotePushEvents(events),
            self.reactor.returning { [weak self] _ in
                self?.isWriting = false
                self?.writeSoon()
            })
    }
}
