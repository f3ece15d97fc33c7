internal import Bytes
internal import JSON
internal import SocketIO
package import Vocabulary

/// One client of Engine.IO 4 and Socket.IO, over WebSockets: how it gets in, stays in, and comes back.
///
///     idle ──start──▶ dialing ──open──▶ opening ──opening packet──▶ joining ──welcome──▶ online
///                        ▲                 │ closed, too late           │                  │ closed, silent
///                        └──waited── backingOff ◀───────────────────────┴──────────────────┘
///     every state ──stopped, turned away, or the first attempt failed──▶ ended
///
/// What comes back knows where it was: the server's key and the last event's offset go into the next CONNECT.
package struct ClientSession: ~Copyable {
    private enum State {
        /// Can become: dialing, ended.
        case idle
        /// A WebSocket is being opened. Can become: opening, backingOff, ended.
        case dialing(deadline: Instant)
        /// It is open; the server speaks first. Can become: joining, backingOff, ended.
        case opening(deadline: Instant)
        /// We have shown our token. Can become: online, backingOff, ended.
        case joining(deadline: Instant)
        /// Can become: backingOff, ended.
        case online
        /// Until the next attempt. Can become: dialing, ended.
        case backingOff(until: Instant)
        /// The last state.
        case ended(LinkFailure)
    }

    private let settings: ClientSettings
    private var state = State.idle
    private var heartbeat: Heartbeat?
    private var requests = RequestBook()
    private var resumption = Resumption()
    package private(set) var token: String
    private var backOff: BackOff
    private var random: any RandomNumberGenerator & Sendable
    private var hasBeenOnline = false

    package init(
        token: String, settings: ClientSettings = ClientSettings(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.token = token
        self.settings = settings
        self.backOff = BackOff(settings.backOff)
        self.random = random
    }

    package var isOnline: Bool {
        if case .online = self.state { true } else { false }
    }

    package var hasStarted: Bool {
        if case .idle = self.state { false } else { true }
    }

    /// Why it ended, if it did.
    package var failure: LinkFailure? {
        if case .ended(let failure) = self.state { failure } else { nil }
    }

    /// When `clockAdvanced` is to be called, at the latest.
    package var nextDeadline: Instant? {
        let own: Instant? =
            switch self.state {
            case .dialing(let deadline), .opening(let deadline), .joining(let deadline): deadline
            case .backingOff(let until): until
            case .online: self.heartbeat?.deadline
            case .idle, .ended: nil
            }
        guard let own, let answer = self.requests.nextDeadline else { return own ?? self.requests.nextDeadline }
        return min(own, answer)
    }

    /// From the next connect on, another token is shown.
    package mutating func renew(token: String) {
        self.token = token
    }
}

// MARK: - Coming and going

extension ClientSession {
    package mutating func start(at now: Instant, _ outbox: inout ClientOutbox) {
        guard case .idle = self.state else { return }
        self.dial(at: now, &outbox)
    }

    /// Says goodbye and ends.
    package mutating func stop(_ outbox: inout ClientOutbox) {
        if case .online = self.state { outbox.orders.append(.send(Array("41".utf8))) }
        self.end(.stopped, &outbox)
    }

    /// Ends for a reason that lies outside.
    package mutating func giveUp(_ failure: LinkFailure, _ outbox: inout ClientOutbox) {
        self.end(failure, &outbox)
    }

    package mutating func transportOpened() {
        guard case .dialing(let deadline) = self.state else { return }
        self.state = .opening(deadline: deadline)
    }

    /// The WebSocket is gone, or could not be opened at all.
    package mutating func transportEnded(_ failure: LinkFailure, at now: Instant, _ outbox: inout ClientOutbox) {
        switch self.state {
        case .dialing, .opening, .joining, .online: self.backOff(after: failure, at: now, &outbox)
        case .idle, .backingOff, .ended: return
        }
    }

    package mutating func clockAdvanced(to now: Instant, _ outbox: inout ClientOutbox) {
        for id in self.requests.takeOverdue(at: now) { outbox.tell(.unanswered(id, .timedOut)) }
        switch self.state {
        case .dialing(let deadline), .opening(let deadline), .joining(let deadline):
            guard now >= deadline else { return }
            self.drop(.connectTimedOut(after: self.settings.connectTimeout), at: now, &outbox)
        case .backingOff(let until):
            if now >= until { self.dial(at: now, &outbox) }
        case .online:
            if let heartbeat = self.heartbeat, now >= heartbeat.deadline { self.drop(.silence, at: now, &outbox) }
        case .idle, .ended: return
        }
    }

    private mutating func dial(at now: Instant, _ outbox: inout ClientOutbox) {
        self.state = .dialing(deadline: now + self.settings.connectTimeout)
        outbox.orders.append(.dial)
    }

    /// Lets go of a WebSocket that is of no more use.
    private mutating func drop(_ failure: LinkFailure, at now: Instant, _ outbox: inout ClientOutbox) {
        outbox.orders.append(.hangUp)
        self.backOff(after: failure, at: now, &outbox)
    }

    private mutating func backOff(after failure: LinkFailure, at now: Instant, _ outbox: inout ClientOutbox) {
        let insists = self.hasBeenOnline || self.settings.insistsFromTheStart
        guard insists, failure.mayPass else { return self.finish(failure, &outbox) }
        for id in self.requests.takeSent() { outbox.tell(.unanswered(id, .connectionLost)) }
        // Behind what the server asks for, so that those who were told the same do not come together.
        let delay = failure.leastWait + self.backOff.delay(using: &self.random)
        self.heartbeat = nil
        self.state = .backingOff(until: now + delay)
        outbox.tell(.away(failure, retryIn: delay))
    }

    private mutating func end(_ failure: LinkFailure, _ outbox: inout ClientOutbox) {
        switch self.state {
        case .dialing, .opening, .joining, .online: outbox.orders.append(.hangUp)
        case .idle, .backingOff: break
        case .ended: return
        }
        self.finish(failure, &outbox)
    }

    private mutating func finish(_ failure: LinkFailure, _ outbox: inout ClientOutbox) {
        self.state = .ended(failure)
        for id in self.requests.takeAll() { outbox.tell(.unanswered(id, .ended(failure))) }
        outbox.tell(.ended(failure))
    }
}

// MARK: - Getting in

extension ClientSession {
    /// Shows who we are, and where we were.
    private mutating func join(before deadline: Instant, _ outbox: inout ClientOutbox) {
        self.state = .joining(deadline: deadline)
        let proof = RawJSON { json in
            json.field("token", self.token)
            json.field("recover", true)
            self.resumption.write(to: &json)
        }
        outbox.orders.append(.send(Array("40".utf8) + proof.bytes))
    }

    private mutating func joined(_ welcome: RawJSON, at now: Instant, _ outbox: inout ClientOutbox) {
        guard let member = welcome.name("sid", { SessionID($0) }) else {
            return self.drop(.brokenPacket(nil), at: now, &outbox)
        }
        self.state = .online
        self.hasBeenOnline = true
        self.backOff.reset()
        let isRecovered = self.resumption.joined(key: welcome.text("pid"))
        outbox.tell(.arrived(member, isRecovered: isRecovered))
        for frame in self.requests.takeUnsent() { outbox.orders.append(.send(frame)) }
    }

    /// The server does not want us, or not now.
    private mutating func turnedAway(_ answer: RawJSON, at now: Instant, _ outbox: inout ClientOutbox) {
        self.drop(.refused(code: PlainText.line(answer.text("message") ?? "unknown")), at: now, &outbox)
    }
}

// MARK: - Requests

extension ClientSession {
    /// Asks the server for something; the answer comes as news under the number returned.
    ///
    /// Without a connection it waits for the next one. What was sent is never sent a second time.
    package mutating func request(
        _ name: String, _ argument: RawJSON, at now: Instant, _ outbox: inout ClientOutbox
    ) throws(ClientError) -> Int {
        if case .ended(let failure) = self.state { throw .ended(failure) }
        guard self.requests.count < self.settings.maximumRequests else { throw .tooManyRequests }
        let id = self.requests.nextID()
        var packet = SocketPacketWriter(event: name, ackID: id)
        packet.arguments.raw(argument.bytes)
        self.requests.add(id, frame: packet.finish().bytes, deadline: now + self.settings.answerTimeout)
        guard self.isOnline else { return id }
        for frame in self.requests.takeUnsent() { outbox.orders.append(.send(frame)) }
        return id
    }
}

// MARK: - Receiving

extension ClientSession {
    /// A text frame came.
    package mutating func received(_ frame: Span<UInt8>, at now: Instant, _ outbox: inout ClientOutbox) {
        self.heartbeat?.heard(at: now)
        switch self.state {
        case .opening(let deadline): self.receivedOpening(frame, deadline, at: now, &outbox)
        case .joining, .online: self.receivedPacket(frame, at: now, &outbox)
        case .idle, .dialing, .backingOff, .ended: return
        }
    }

    private mutating func receivedOpening(
        _ frame: Span<UInt8>, _ deadline: Instant, at now: Instant, _ outbox: inout ClientOutbox
    ) {
        guard let packet = try? EnginePacket(textFrame: frame, version: .v4), packet.kind == .open,
            let opening = EngineOpening(parsing: frame.extracting(packet.body))
        else { return self.drop(.brokenPacket(nil), at: now, &outbox) }
        self.heartbeat = Heartbeat(opening, at: now)
        self.join(before: deadline, &outbox)
    }

    private mutating func receivedPacket(_ frame: Span<UInt8>, at now: Instant, _ outbox: inout ClientOutbox) {
        guard let packet = try? EnginePacket(textFrame: frame, version: .v4), packet.form == .text else {
            return self.drop(.brokenPacket(nil), at: now, &outbox)
        }
        switch packet.kind {
        case .ping: outbox.orders.append(.send(EncodedPacket.pong.bytes))
        case .close: self.drop(.closedByServer(nil), at: now, &outbox)
        case .message: self.receivedMessage(frame.extracting(packet.body), at: now, &outbox)
        case .pong, .noop: break
        case .open, .upgrade: self.drop(.brokenPacket(nil), at: now, &outbox)
        }
    }

    private mutating func receivedMessage(_ bytes: Span<UInt8>, at now: Instant, _ outbox: inout ClientOutbox) {
        do throws(SocketPacketError) {
            let packet = try SocketPacketDecoder().decode(bytes)
            // We are in the main namespace and nowhere else.
            guard packet.namespace.isMain else { return }
            self.take(packet, bytes, at: now, &outbox)
        } catch {
            self.drop(.brokenPacket(error.reason), at: now, &outbox)
        }
    }

    private mutating func take(
        _ packet: SocketPacket, _ bytes: Span<UInt8>, at now: Instant, _ outbox: inout ClientOutbox
    ) {
        let payload = RawJSON(proven: [UInt8](copying: bytes.extracting(packet.payload)))
        switch (packet.kind, self.isOnline) {
        case (.connect, false): self.joined(payload, at: now, &outbox)
        case (.connectError, false): self.turnedAway(payload, at: now, &outbox)
        case (.event, true): self.takeEvent(packet, bytes, &outbox)
        case (.ack, true): self.takeAnswer(packet, bytes, &outbox)
        // It would come back to the same end: the server has said that this session is over.
        case (.disconnect, true): self.drop(.dismissed, at: now, &outbox)
        case (.connect, true), (.connectError, true), (.event, false), (.ack, false), (.disconnect, false),
            (.binaryEvent, _), (.binaryAck, _):
            self.drop(.brokenPacket(nil), at: now, &outbox)
        }
    }

    private mutating func takeEvent(_ packet: SocketPacket, _ bytes: Span<UInt8>, _ outbox: inout ClientOutbox) {
        let reader = JSONReader(bytes)
        let arguments = Self.arguments(packet, reader)
        if arguments.count > 1, let last = arguments.last, let offset = reader.string(last) {
            self.resumption.heard(offset)
        }
        guard let range = packet.name, let name = reader.text(at: range) else { return }
        let argument = arguments.first.map { RawJSON(proven: reader.raw($0)) }
        outbox.tell(.event(name: name, argument: argument ?? RawJSON { _ in }))
    }

    private mutating func takeAnswer(_ packet: SocketPacket, _ bytes: Span<UInt8>, _ outbox: inout ClientOutbox) {
        guard let id = packet.ackID, self.requests.answered(id) else { return }
        let reader = JSONReader(bytes)
        guard let first = Self.arguments(packet, reader).first else {
            return outbox.tell(.unanswered(id, .unreadableAnswer))
        }
        let answer = RawJSON(proven: reader.raw(first))
        guard let refusal = ServerRefusal(in: answer) else { return outbox.tell(.answered(id, answer)) }
        outbox.tell(.unanswered(id, .refused(refusal)))
    }

    /// The payload was found to be an array; the name of an event stands first in it.
    private static func arguments(_ packet: SocketPacket, _ reader: borrowing JSONReader) -> [JSONValue] {
        var values: [JSONValue] = []
        var elements = reader.elements(of: JSONValue(.array, at: packet.payload))
        while let element = elements.next() { values.append(element) }
        return Array(values.dropFirst(packet.kind.isEvent ? 1 : 0))
    }
}
