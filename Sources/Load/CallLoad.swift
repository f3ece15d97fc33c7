internal import Calling
internal import Client
internal import Operations
internal import OpusCodec
internal import Pathways
internal import Peer
internal import Reactor
internal import Secure
internal import Vocabulary

/// Pairs of users ring each other, talk, and hang up, so many at once.
final class CallLoad: LoadActivity {
    private final class Call {
        let id: CallID
        let serial: Int
        let sides: [LoadUser]
        let since = SteadyClock.now
        var accepted: Instant?
        var connected: [Int: Instant] = [:]
        var peers: [Int: LoadPeer] = [:]
        /// Those who have heard the other side.
        var heard: Set<Int> = []
        var hangUpAt: Instant?
        var isHangingUp = false

        init(_ id: CallID, _ serial: Int, _ sides: [LoadUser]) {
            (self.id, self.serial, self.sides) = (id, serial, sides)
        }
    }

    private unowned let run: LoadRun
    private let plan: LoadPlan
    private let factory: PeerConnectionFactory?
    private let tone: LoadTone?
    private var idle: [[LoadUser]] = []
    private var calls: [CallID: Call] = [:]
    private var pace: LoadPace
    private var next = 0
    private var isOver = false
    /// Who has not talked by then never will.
    private static let setUpTimeout = Duration.seconds(20)

    init(_ run: LoadRun, on reactor: Reactor) throws(LoadFailure) {
        self.run = run
        self.plan = run.plan
        self.pace = LoadPace(perSecond: Double(run.plan.calls) / max(0.1, run.plan.callDuration / .seconds(1)))
        guard run.plan.media.isOn else {
            (self.factory, self.tone) = (nil, nil)
            return
        }
        do {
            (self.factory, self.tone) = (try PeerConnectionFactory(on: reactor), try LoadTone())
        } catch {
            throw LoadFailure("\(error)")
        }
    }

    func begin(at now: Instant) {
        let users = self.run.present
        self.idle = (0..<min(self.plan.calls, users.count / 2)).map { [users[2 * $0], users[2 * $0 + 1]] }
        for side in self.idle.joined() { side.request(.call(.answering), [Field.atOnce(1)]) { _ in } }
    }

    // MARK: - One after the other

    func ticked(at now: Instant) {
        let due = self.pace.due(at: now)
        if !self.isOver { for _ in 0..<due { self.invite() } }
        for call in Array(self.calls.values) { self.look(after: call, at: now) }
    }

    private func look(after call: Call, at now: Instant) {
        for peer in call.peers.values { peer.talk(at: now) }
        if let end = call.hangUpAt {
            if now >= end { self.hangUp(call) }
        } else if call.since.duration(to: now) > Self.setUpTimeout {
            self.fail(call, "a call was not connected within \(Self.setUpTimeout)")
        }
    }

    private func invite() {
        guard !self.idle.isEmpty else { return }
        let sides = self.idle.removeFirst()
        var random = SystemRandomNumberGenerator()
        let call = Call(CallID(RandomToken(using: &random)), self.next, sides)
        self.next += 1
        guard let callee = sides[1].id, sides.allSatisfy(\.isOnline) else { return self.idle.append(sides) }
        self.calls[call.id] = call
        self.run.count(.calls)
        sides[0].request(.call(.invite), [Field.user(callee), Field.callKind(.audio), Field.call.optional(call.id)]) {
            if case .failure(let error) = $0 { self.fail(call, "invite: \(error)") }
        }
    }

    private func hangUp(_ call: Call) {
        guard !call.isHangingUp else { return }
        call.isHangingUp = true
        call.sides[0].request(.call(.hangUp), [Field.call(call.id)]) { result in
            if case .failure(let error) = result { return self.fail(call, "hang-up: \(error)") }
            self.close(call)
        }
    }

    private func fail(_ call: Call, _ words: String) {
        guard self.calls[call.id] != nil else { return }
        self.run.complain(words)
        self.run.count(.failedCalls)
        call.sides[0].request(.call(.failed), [Field.call(call.id)]) { _ in }
        self.close(call)
    }

    private func close(_ call: Call) {
        guard self.calls.removeValue(forKey: call.id) != nil else { return }
        for peer in call.peers.values {
            peer.statistics.map { self.run.judge($0) }
            peer.close()
        }
        self.idle.append(call.sides)
    }

    func stop() {
        self.isOver = true
        for call in self.calls.values { call.hangUpAt = call.hangUpAt.map { min($0, SteadyClock.now) } }
    }

    var isSettled: Bool { self.calls.isEmpty }

    func end() {
        for call in Array(self.calls.values) { self.fail(call, "a call was not over in time") }
        self.factory?.close()
    }
}

// MARK: - What the server tells

extension CallLoad {
    func heard(_ event: ParleyEvent, by user: LoadUser) {
        switch event {
        case .call(let event):
            guard let call = self.calls[event.call] else { return }
            self.heard(event.change, of: call, by: user)
        case .signal(let signal):
            guard case .call(let id) = signal.scope else { return }
            self.calls[id]?.peers[user.index]?.received(signal.content)
        default: return
        }
    }

    private func heard(_ change: CallEvent.Change, of call: Call, by user: LoadUser) {
        switch change {
        case .incoming: self.take(call)
        case .connected(_, let role, _): self.begin(call, at: user, offers: role == .caller)
        case .ended(let end):
            if call.isHangingUp { return }
            self.fail(call, "a call ended by itself: \(end.outcome)")
        case .ringing, .peerAway, .peerBack, .recording: return
        }
    }

    private func take(_ call: Call) {
        self.run.took(.ring, since: call.since)
        call.sides[1].request(.call(.ringing), [Field.call(call.id)]) { _ in }
        call.accepted = SteadyClock.now
        call.sides[1].request(.call(.accept), [Field.call(call.id)]) { result in
            if case .failure(let error) = result { self.fail(call, "accept: \(error)") }
        }
    }

    private func begin(_ call: Call, at user: LoadUser, offers: Bool) {
        if offers, let accepted = call.accepted { self.run.took(.answer, since: accepted) }
        call.connected[user.index] = SteadyClock.now
        guard let factory = self.factory, let tone = self.tone else { return self.talk(call) }
        // So many of a hundred calls have somebody at the caller's end who listens.
        let isListener = offers && Double(call.serial % 100) < self.plan.media.listeners * 100
        call.peers[user.index] = LoadPeer(
            factory, offers: offers, isListener: isListener, tone, self.plan.media.impairment,
            signal: { content in
                user.request(.signal, [Field.call(call.id), content.argument]) { _ in }
            },
            told: { self.told($0, of: call, by: user) })
    }

    private func told(_ news: LoadPeer.News, of call: Call, by user: LoadUser) {
        switch news {
        case .connected: call.connected[user.index].map { self.run.took(.path, since: $0) }
        case .heard:
            guard call.heard.insert(user.index).inserted else { return }
            call.accepted.map { self.run.took(.firstSound, since: $0) }
            self.talk(call)
        case .failed: self.fail(call, "no path was found")
        case .gathered: return
        }
    }

    /// Both are where they should be: from now on the time of the call runs.
    private func talk(_ call: Call) {
        guard call.hangUpAt == nil, call.heard.count == 2 || self.factory == nil, call.connected.count == 2 else {
            return
        }
        call.hangUpAt = SteadyClock.now.advanced(by: self.plan.callDuration)
    }
}
