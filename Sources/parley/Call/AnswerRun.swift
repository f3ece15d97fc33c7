import Arguments
import Calling
import Client
import Handset
import JSON
import Pathways
import Peer
import Reactor
import Vocabulary

/// Takes every call that comes, many at once, until it is interrupted.
final class AnswerRun: ClientRun, @unchecked Sendable {
    // Unchecked because it is touched on its loop only, after it was made.
    let frame: RunFrame<Void>
    /// Where recordings go.
    private let folder: String?
    private var links: [CallID: PeerLink] = [:]
    /// What the callers are called.
    private var names: [CallID: String] = [:]
    private var isReady = false

    init(_ frame: RunFrame<Void>, recordingsIn folder: String?) {
        self.frame = frame
        self.folder = folder
    }

    func interrupted() { self.close(.success(())) }
    func begin() { self.open() }

    /// Nobody is told that it is busy here.
    private func open() {
        self.client.ask(on: self.loop) { client throws(ClientError) in
            try await client.answers(atOnce: Self.maximumCalls)
        } then: { result in
            switch result {
            case .success: self.sayReady()
            case .failure(let error): self.fail("\(error)")
            }
        }
    }

    private func sayReady() {
        guard !self.isReady else { return }
        self.isReady = true
        self.say("ready")
    }

    private static let maximumCalls = 1_000

    func heard(_ event: ParleyEvent) {
        switch event {
        case .connected:
            // A server that does not know us any more knows nothing of our calls either.
            for call in self.links.keys { self.ended(call, "lost") }
            if self.peers != nil { self.open() }
        case .recovered: if self.peers != nil { self.open() }
        case .call(let event): self.heard(event.change, in: event.call)
        case .signal(let signal):
            guard case .call(let call) = signal.scope else { return }
            self.links[call]?.received(signal.content)
        case .ended(let failure):
            self.fail("the connection to the server ended: \(failure)", .unavailable)
        default: return
        }
    }

    private func heard(_ change: Client.CallEvent.Change, in call: CallID) {
        switch change {
        case .incoming(_, let caller): self.take(call, from: caller)
        case .connected(_, let role, let peer): self.begin(call, begins: role == .caller, with: peer)
        case .ended(let end): self.ended(call, end.outcome)
        case .ringing, .peerAway, .peerBack: return
        }
    }

    private func take(_ call: CallID, from caller: Participant) {
        // A server that brings more calls than we said we would take has counted wrongly.
        guard self.links.count < Self.maximumCalls else { return }
        self.client.ask(on: self.loop) { client throws(ClientError) in
            try await client.ringing(call)
            try await client.accept(call)
        } then: { result in
            if case .failure(let error) = result {
                Terminal.complain("parley answer: \(PlainText.line(caller.name)): \(error)")
            }
        }
    }

    private func begin(_ call: CallID, begins: Bool, with peer: Participant) {
        guard let peers = self.peers, self.links[call] == nil, self.links.count < Self.maximumCalls else { return }
        let (client, loop) = (self.client, self.loop)
        do throws(CommandFailure) {
            let recording = RecordingPlan(heard: self.folder.map { "\($0)/\(call.text).ogg" })
            let link = peers.open(
                begins: begins, feed: try self.plan.openFeed(), sinks: try recording.open(),
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
            Terminal.complain("parley answer: \(error)")
            self.client.ask(on: self.loop) { client throws(ClientError) in try await client.fail(call) }
        }
    }

    private func hangUp(_ call: CallID) {
        self.client.ask(on: self.loop) { client throws(ClientError) in try await client.hangUp(call) }
    }

    private func ended(_ call: CallID, _ outcome: String) {
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
        case "key": "\(name) pressed \(detail ?? "")."
        default: event
        }
    }

    func closeLinks() {
        for (call, link) in self.links {
            self.hangUp(call)
            link.close()
        }
        self.links = [:]
    }
}
