import Arguments
import Client
import Handset
import Operations
import Pathways
import Peer
import Reactor
import Vocabulary

/// A seat in a room: a connection to every member, until we leave.
final class RoomRun: ClientRun, @unchecked Sendable {
    // Unchecked because it is touched on its loop only, after it was made.
    let frame: RunFrame<CallReport>
    private let room: RoomName
    private let screen = CallScreen()
    private var keys: CallKeys?
    private var links: [SessionID: PeerLink] = [:]
    private var names: [SessionID: String] = [:]
    private var mixer: RoomMixer?
    private var began: Instant?
    private var hasHeardSound = false
    private var last: CallStatistics?
    private var isLeaving = false
    /// The connection broke before the server had answered.
    private var mustAskAgain = false
    /// Sound from more members would not be understood, nor could a terminal's machine carry it.
    private static let maximumMembers = 200

    init(_ frame: RunFrame<CallReport>, in room: RoomName) {
        self.frame = frame
        self.room = room
    }

    func begin() {
        do throws(CommandFailure) {
            // A mistake in a name is better found before anybody hears of us.
            _ = try self.plan.openFeed()
            self.mixer = try self.plan.recording.openMixer()
            if let remark = self.plan.deviceRemark { self.screen.warn(remark) }
            self.join()
        } catch {
            self.close(.failure(error))
        }
    }
    func interrupted() { self.leave() }

    private func join() {
        guard !self.isLeaving, !self.isOver else { return }
        self.mustAskAgain = false
        let (room, key) = (self.room, self.plan.roomKey)
        self.client.ask(on: self.loop) { client throws(ClientError) in
            try await client.join(room, key)
        } then: { result in
            switch result {
            case .success(let view): self.joined(view)
            case .failure(.refused(let refusal)) where refusal.code == RequestError.Code.invitationRequired.rawValue:
                self.knock()
            case .failure(.connectionLost): self.mustAskAgain = true
            case .failure(let error): self.fail(error.words)
            }
        }
    }

    /// Waits until a member lets us in.
    private func knock() {
        let room = self.room
        self.client.ask(on: self.loop) { client throws(ClientError) in
            try await client.knock(at: room)
        } then: { result in
            switch result {
            case .success: self.screen.say("\(room.text) is by invitation: waiting to be let in")
            case .failure(.connectionLost): self.mustAskAgain = true
            case .failure(let error): self.fail(error.words)
            }
        }
    }

    private func joinAgain() {
        for member in self.links.keys { self.part(member) }
        self.join()
    }

    private func joined(_ view: JoinedRoom) {
        guard !self.isLeaving else { return }
        let others = view.members.count
        self.screen.say(
            "Joined \(self.room.text): \(others == 0 ? "nobody else is" : "\(others) other\(others == 1 ? " is" : "s are")") here"
        )
        let isFirst = self.began == nil
        self.began = self.began ?? SteadyClock.now
        self.tellRecording()
        for member in view.members {
            if let start = member.recordingSince { self.screen.tell(member.name, recordsSince: start) }
            self.meet(member, begins: true)
        }
        if isFirst { self.keys = self.peers?.talkKeys(besides: self.screen) { self.interrupted() } }
        if isFirst, let duration = self.plan.duration { self.peers?.after(duration) { self.leave() } }
    }

    /// Whoever is recorded is told, before the first sound is kept and by each server anew.
    private func tellRecording() {
        guard self.plan.recording.isOn else { return }
        let room = self.room
        self.client.ask(on: self.loop) { client throws(ClientError) in try await client.record(true, in: room) }
    }

    func heard(_ event: ParleyEvent) {
        switch event {
        case .room(let event) where event.room == self.room: self.heard(event.change)
        case .signal(let signal) where signal.scope == .room(self.room):
            self.links[signal.from]?.received(signal.content)
        // A server that does not know us any more has given our seat away.
        case .connected: if self.began != nil || self.mustAskAgain { self.joinAgain() }
        case .recovered: if self.mustAskAgain { self.join() }
        case .ended(let failure):
            self.fail("the connection to the server ended: \(failure.words)", .unavailable)
        default: return
        }
    }

    private func heard(_ change: RoomEvent.Change) {
        switch change {
        case .joined(let participant):
            self.screen.say("\(PlainText.line(participant.name)) joined")
            self.meet(participant, begins: false)
        case .left(let member, _): self.part(member)
        case .knocked(_, let name): self.screen.say("\(PlainText.line(name)) asks to be let in")
        case .admitted: self.join()
        case .dismissed(let reason): self.fail("removed from the room: \(PlainText.line(reason))")
        case .recording(let member, let start):
            self.screen.tell(self.names[member] ?? "somebody", recordsSince: start)
        case .away, .back, .host: return
        }
    }

    private func meet(_ participant: Participant, begins: Bool) {
        let member = participant.member
        self.names[member] = participant.name
        guard let peers = self.peers, self.links[member] == nil, self.links.count < Self.maximumMembers,
            self.began != nil, !self.isLeaving
        else { return }
        let (client, loop, room) = (self.client, self.loop, self.room)
        do throws(CommandFailure) {
            let link = peers.open(
                "\(room.text)/\(member.text)", begins: begins, feed: try self.plan.openFeed(),
                sinks: try self.openSinks(for: member),
                signal: { content in
                    client.ask(on: loop) { client throws(ClientError) in
                        _ = try await client.signal(content, in: room, to: member)
                    }
                },
                told: { _ in })
            self.links[member] = link
            link.handset.onEnd = { [weak self] in self?.saidAll() }
        } catch {
            self.close(.failure(error))
        }
    }

    private func openSinks(
        for member: SessionID
    ) throws(CommandFailure) -> (heard: [any SoundSink], said: [any SoundSink]) {
        var sinks = try self.plan.recording.named(member.text).open()
        guard let track = self.mixer?.track() else { return sinks }
        sinks.heard.append(track.heard)
        sinks.said.append(track.said)
        return sinks
    }

    private func part(_ member: SessionID) {
        self.names[member] = nil
        guard let link = self.links.removeValue(forKey: member) else { return }
        self.hasHeardSound = self.hasHeardSound || link.detector.hasHeardSound
        if link.connectedAt != nil { self.last = link.connection.getStats() }
        link.close()
    }

    /// Who can be reached has heard what is played: the room is left.
    private func saidAll() {
        guard self.plan.endsWithSound, !self.isHeardOn else { return }
        self.peers?.after(.milliseconds(500)) { if !self.isHeardOn { self.leave() } }
    }

    /// What is played still has a listener.
    private var isHeardOn: Bool {
        self.links.values.contains { $0.connectedAt != nil && $0.handset.isSpeaking }
    }

    private func leave() {
        guard !self.isLeaving else { return }
        self.isLeaving = true
        for member in self.links.keys { self.part(member) }
        // A server that is gone is not waited for.
        self.peers?.after(.seconds(2)) { self.report() }
        let room = self.room
        self.client.ask(on: self.loop) { client throws(ClientError) in
            try await client.leave(room)
        } then: { _ in
            self.report()
        }
    }

    private func report() {
        let isSilent = self.plan.expectsAudio && !self.hasHeardSound
        let duration = self.began.map { $0.duration(to: SteadyClock.now) } ?? .zero
        let report = CallReport(
            end: isSilent ? .silent : .completed, duration: duration, hasHeardSound: self.hasHeardSound,
            statistics: self.last, serverErrors: self.peers?.serverErrors ?? [])
        self.close(.success(report))
    }

    func closeLinks() {
        self.keys?.stop()
        self.screen.wipe()
        for member in self.links.keys { self.part(member) }
        guard let mixer = self.mixer.take() else { return }
        mixer.finish()
        // Nobody came: there is nothing to keep.
        if mixer.isEmpty { self.plan.recording.discard() }
    }
}
