import Arguments
import Calling
import Client
import Handset
import Pathways
import Peer
import Reactor
import Sound
import Vocabulary

/// One call that is placed from here, from the first ring to the report.
final class CallRun: ClientRun, @unchecked Sendable {
    // Unchecked because it is touched on its loop only, after it was made.
    let frame: RunFrame<CallReport>
    private let callee: PersonSearch.Person
    private let screen = CallScreen()
    private var keys: CallKeys?
    /// Named before anybody rings, so that whatever is told of it is known to be meant for it.
    private var call: CallID
    private var isInviting = false
    private var hasRung = false
    /// At least one device over there.
    private var isRinging = false
    private var link: PeerLink?
    private var peerName: String?
    /// Opened before anybody rings.
    private var sound: (feed: (any SoundFeed)?, sinks: (heard: [any SoundSink], said: [any SoundSink]))?
    private var hasBegun = false
    private var isCutOff = false
    private var cuts = 0
    private var isHangingUp = false
    /// A server ends what rings in vain long before.
    private static let maximumRingTime = Duration.seconds(90)

    init(_ frame: RunFrame<CallReport>, to callee: PersonSearch.Person) {
        self.frame = frame
        self.callee = callee
        var random = SystemRandomNumberGenerator()
        self.call = CallID(RandomToken(using: &random))
    }

    func begin() {
        guard !self.isOver else { return }
        do throws(CommandFailure) {
            // A mistake in a name is better found before anybody rings.
            self.sound = (try self.plan.openFeed(), try self.plan.recording.open())
        } catch {
            return self.fail(error.description, error.exitCode)
        }
        if let remark = self.plan.deviceRemark { self.screen.warn(remark) }
        let (callee, call) = (self.callee.user, self.call)
        self.screen.say("Calling \(PlainText.line(self.callee.name)) …")
        (self.isInviting, self.hasRung) = (true, true)
        self.peers?.after(Self.maximumRingTime) { if self.link == nil { self.giveUp(.noAnswer) } }
        self.client.ask(on: self.loop) { client throws(ClientError) in
            try await client.invite(callee, to: .audio, as: call)
        } then: { result in
            self.isInviting = false
            switch result {
            // Another name when both rang each other.
            case .success(let call): self.call = call
            case .failure(.refused(let refusal)) where refusal.code == "offline": self.finish(.offline)
            // The server may have rung them or not.
            case .failure(.connectionLost): self.finish(.lost)
            case .failure(let error): self.fail(error.words)
            }
        }
    }
}

// MARK: - What the server tells

extension CallRun {
    func heard(_ event: ParleyEvent) {
        switch event {
        case .call(let event): self.heard(event)
        case .signal(let signal) where signal.scope == .call(self.call): self.link?.received(signal.content)
        case .disconnected: self.cutOff()
        case .recovered: self.isCutOff = false
        // A server that was started anew knows of calls in which two talk, and of no others.
        case .connected:
            let wasCutOff = self.isCutOff
            self.isCutOff = false
            guard wasCutOff, self.hasRung else { return }
            if self.link == nil { self.finish(.lost) } else { self.takeSeat() }
        case .ended(let failure): self.fail("the connection to the server ended: \(failure.words)", .unavailable)
        default: return
        }
    }

    /// Who talks needs no server; who waits for an answer does, and for no longer than a server lets it ring.
    private func cutOff() {
        guard !self.isCutOff else { return }
        self.isCutOff = true
        self.cuts += 1
        let cut = self.cuts
        self.peers?.after(.seconds(60)) {
            if self.isCutOff, self.cuts == cut, self.link == nil { self.finish(.lost) }
        }
    }

    private func takeSeat() {
        guard let link = self.link, !self.isHangingUp else { return }
        let (call, keepsMedia) = (self.call, link.connection.connectionState == .connected)
        self.client.ask(on: self.loop) { client throws(ClientError) in
            try await client.take(call, keepsMedia: keepsMedia)
        } then: { result in
            switch result {
            case .success(let status): if status.keepsMedia { self.tellRecording() } else { self.giveUp(.lost) }
            // The other side has hung up in the meantime.
            case .failure(.refused(let refusal)) where refusal.code == "call_over": self.finish(self.judge(link))
            // Who talks needs no server.
            case .failure: return
            }
        }
    }

    private func heard(_ event: Client.CallEvent) {
        // Who rang us at the same moment has given the call its name.
        if self.isInviting, case .connected = event.change { self.call = event.call }
        guard event.call == self.call else { return }
        switch event.change {
        case .ringing(let byPush):
            if byPush { return self.screen.say("Waking their devices …") }
            if !self.isRinging { self.screen.say("Ringing …") }
            self.isRinging = true
        case .connected(_, let role, let peer):
            self.screen.say("\(PlainText.line(peer.name)) answered")
            self.peerName = peer.name
            self.tellRecording()
            self.begin(begins: role == .caller)
        case .ended(let end):
            if let other = end.into { return self.call = other }
            if !self.isHangingUp { self.finish(self.judge(end.outcome)) }
        case .recording(let start): self.screen.tell(self.peerName ?? self.callee.name, recordsSince: start)
        case .incoming, .peerAway, .peerBack: return
        }
    }

    /// Whoever is recorded is told, before the first sound is kept and by each server anew.
    private func tellRecording() {
        guard self.plan.recording.isOn else { return }
        let call = self.call
        self.client.ask(on: self.loop) { client throws(ClientError) in try await client.record(true, in: call) }
    }

    /// What the server says is one thing, whether anybody was heard another.
    private func judge(_ outcome: String) -> CallEnd {
        guard let link = self.link else { return CallEnd(outcome: outcome) }
        // The other side found out first.
        if outcome == "failed", link.connectedAt == nil { return .noPath }
        let end = CallEnd(outcome: outcome)
        return end == .completed ? self.judge(link) : end
    }

    private func judge(_ link: PeerLink) -> CallEnd {
        if link.connectedAt == nil { return .noPath }
        return self.plan.expectsAudio && !link.detector.hasHeardSound ? .silent : .completed
    }
}

// MARK: - Talking

extension CallRun {
    private func begin(begins: Bool) {
        guard self.link == nil, !self.isHangingUp, let peers = self.peers else { return }
        let call = self.call
        guard let sound = self.sound.take() else { return }
        let link = peers.open(
            call.text, begins: begins, feed: sound.feed, sinks: sound.sinks,
            signal: { content in
                self.client.ask(on: self.loop) { client throws(ClientError) in
                    try await client.signal(content, in: call)
                }
            },
            told: { self.told($0) })
        self.link = link
        link.handset.onEnd = {
            if self.plan.endsWithSound { self.peers?.after(.milliseconds(500)) { self.hangUp() } }
        }
        // Who has found no path by then will find none.
        self.peers?.after(.seconds(15)) { if link.connectedAt == nil { self.giveUp(.noPath) } }
    }

    private func told(_ event: PeerEvent) {
        guard !self.isOver else { return }
        switch event {
        case .stateChanged(.connected): if !self.hasBegun { self.talk() }
        // What was connected may be again: new checks are made.
        case .stateChanged(.failed):
            guard let link = self.link, link.connectedAt != nil else { return self.giveUp(.noPath) }
            let count = link.connections
            self.peers?.after(.seconds(15)) { if link.isBroken(since: count) { self.giveUp(.lost) } }
        // They have hung up, which the server says as well, if it is still there.
        case .securityStateChanged(.closed): self.peers?.after(.seconds(2)) { self.hangUp() }
        default: return
        }
    }

    private func talk() {
        self.hasBegun = true
        self.keys = self.peers?.talkKeys(besides: self.screen) { self.interrupted() }
        if !self.plan.keys.isEmpty { _ = self.link?.connection.press(self.plan.keys) }
        if let duration = self.plan.duration { self.peers?.after(duration) { self.hangUp() } }
        self.show()
    }

    private func show() {
        guard !self.isOver, let link = self.link, let since = link.connectedAt else { return }
        self.screen.show(
            link, for: since.duration(to: SteadyClock.now), isMuted: self.peers?.station?.isMuted == true)
        self.peers?.after(.milliseconds(250)) { self.show() }
    }
}

// MARK: - The end

extension CallRun {
    func interrupted() { self.hangUp() }

    /// We hang up, or the peer is gone.
    private func hangUp() {
        self.giveUp(self.link.map { self.judge($0) } ?? .cancelled)
    }

    private func giveUp(_ end: CallEnd) {
        guard !self.isHangingUp else { return }
        self.isHangingUp = true
        guard self.hasRung else { return self.finish(end) }
        // The program ends with the call, and the other side should know that it has.
        self.peers?.after(.seconds(2)) { self.finish(end) }
        let call = self.call
        self.client.ask(on: self.loop) { client throws(ClientError) in
            if end == .noPath { try await client.fail(call) } else { try await client.hangUp(call) }
        } then: { _ in
            self.finish(end)
        }
    }

    private func finish(_ end: CallEnd) {
        guard !self.isOver else { return }
        let duration = self.link?.connectedAt.map { $0.duration(to: SteadyClock.now) } ?? .zero
        let report = CallReport(
            end: end, callee: self.callee.name, duration: duration,
            hasHeardSound: self.link?.detector.hasHeardSound ?? false,
            statistics: self.link?.connection.getStats(), serverErrors: self.peers?.serverErrors ?? [])
        self.close(.success(report))
    }

    func closeLinks() {
        self.keys?.stop()
        self.screen.wipe()
        self.link?.close()
        // Nobody answered: there is nothing to keep.
        if self.sound.take() != nil { self.plan.recording.discard() }
    }
}
