internal import Journal
internal import Keeping
internal import Reactor
internal import Switchboard
internal import Vocabulary

/// Writes down what happens beside messages for another program that wants to hear of it: calls, rooms, who is there. From there it is
/// told as entries are. Lives on the home loop.
///
/// All nodes hear of all events in one order. The one that tells other programs writes them down; the others remember them, and the one
/// that takes its place goes on where it has ended.
final class HookEvents {
    private let topics: Set<HookTopic>
    private let store: any Store
    private let errands: Errands
    private let reactor: Reactor
    private let journal: Journal
    /// This node writes them down.
    private var waiting: [HeldEvent] = []
    /// How many of them are on their way to the store; they are in front.
    private var underWay = 0
    /// Another node writes them down, if it lives.
    private var remembered: [HeldEvent] = []
    private var isLooking = false
    private var isFinishing = false
    private var retry: TimerToken?

    private struct HeldEvent {
        let event: SharedEvent
        let place: EventPlace
        let time: WallTime

        var new: NewEvent {
            NewEvent(self.place, about: self.event.hookSubject, json: self.event.hookJSON(at: self.time))
        }
    }

    /// Events that are written together.
    private static let portion = 500
    private static let retryInterval = Duration.seconds(1)
    /// After so many more events it is looked up which are written.
    private static let lookInterval = 500
    /// Events of webhooks that wait while the store does not answer.
    private static let maximumHeld = 20_000

    init(_ topics: Set<HookTopic>, _ store: any Store, _ errands: Errands, on reactor: Reactor, _ journal: Journal) {
        self.topics = topics
        self.store = store
        self.errands = errands
        self.reactor = reactor
        self.journal = journal
    }

    /// - Parameter isKnownHereAlone: no other node could write it down.
    func happened(_ event: SharedEvent, at place: EventPlace, isKnownHereAlone: Bool) {
        guard self.topics.contains(event.hookTopic) else { return }
        let held = HeldEvent(event: event, place: place, time: SystemClock.now())
        if isKnownHereAlone || self.errands.isOurs {
            self.waiting.append(held)
            self.write()
        } else {
            self.remembered.append(held)
            self.forgetWritten()
        }
    }

    /// It is for this node from now on, and the one before may not have come to the end.
    func begin() {
        self.waiting += self.remembered
        self.remembered = []
        self.write()
    }

    /// This node has learned from another one how everything stands. What happened before, that one writes down, and first.
    func entered() {
        guard self.retry == nil, !self.isFinishing else { return }
        self.writeLater()
    }

    /// Another node enters. It does not know what happened before, and may have to write what happens next.
    func otherEnters() {
        self.cancelRetry()
        self.begin()
    }

    /// The store ends soon.
    func finish() {
        self.isFinishing = true
        self.cancelRetry()
        self.write()
    }

    // MARK: - Writing

    private func write() {
        guard self.isFinishing || self.underWay == 0, self.retry == nil, self.underWay < self.waiting.count else {
            return self.dropOldest(of: &self.waiting, from: self.underWay)
        }
        let portion = self.waiting[self.underWay...].prefix(Self.portion)
        self.underWay += portion.count
        let count = portion.count
        self.store.send(
            AddEvents(portion.map(\.new), at: SystemClock.now()),
            self.reactor.returning { [weak self] result in self?.wrote(count, result) })
    }

    private func wrote(_ count: Int, _ result: Result<Void, StoreError>) {
        self.underWay -= count
        switch result {
        case .success:
            self.waiting.removeFirst(count)
            self.errands.call()
            self.write()
        case .failure(let error) where self.isFinishing:
            self.waiting.removeFirst(count)
            self.journal.error(
                .hookEventLost, "events could not be written down", [.count: .integer(count), .error: .error(error)])
        case .failure(let error):
            self.journal.warning(.hookEventsLate, "events could not be written down yet", [.error: .error(error)])
            if self.retry == nil { self.writeLater() }
        }
    }

    private func cancelRetry() { if let retry = self.retry.take() { self.reactor.cancel(retry) } }

    private func writeLater() {
        self.retry = self.reactor.schedule(after: Self.retryInterval) { [weak self] in
            self?.retry = nil
            self?.write()
        }
    }

    private func dropOldest(of events: inout [HeldEvent], from first: Int) {
        guard events.count - first > Self.maximumHeld else { return }
        events.removeSubrange(first..<(first + Self.portion))
        self.journal.error(.hookEventLost, "too many events wait to be written down", [.count: .integer(Self.portion)])
    }

    // MARK: - Remembering

    /// What the other node has written need not be remembered.
    private func forgetWritten() {
        guard self.remembered.count % Self.lookInterval == 0, !self.isLooking, let first = self.remembered.first else {
            return
        }
        self.dropOldest(of: &self.remembered, from: 0)
        self.isLooking = true
        let series = first.place.series
        self.store.send(
            FindLastEvent(of: series),
            self.reactor.returning { [weak self] result in
                guard let self else { return }
                self.isLooking = false
                // Where the store does not answer, the next time is early enough.
                guard let last = try? result.get() else { return }
                self.remembered.removeAll { $0.place.series == series && $0.place.number <= last }
            })
    }
}

extension LogName {
    static let hookEventsLate = LogName("webhook.events_late")
    static let hookEventLost = LogName("webhook.event_lost")
}
