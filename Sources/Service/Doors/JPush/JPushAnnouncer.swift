internal import Journal
internal import Keeping
internal import Reactor
internal import Vocabulary

/// Tells devices what programs announced, a portion after the other. What is to be done is in the store until it is done, so
/// a crash loses nothing. Lives on the home loop.
///
///     resuming ──all who were to be told are──▶ going on, one run for each announcement
final class JPushAnnouncer {
    private let sender: PushSender
    private let store: any Store
    private let reactor: Reactor
    private let journal: Journal
    private let errands: Errands
    /// Everything up to here was taken from the store.
    private var last: Int64 = 0
    private var runs = 0
    private var isResuming = true
    private var isLoading = false
    private var hasNews = false

    private static let portion = 200
    private static let maximumRuns = 50
    private static let wait = Duration.seconds(1)

    init(
        _ sender: PushSender, _ store: any Store, _ errands: Errands, on reactor: Reactor, _ journal: Journal
    ) {
        self.errands = errands
        self.sender = sender
        self.store = store
        self.reactor = reactor
        self.journal = journal
    }

    /// An announcement was written down.
    func wake() { self.errands.call() }

    /// The same, where this node is the one that announces.
    func work() {
        self.hasNews = true
        self.load()
    }

    /// Devices that were to be told when the server ended are told now, and then the others.
    func resume() {
        self.last = 0
        self.isResuming = true
        self.resume(after: .start, [:])
    }

    private func load() {
        guard self.errands.isOurs, self.hasNews, !self.isLoading, !self.isResuming, self.runs < Self.maximumRuns else {
            return
        }
        self.isLoading = true
        self.hasNews = false
        let limit = Self.maximumRuns - self.runs
        self.ask(ListAnnouncementsUnderWay(after: self.last, limit: limit)) { announcer, announcements in
            announcer.isLoading = false
            if announcements.count == limit { announcer.hasNews = true }
            for announcement in announcements { announcer.begin(announcement) }
            announcer.load()
        }
    }

    private func begin(_ announcement: Announcement) {
        self.last = announcement.number
        self.runs += 1
        guard let run = self.run(announcement), SystemClock.now() < announcement.expiry else {
            return self.ask(AdvanceAnnouncement(announcement.number, telling: [], next: nil)) { announcer, _ in
                announcer.end()
            }
        }
        self.goOn(run, after: announcement.next ?? "")
    }

    /// Nil for what a server of another version took.
    private func run(_ announcement: Announcement) -> JPushDelivery? {
        do throws(JPushProblem) {
            return JPushDelivery(announcement: announcement, request: try JPushRequest(announcement.content))
        } catch {
            self.journal.error(
                .announcementNotRead, "an announcement in the store makes no sense", [.reason: .plain(error.code)])
            return nil
        }
    }

    private func end() {
        self.runs -= 1
        self.load()
    }

    /// Nothing that is asked is given up: the store has time again by and by.
    private func ask<Request: StoreRequest>(
        _ request: Request, _ answered: @escaping (JPushAnnouncer, Request.Answer) -> Void
    ) {
        self.store.send(
            request,
            self.reactor.returning { [weak self] result in
                guard let self else { return }
                switch result {
                case .success(let answer): answered(self, answer)
                case .failure(let error):
                    self.journal.error(
                        .announcementNotRead, "what is to be announced could not be read", [.error: .error(error)])
                    self.later { $0.ask(request, answered) }
                }
            })
    }

    private func later(_ body: @escaping (JPushAnnouncer) -> Void) {
        _ = self.reactor.schedule(after: Self.wait) { [weak self] in
            if let self { body(self) }
        }
    }
}

// MARK: - One announcement

extension JPushAnnouncer {
    /// The next portion of its devices: each has a receipt before it is told.
    private func goOn(_ run: JPushDelivery, after start: String) {
        guard self.sender.hasRoom else { return self.later { $0.goOn(run, after: start) } }
        let request = FindPushAudience(run.request.audience, after: start, limit: Self.portion)
        self.ask(request) { announcer, page in
            let recipients = page.recipients.filter { run.request.concerns($0.device) }
            let receipts = recipients.map { recipient in
                AnnouncementReceipt(recipient.device, platform: JPushPlatform(recipient.device).rawValue)
            }
            let advance = AdvanceAnnouncement(run.announcement.number, telling: receipts, next: page.next)
            announcer.ask(advance) { announcer, goesOn in
                guard goesOn else { return announcer.end() }
                for recipient in recipients { announcer.tell(recipient, run) }
                guard let next = page.next else { return announcer.end() }
                announcer.goOn(run, after: next)
            }
        }
    }

    private func tell(_ recipient: PushRecipient, _ run: JPushDelivery) {
        let now = SystemClock.now()
        let isSilent = recipient.device.quiet?.contains(now) == true
        let message = run.message(for: recipient, at: now)
        self.send(message, to: recipient.device, urgency: isSilent ? .low : .normal)
    }

    private func send(_ message: PushMessage, to device: PushDevice, urgency: PushSender.Urgency) {
        self.sender.send(.init(device: device, message: message, urgency: urgency, ended: .init {}))
    }
}

// MARK: - Taken back

extension JPushAnnouncer {
    /// Devices that were told of it hear that it is over; the others hear nothing.
    func withdraw(_ announcement: Announcement, after registration: String = "") {
        guard self.sender.hasRoom else { return self.later { $0.withdraw(announcement, after: registration) } }
        let request = ListTold(of: announcement.number, after: registration, limit: Self.portion)
        self.ask(request) { announcer, page in
            let message = PushMessage.over(announcement, at: SystemClock.now())
            for device in page.devices where !announcer.sender.withdraw(message.topic, of: device) {
                announcer.send(message, to: device, urgency: .normal)
            }
            if let next = page.next { announcer.withdraw(announcement, after: next) }
        }
    }
}

// MARK: - After a start

extension JPushAnnouncer {
    private func resume(after place: ListOpenReceipts.Place, _ runs: [Int64: JPushDelivery]) {
        guard self.sender.hasRoom else { return self.later { $0.resume(after: place, runs) } }
        self.ask(ListOpenReceipts(after: place, limit: Self.portion)) { announcer, page in
            announcer.tell(page.items[...], runs) { announcer, runs in
                guard let next = page.next else { return announcer.resumed() }
                announcer.resume(after: next, runs)
            }
        }
    }

    private func resumed() {
        self.isResuming = false
        self.work()
    }

    /// Items come in the order of their announcements, each of which is looked for once.
    private func tell(
        _ items: ArraySlice<ListOpenReceipts.Item>, _ runs: [Int64: JPushDelivery],
        _ done: @escaping (JPushAnnouncer, [Int64: JPushDelivery]) -> Void
    ) {
        guard let number = items.first?.number else { return done(self, runs) }
        let own = items.prefix { $0.number == number }
        let rest = items.dropFirst(own.count)
        if let run = runs[number] {
            for item in own { self.tell(item.recipient, run) }
            return self.tell(rest, runs, done)
        }
        self.ask(FindAnnouncement(number)) { announcer, found in
            guard let run = found.flatMap({ announcer.run($0) }) else { return announcer.tell(rest, runs, done) }
            announcer.tell(items, [number: run], done)
        }
    }
}

extension LogName {
    static let announcementNotRead = LogName("push.announcement_not_read")
}
