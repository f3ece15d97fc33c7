internal import Conversing
internal import Journal
internal import Keeping
internal import Pacing
internal import Reactor
internal import Switchboard
internal import Vocabulary

/// Decides whom a message wakes: everybody who is not there, at once, and whoever is there and has not said in ten seconds
/// that it came. What is to be done is in the store until it is done, so a crash loses nothing. Lives on the home loop.
final class PushService {
    private let settings: PushSettings
    private let store: any Store
    private let board: Switchboard
    private let reactor: Reactor
    private let journal: Journal
    private let sender: PushSender
    private var fanouts: [Int64: Fanout] = [:]
    /// Everything up to here was taken from the store.
    private var last: Int64 = 0
    private var unread = UnreadPushes<Place, DeviceID>(maximumPlaces: 50_000)
    /// Whose next portion waits until those before it have left.
    private var stalled: [Fanout] = []
    private var isLoading = false
    private var hasNews = false
    private let errands: Errands
    private let late: LateRows<ListPushes, PendingPush>

    private struct Place: Hashable {
        let user: UserID
        let conversation: ConversationID
    }

    /// One message on its way to the devices of many.
    private final class Fanout {
        let push: PendingPush
        let id = RandomToken.fresh()
        /// Users who are online and have not said yet that it came.
        var waiting: [UserID] = []
        /// Where the list of members goes on; nil at its end.
        var next: String? = ""
        var isAsking = false
        var timer: TimerToken?
        /// Pushes of it of which something may still become.
        var underWay = 0

        init(_ push: PendingPush) { self.push = push }

        var isDone: Bool { self.next == nil && self.waiting.isEmpty && self.underWay == 0 && !self.isAsking }
    }

    private static let portion = 100
    /// What is done for them in one turn holds up nobody.
    private static let usersAtOnce = 25
    private static let maximumFanouts = 20_000
    private static let wait = Duration.seconds(1)

    init(
        _ sender: PushSender, _ settings: PushSettings, _ store: any Store, _ board: Switchboard, _ errands: Errands,
        on reactor: Reactor, _ journal: Journal
    ) {
        self.errands = errands
        self.sender = sender
        self.settings = settings
        self.store = store
        self.board = board
        self.reactor = reactor
        self.journal = journal
        self.late = LateRows(store, on: reactor) { .numbered($0) }
        self.late.onFound = { [weak self] in for push in $0 { self?.start(push) } }
        self.late.onFailure = { [weak self] in self?.note($0) }
        sender.onTurn = { [weak self] in self?.resumeStalled() }
    }

    /// Another one may have done it until now; what is under way here goes on.
    func begin() {
        self.last = 0
        self.late.forgetAll()
        self.wake()
    }

    /// A message was written, or may have been.
    func wake() {
        self.hasNews = true
        self.load()
    }

    var now: Instant { self.board.now }

    /// A push to all devices of a user, to try whether it comes.
    struct Test: Sendable {
        let push: RandomToken
        let devices: Int
    }

    func test(_ user: UserID, _ sent: @escaping (Result<Test, StoreError>) -> Void) {
        self.store.send(
            ListPushDevices(of: user),
            self.reactor.returning { [weak self] result in
                let message = PushMessage.test(at: SystemClock.now())
                for device in (try? result.get()) ?? [] {
                    self?.sender.send(.init(device: device, message: message, urgency: .high, ended: .init {}))
                }
                sent(result.map { Test(push: message.id, devices: $0.count) })
            })
    }

    private func load() {
        guard self.errands.isOurs, self.hasNews, !self.isLoading,
            self.fanouts.count <= Self.maximumFanouts - Self.portion
        else { return }
        self.isLoading = true
        self.hasNews = false
        self.store.send(
            ListPushes.after(self.last, limit: Self.portion),
            self.reactor.returning { [weak self] in self?.loaded($0) })
    }

    private func loaded(_ result: Result<[PendingPush], StoreError>) {
        self.isLoading = false
        guard let pushes = self.taken(result) else {
            self.hasNews = true
            return self.later { $0.load() }
        }
        if pushes.count == Self.portion { self.hasNews = true }
        if self.errands.isShared { self.late.took(pushes, after: self.last) }
        for push in pushes {
            self.last = push.number
            self.start(push)
        }
        self.load()
    }

    private func start(_ push: PendingPush) {
        guard self.fanouts[push.number] == nil else { return }
        let fanout = Fanout(push)
        self.fanouts[push.number] = fanout
        self.goOn(fanout)
    }

    private func taken<Value>(_ result: Result<Value, StoreError>) -> Value? {
        switch result {
        case .success(let value): return value
        case .failure(let error):
            self.note(error)
            return nil
        }
    }

    private func note(_ error: StoreError) {
        self.journal.error(.pushNotRead, "what is to be pushed could not be read", [.error: .error(error)])
    }

    /// The store, or the queue of pushes, may have room again by then.
    private func later(_ body: @escaping (PushService) -> Void) {
        _ = self.reactor.schedule(after: Self.wait) { [weak self] in
            if let self { body(self) }
        }
    }
}

// MARK: - One message

extension PushService {
    /// The next portion of its conversation's members.
    private func goOn(_ fanout: Fanout) {
        guard let next = fanout.next, !fanout.isAsking else { return self.finish(fanout) }
        guard self.sender.hasRoom else { return self.later { $0.goOn(fanout) } }
        guard self.sender.isShort else { return self.stalled.append(fanout) }
        self.ask(fanout, .after(next, limit: Self.usersAtOnce)) { service, page in
            fanout.next = page.next
            let isDue = service.isDue(fanout)
            for target in page.targets {
                if !isDue, service.board.view(of: target.user).isOnline {
                    fanout.waiting.append(target.user)
                    service.note(.held, fanout, target.user)
                } else {
                    service.push(fanout, target)
                }
            }
            service.goOn(fanout)
            // It may have been the last one that others waited for.
            service.resumeStalled()
        }
    }

    /// One after the other, so that a message to many keeps those to few waiting for a portion at most.
    private func resumeStalled() {
        guard !self.stalled.isEmpty, self.sender.isShort else { return }
        self.goOn(self.stalled.removeFirst())
    }

    private func isDue(_ fanout: Fanout) -> Bool { self.timeLeft(fanout) == .zero }

    /// Never more than all of it, though the entry may be of a time that has not come yet: the clock may have been set back.
    private func timeLeft(_ fanout: Fanout) -> Duration {
        let due = fanout.push.entry.time + PushSettings.acknowledgementTime
        let left = Duration.milliseconds(due.milliseconds - SystemClock.now().milliseconds)
        return min(max(.zero, left), PushSettings.acknowledgementTime)
    }

    /// Whoever was there has had time to say that it came.
    private func askThoseWhoWereThere(_ fanout: Fanout) {
        let users = Array(fanout.waiting.prefix(Self.usersAtOnce))
        guard self.sender.hasRoom else { return self.later { $0.askThoseWhoWereThere(fanout) } }
        self.ask(fanout, .these(users)) { service, page in
            fanout.waiting.removeFirst(users.count)
            let others = Set(page.targets.map(\.user))
            for user in users where !others.contains(user) { service.note(.delivered, fanout, user) }
            for target in page.targets { service.push(fanout, target) }
            service.finish(fanout)
        }
    }

    private func ask(
        _ fanout: Fanout, _ users: FindPushTargets.Users,
        _ body: @escaping (PushService, FindPushTargets.Page) -> Void
    ) {
        fanout.isAsking = true
        self.store.send(
            FindPushTargets(of: fanout.push, users),
            self.reactor.returning { [weak self] result in
                guard let self else { return }
                guard let page = self.taken(result) else { return self.later { $0.ask(fanout, users, body) } }
                fanout.isAsking = false
                body(self, page)
            })
    }

    private func note(_ kind: PushEvent.Kind, _ fanout: Fanout, _ user: UserID) {
        self.sender.trace.note(
            PushEvent(kind, of: fanout.id, for: user, on: nil, about: fanout.push.subject, at: SystemClock.now()))
    }

    private func push(_ fanout: Fanout, _ target: PushTarget) {
        let now = SystemClock.now()
        for device in target.devices {
            fanout.underWay += 1
            let isSilent = device.quiet?.contains(now) == true
            let message = PushMessage(
                fanout.push, id: fanout.id, badge: target.badge, self.settings.content, isSilent: isSilent)
            let place = Place(user: target.user, conversation: fanout.push.conversation)
            self.unread.pushed(fanout.push.entry.number, of: place, to: device.device)
            let ended = PushSender.Job.Ended { [weak self] in
                fanout.underWay -= 1
                self?.finish(fanout)
            }
            self.sender.send(
                .init(device: device, message: message, urgency: isSilent ? .low : .high, ended: ended))
        }
    }

    private func finish(_ fanout: Fanout) {
        if fanout.next == nil, !fanout.waiting.isEmpty, fanout.timer == nil, !fanout.isAsking {
            fanout.timer = self.reactor.schedule(after: self.timeLeft(fanout)) { [weak self] in
                fanout.timer = nil
                self?.askThoseWhoWereThere(fanout)
            }
        }
        guard fanout.isDone, self.fanouts.removeValue(forKey: fanout.push.number) != nil else { return }
        // Should this fail, it is pushed once more after the next start, under the same topic.
        self.store.send(ConfirmPush(fanout.push.number)) { _ in }
        self.load()
    }
}

// MARK: - Read elsewhere

extension PushService {
    /// Devices that show what was read meanwhile hear of it, once.
    func read(_ id: ConversationID, by user: UserID, through number: UInt64, badge: UInt64) {
        let place = Place(user: user, conversation: id)
        let marks = self.unread.read(place, through: number)
        guard !marks.isEmpty else { return }
        let message = PushMessage.read(id, through: number, badge: badge, at: SystemClock.now())
        self.store.send(
            ListPushDevices(of: user),
            self.reactor.returning { [weak self] result in
                guard let self else { return }
                for device in (try? result.get()) ?? [] {
                    // Of something newer it was told in the meantime.
                    guard let mark = marks[device.device], self.unread[place, device.device] == nil else { continue }
                    // What has not left yet need not be taken back.
                    if self.sender.withdraw(message.topic, of: device), mark.count == 1 { continue }
                    self.sender.send(.init(device: device, message: message, urgency: .normal, ended: .init {}))
                }
            })
    }
}

extension LogName {
    static let pushNotRead = LogName("push.not_read")
}
