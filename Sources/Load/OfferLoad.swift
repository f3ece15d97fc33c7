internal import Client
internal import MediaStreams
internal import OpusCodec
internal import Pathways
internal import Peer
internal import Reactor
internal import Secure
internal import Vocabulary
internal import Web

/// Calls to who answers offers over HTTP, as `parley answer --http` and many media servers do: no signalling, no users.
final class OfferLoad: LoadActivity {
    private final class Call {
        let serial: Int
        let since = SteadyClock.now
        var peer: LoadPeer?
        var hangUpAt: Instant?
        var isAsked = false

        init(_ serial: Int) { self.serial = serial }
    }

    private unowned let run: LoadRun
    private let plan: LoadPlan
    private let reactor: Reactor
    private let factory: PeerConnectionFactory
    private let tone: LoadTone
    private var calls: [Int: Call] = [:]
    private var pace: LoadPace
    private var next = 0
    private var isOver = false
    private static let timeout = Duration.seconds(20)

    init(_ run: LoadRun, on reactor: Reactor) throws(LoadFailure) {
        self.run = run
        self.plan = run.plan
        self.reactor = reactor
        self.pace = LoadPace(perSecond: Double(run.plan.offers) / max(0.1, run.plan.callDuration / .seconds(1)))
        do {
            (self.factory, self.tone) = (try PeerConnectionFactory(on: reactor), try LoadTone())
        } catch {
            throw LoadFailure("\(error)")
        }
    }

    func begin(at now: Instant) {}

    func ticked(at now: Instant) {
        let due = self.pace.due(at: now)
        for _ in 0..<due where !self.isOver && self.calls.count < self.plan.offers { self.offer() }
        for call in Array(self.calls.values) { self.look(after: call, at: now) }
    }

    private func look(after call: Call, at now: Instant) {
        call.peer?.talk(at: now)
        if let end = call.hangUpAt {
            if now >= end { self.close(call) }
        } else if call.since.duration(to: now) > Self.timeout {
            self.fail(call, "a call was not connected within \(Self.timeout)")
        }
    }

    private func offer() {
        let call = Call(self.next)
        self.next += 1
        self.calls[call.serial] = call
        self.run.count(.calls)
        let isListener = Double(call.serial % 100) < self.plan.media.listeners * 100
        call.peer = LoadPeer(
            self.factory, offers: true, isListener: isListener, self.tone, self.plan.media.impairment, signal: { _ in },
            told: { [weak call] news in if let call { self.told(news, of: call) } })
    }

    private func told(_ news: LoadPeer.News, of call: Call) {
        switch news {
        // It may be told before the peer is in its place.
        case .gathered: self.reactor.schedule(after: .zero) { self.ask(call) }
        case .connected: self.run.took(.path, since: call.since)
        case .heard:
            self.run.took(.firstSound, since: call.since)
            call.hangUpAt = call.hangUpAt ?? SteadyClock.now.advanced(by: self.plan.callDuration)
        case .failed: self.fail(call, "no path was found")
        }
    }

    /// With all candidates, since nothing can be said later.
    private func ask(_ call: Call) {
        guard !call.isAsked, let sdp = call.peer?.localDescription else { return }
        call.isAsked = true
        let asked = SteadyClock.now
        HTTPCall(self.plan.server, on: self.reactor) { outcome in
            switch outcome {
            case .failure(let failure): self.fail(call, "offer: \(failure)")
            case .success(let answer):
                guard answer.status.isSuccess, let json = RawJSON(answer.body) else {
                    return self.fail(call, "offer: the server answered \(answer.status)")
                }
                self.run.took(.offer, since: asked)
                call.peer?.received(.description(json))
            }
        }.send(
            .post, self.plan.offerPath, json: SessionDescription(.offer, sdp: sdp).json.bytes, timeout: Self.timeout)
    }

    private func fail(_ call: Call, _ words: String) {
        guard self.calls[call.serial] != nil else { return }
        self.run.complain(words)
        self.run.count(.failedCalls)
        self.close(call)
    }

    private func close(_ call: Call) {
        guard self.calls.removeValue(forKey: call.serial) != nil, let peer = call.peer else { return }
        peer.statistics.map { self.run.judge($0) }
        peer.close()
    }

    func heard(_ event: ParleyEvent, by user: LoadUser) {}

    func stop() {
        self.isOver = true
        for call in self.calls.values { call.hangUpAt = call.hangUpAt.map { min($0, SteadyClock.now) } }
    }

    var isSettled: Bool { self.calls.isEmpty }

    func end() {
        for call in Array(self.calls.values) { self.fail(call, "a call was not over in time") }
        self.factory.close()
    }
}
