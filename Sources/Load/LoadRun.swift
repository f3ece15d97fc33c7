internal import Client
internal import MediaStreams
package import Reactor
internal import Vocabulary
internal import Pathways
internal import Peer

/// A run from the first arrival to the report. It lives on one loop, and all users with it.
package final class LoadRun {
    package enum Phase: String, Sendable {
        case arriving, working, settling, over
    }

    package let plan: LoadPlan
    /// Different in every run: nobody meets who is left of an earlier one.
    let name: String
    package private(set) var tally = LoadTally()
    package private(set) var phase = Phase.arriving
    private let reactor: Reactor
    private var users: [LoadUser] = []
    /// Those who got in at the beginning, in their order.
    private(set) var present: [LoadUser] = []
    private var activities: [any LoadActivity] = []
    private var arrivalPace: LoadPace
    private var settledArrivals = 0
    private var phaseSince = SteadyClock.now
    private var lastCut = SteadyClock.now
    private var done: ((LoadTally) -> Void)?
    private var messagePrefix: String { "load-\(self.name)-" }

    /// A fourth of a packet's length.
    private static let tick = Duration.milliseconds(5)

    package init(_ plan: LoadPlan, on reactor: Reactor) {
        self.plan = plan
        self.reactor = reactor
        var random = SystemRandomNumberGenerator()
        self.name = String(
            RandomToken(using: &random).text.lowercased().filter { $0.isLetter || $0.isNumber }.prefix(8))
        self.arrivalPace = LoadPace(perSecond: plan.arrivals)
    }

    package var isOver: Bool { self.phase == .over }
    package var online: Int { self.users.count { $0.isOnline } }

    /// - Parameter done: once, with what came of it.
    package func start(_ done: @escaping (LoadTally) -> Void) {
        self.done = done
        do throws(LoadFailure) {
            if self.plan.messages > 0 { self.activities.append(ChatLoad(self)) }
            if self.plan.roomSize > 0 { self.activities.append(RoomLoad(self)) }
            if self.plan.calls > 0 { self.activities.append(try CallLoad(self, on: self.reactor)) }
            if self.plan.offers > 0 { self.activities.append(try OfferLoad(self, on: self.reactor)) }
            if self.plan.files > 0 { self.activities.append(FileLoad(self, on: self.reactor)) }
            if self.plan.echoes > 0 { self.activities.append(EchoLoad(self)) }
            if self.plan.relays.count > 0 { self.activities.append(RelayLoad(self, on: self.reactor)) }
            if self.plan.watched > 0 || self.plan.turnover > 0 { self.activities.append(PresenceLoad(self)) }
        } catch {
            self.complain("\(error)")
            return self.finish()
        }
        self.schedule()
        if self.plan.users == 0 { self.reactor.schedule(after: .zero) { self.work() } }
    }

    /// Somebody wants it to end: what is on its way is still waited for.
    package func interrupt() {
        switch self.phase {
        case .arriving: self.finish()
        case .working: self.settle()
        case .settling: self.finish()
        case .over: return
        }
    }

    private func schedule() {
        self.reactor.schedule(after: Self.tick) {
            guard self.phase != .over else { return }
            self.schedule()
            self.ticked(at: SteadyClock.now)
        }
    }

    private func ticked(at now: Instant) {
        let elapsed = self.phaseSince.duration(to: now)
        switch self.phase {
        case .arriving: self.bring(self.arrivalPace.due(at: now))
        case .working:
            for activity in self.activities { activity.ticked(at: now) }
            self.cutWhenDue(at: now)
            if elapsed >= self.plan.duration { self.settle() }
        case .settling:
            for activity in self.activities { activity.ticked(at: now) }
            if self.isSettled || elapsed >= self.plan.timeout { self.finish() }
        case .over: return
        }
    }

    /// Calls end when they have lasted for as long as they should.
    private var isSettled: Bool { self.activities.allSatisfy(\.isSettled) && self.online == self.present.count }

    private func bring(_ count: Int) {
        let tokens = LoadTokens(plan: self.plan, run: self.name, reactor: self.reactor)
        for _ in 0..<min(count, self.plan.users - self.users.count) {
            let user = LoadUser(self.users.count, self)
            self.users.append(user)
            user.arrive(tokens, on: self.reactor)
        }
    }

    private func cutWhenDue(at now: Instant) {
        guard let interval = self.plan.cuts, self.lastCut.duration(to: now) >= interval else { return }
        self.lastCut = now
        for user in self.present { user.cut() }
    }

    private func enter(_ phase: Phase) {
        self.phase = phase
        self.phaseSince = SteadyClock.now
    }

    private func work() {
        guard self.phase == .arriving else { return }
        self.present = self.users.filter(\.isOnline)
        self.enter(.working)
        self.lastCut = self.phaseSince
        for activity in self.activities { activity.begin(at: self.phaseSince) }
    }

    private func settle() {
        self.enter(.settling)
        for activity in self.activities { activity.stop() }
    }

    private func finish() {
        guard let done = self.done.take() else { return }
        for activity in self.activities { activity.end() }
        self.enter(.over)
        for user in self.users { user.leave() }
        // What was said last leaves at the end of this turn.
        self.reactor.schedule(after: .milliseconds(50)) { done(self.tally) }
    }
}

// MARK: - What users tell

extension LoadRun {
    func arrived(_ user: LoadUser, since: Instant, isRecovered: Bool) {
        switch self.phase {
        case .arriving:
            self.took(.connect, since: since)
            self.count(.users)
            self.arrivalSettled()
        case .working, .settling:
            self.took(.resume, since: since)
            self.count(isRecovered ? .recovered : .reconnected)
        case .over: return
        }
    }

    /// This one will not come.
    func stayedAway(_ words: String) {
        self.complain(words)
        self.arrivalSettled()
    }

    func gone(_ user: LoadUser) { for activity in self.activities { activity.gone(user) } }

    func left(_ user: LoadUser, _ words: String) {
        self.complain(words)
        if self.phase == .arriving { self.arrivalSettled() }
    }

    private func arrivalSettled() {
        self.settledArrivals += 1
        // Not inside of what somebody is just being told.
        if self.settledArrivals == self.plan.users { self.reactor.schedule(after: .zero) { self.work() } }
    }

    func heard(_ event: ParleyEvent, by user: LoadUser) {
        guard self.phase != .over else { return }
        for activity in self.activities { activity.heard(event, by: user) }
    }

    func took(_ measure: LoadMeasure, since: Instant) { self.took(measure, since.duration(to: SteadyClock.now)) }
    func took(_ measure: LoadMeasure, _ time: Duration) { self.tally.add(time, to: measure) }
    func count(_ what: LoadCount, _ more: Int = 1) { self.tally.count(what, more) }
    func complain(_ words: String) { if self.phase != .over { self.tally.complain(words) } }

    func messageID(_ number: Int) -> MessageID? { MessageID("\(self.messagePrefix)\(number)") }
}

extension LoadRun {
    /// What one side of a call has heard.
    func judge(_ statistics: CallStatistics) {
        guard let inbound = statistics.sound?.inbound else { return }
        self.count(.packets, Int(clamping: inbound.packetsReceived))
        self.count(.lostPackets, max(0, Int(clamping: inbound.packetsLost)))
        self.count(.samples, Int(clamping: inbound.totalSamplesReceived))
        self.count(.concealed, Int(clamping: inbound.concealedSamples))
        if inbound.packetsReceived > 1 { self.took(.jitter, inbound.jitter) }
        if let roundTrip = statistics.roundTrip { self.took(.roundTrip, roundTrip) }
    }
}
