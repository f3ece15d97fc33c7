import Arguments
import Calling
import Client
import Handset
import JSON
import Pacing
import Pathways
import Peer
import Reactor
import Vocabulary

/// Takes every call that comes, many at once, until it is interrupted.
final class AnswerRun: ClientRun, @unchecked Sendable {
    // Unchecked because it is touched on its loop only, after it was made.
    let frame: RunFrame<Void>
    /// Where recordings go.
    private let folder: RecordingFolder?
    private var links: [CallID: PeerLink] = [:]
    /// What the callers are called.
    private var names: [CallID: String] = [:]
    private var isReady = false
    /// Who rings while somebody at a terminal decides, in their order.
    private var asking: [CallID] = []
    private let screen = CallScreen()
    private var keys: CallKeys?
    private var complaints = TokenBucket(.init(perSecond: 1, burst: 20), at: SteadyClock.now)

    init(_ frame: RunFrame<Void>, recordingsIn folder: RecordingFolder?) {
        self.frame = frame
        self.folder = folder
    }

    func interrupted() { self.close(.success(())) }
    func begin() {
        self.keys = self.peers?.talkKeys(
            besides: self.screen, interrupted: { [weak self] in self?.interrupted() },
            others: { [weak self] in self?.pressed($0) })
        self.open()
    }

    /// Nobody is told that it is busy here.
    private func open() {
        let maximumCalls = self.maximumCalls
        self.client.ask(on: self.loop) { client throws(ClientError) in
            try await client.answers(atOnce: maximumCalls)
        } then: { result in
            switch result {
            case .success: self.sayReady()
            case .failure(.ended(let failure)): self.ended(failure)
            // It is said again on the next connection.
            case .failure(.connectionLost): return
            case .failure(let error): self.fail("\(error)")
            }
        }
    }

    private func sayReady() {
        guard !self.isReady else { return }
        self.isReady = true
        self.say("ready")
    }

    /// A person talks with one at a time.
    private var maximumCalls: Int { self.plan.devices == nil ? 1_000 : 1 }

    func heard(_ event: ParleyEvent) {
        switch event {
        case .connected:
            for call in self.links.keys { self.takeSeat(in: call) }
            if self.peers != nil { self.open() }
        case .recovered: if self.peers != nil { self.open() }
        case .call(let event): self.heard(event.change, in: event.call)
        case .signal(let signal):
            guard case .call(let call) = signal.scope else { return }
            self.links[call]?.received(signal.content)
        case .ended(let failure): self.ended(failure)
        default: return
        }
    }

    private func ended(_ failure: LinkFailure) {
        self.fail("the connection to the server ended: \(failure)", .unavailable)
    }

    /// A server that brings callers without end fills no log.
    private func complain(_ words: String) {
        if self.complaints.take(at: SteadyClock.now) == nil { Terminal.complain("parley answer: \(words)") }
    }

    private func heard(_ change: Client.CallEvent.Change, in call: CallID) {
        switch change {
        case .incoming(_, let caller): self.take(call, from: caller)
        case .connected(_, let role, let peer): self.begin(call, begins: role == .caller, with: peer)
        case .ended(let end): self.ended(call, end.outcome)
        case .recording(let start): if start != nil { self.say("recording", call, ("name", self.names[call] ?? "")) }
        case .ringing, .peerAway, .peerBack: return
        }
    }

    /// Whoever is recorded is told, before the first sound is kept and by each server anew.
    private func tellRecording(of call: CallID) {
        guard self.folder != nil else { return }
        self.client.ask(on: self.loop) { client throws(ClientError) in try await client.record(true, in: call) }
    }

    /// The server does not know us any more, but it may know of the call.
    private func takeSeat(in call: CallID) {
        guard let link = self.links[call] else { return }
        let keepsMedia = link.connection.connectionState == .connected
        self.client.ask(on: self.loop) { client throws(ClientError) in
            try await client.take(call, keepsMedia: keepsMedia)
        } then: { result in
            switch result {
            case .success(let status):
                if status.keepsMedia { return self.tellRecording(of: call) }
                self.hangUp(call)
                self.ended(call, "lost")
            // They have hung up in the meantime.
            case .failure(.refused(let refusal)) where refusal.code == "call_over": self.ended(call, "completed")
            case .failure: self.ended(call, "lost")
            }
        }
    }

    private func take(_ call: CallID, from caller: Participant) {
        // A server that brings more calls than we said we would take has counted wrongly.
        guard self.links.count < self.maximumCalls else { return }
        let isAsked = self.keys != nil
        if isAsked { self.ask(about: call, from: caller) }
        self.client.ask(on: self.loop) { client throws(ClientError) in
            try await client.ringing(call)
            if !isAsked { try await client.accept(call) }
        } then: { result in
            if case .failure(let error) = result {
                self.complain("\(PlainText.line(caller.name)): \(error)")
            }
        }
    }

    private func begin(_ call: CallID, begins: Bool, with peer: Participant) {
        guard let peers = self.peers, self.links[call] == nil, self.links.count < self.maximumCalls else { return }
        let (client, loop) = (self.client, self.loop)
        do throws(CommandFailure) {
            self.tellRecording(of: call)
            let recording = RecordingPlan(heard: self.folder?.place(for: call))
            let link = peers.open(
                call.text, begins: begins, feed: try self.plan.openFeed(), sinks: try recording.open(),
                signal: { content in
                    client.ask(on: loop) { client throws(ClientError) in try await client.signal(content, in: call) }
                },
                told: { self.told($0, in: call) })
            self.links[call] = link
            self.names[call] = PlainText.line(peer.name)
            // Who plays something has said it all when it is over.
            link.handset.onEnd = { if self.plan.endsWithSound { self.hangUp(call) } }
            self.say("answered", call, ("name", PlainText.line(peer.name)))
            // Who has found no path by then will find none.
            peers.after(.seconds(15)) { [weak self] in
                if let link = self?.links[call], link.connectedAt == nil { self?.giveUp(call) }
            }
        } catch {
            self.complain("\(error)")
            self.client.ask(on: self.loop) { client throws(ClientError) in try await client.fail(call) }
        }
    }

    private func ask(about call: CallID, from caller: Participant) {
        guard self.asking.count < Self.maximumAsked, !self.asking.contains(call) else { return }
        self.asking.append(call)
        self.screen.say("\(PlainText.line(caller.name)) is calling: y takes the call, n declines it.")
    }

    private static let maximumAsked = 8

    private func pressed(_ key: Character) {
        switch key {
        case "y": self.decide { client, call throws(ClientError) in try await client.accept(call) }
        case "n": self.decide { client, call throws(ClientError) in try await client.decline(call) }
        case "h": for call in self.links.keys { self.hangUp(call) }
        default: return
        }
    }

    /// The one who has rung longest.
    private func decide(_ act: @escaping @Sendable (ParleyClient, CallID) async throws(ClientError) -> Void) {
        guard !self.asking.isEmpty else { return }
        let call = self.asking.removeFirst()
        self.client.ask(on: self.loop) { client throws(ClientError) in
            try await act(client, call)
        } then: { result in
            if case .failure(let error) = result { Terminal.complain("parley answer: \(error.words)") }
        }
    }

    private func hangUp(_ call: CallID) {
        self.client.ask(on: self.loop) { client throws(ClientError) in try await client.hangUp(call) }
    }

    private func ended(_ call: CallID, _ outcome: String) {
        if let index = self.asking.firstIndex(of: call) {
            self.asking.remove(at: index)
            self.screen.say("They have stopped calling.")
        }
        guard let link = self.links.removeValue(forKey: call) else { return }
        link.close()
        self.say("ended", call, ("outcome", PlainText.line(outcome)))
        self.names[call] = nil
    }

    private func told(_ event: PeerEvent, in call: CallID) {
        switch event {
        case .key(let key, _, _): self.say("key", call, ("key", String(key)))
        case .stateChanged(.failed): if self.links[call]?.connectedAt == nil { self.giveUp(call) }
        // The caller makes new checks, or is gone.
        case .stateChanged(.disconnected), .securityStateChanged(.closed):
            guard let count = self.links[call]?.connections else { return }
            self.peers?.after(.seconds(45)) { [weak self] in self?.lookAfter(call, since: count) }
        default: return
        }
    }

    /// Nobody keeps a line that leads nowhere.
    private func lookAfter(_ call: CallID, since count: Int) {
        guard let link = self.links[call], link.isBroken(since: count) else { return }
        self.giveUp(call)
    }

    private func giveUp(_ call: CallID) {
        let hadPath = self.links[call]?.connectedAt != nil
        self.client.ask(on: self.loop) { client throws(ClientError) in
            if hadPath { try await client.hangUp(call) } else { try await client.fail(call) }
        } then: { result in
            // The server says how it ended, unless it has forgotten.
            if case .failure = result { self.ended(call, hadPath ? "lost" : "failed") }
        }
    }

    private func say(_ event: String, _ call: CallID? = nil, _ detail: (name: String, text: String)? = nil) {
        guard self.plan.isJSON else {
            return Terminal.print(self.sentence(event, call.flatMap { self.names[$0] } ?? "somebody", detail?.text))
        }
        Terminal.print(
            JSONWriter.line { json in
                json.field("event", event)
                json.optional("call", call?.text)
                if let detail { json.field(detail.name, detail.text) }
            })
    }

    private func sentence(_ event: String, _ name: String, _ detail: String?) -> String {
        switch event {
        case "ready": "Ready for calls. Stop with Control-C."
        case "answered": "Answered \(name)."
        case "ended": "The call with \(name) has ended\(detail == "completed" ? "" : ": \(detail ?? "")")."
        case "recording": "\(name) is recording."
        case "key": "\(name) pressed \(detail ?? "")."
        default: event
        }
    }

    func closeLinks() {
        self.keys?.stop()
        for (call, link) in self.links {
            self.hangUp(call)
            link.close()
        }
        self.links = [:]
    }
}
