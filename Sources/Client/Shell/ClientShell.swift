internal import Operations
internal import Reactor
internal import Vocabulary

/// Carries out what a `ClientSession` decides: dials, writes, keeps its time, and passes its news on.
final class ClientShell: @unchecked Sendable {
    // Unchecked because everything in it belongs to one loop, whose thread alone calls its methods.

    /// What becomes of a request.
    typealias Answer = (Result<RawJSON, ClientError>) -> Void
    typealias Arrival = (Result<SessionID, LinkFailure>) -> Void
    /// Hears everything in its order, `ended` last. False when there is no room for another event.
    typealias Listener = (ParleyEvent) -> Bool

    private let server: ServerURL
    private var session: ClientSession
    private let settings: ClientSettings
    private var reactor: Reactor?
    private var messages = OutgoingMessages()
    private var dialer: ServerDialer?
    private var line: WebSocketLine?
    private var alarm: (deadline: Instant, token: TimerToken)?
    private var answers: [Int: Answer] = [:]
    private var isOverrun = false
    /// Who waits to be let in for the first time.
    private var arrival: Arrival?
    private let hear: Listener

    private static let target = "/socket.io/?EIO=4&transport=websocket"

    init(_ server: ServerURL, token: String, settings: ClientSettings, hear: @escaping Listener) {
        self.server = server
        self.settings = settings
        self.session = ClientSession(token: token, settings: settings)
        self.hear = hear
    }

    private var now: Instant { self.reactor?.instant ?? Instant(nanoseconds: 0) }
}

// MARK: - What the program wants

extension ClientShell {
    func start(on reactor: Reactor, _ arrival: @escaping Arrival) {
        if let failure = self.session.failure { return arrival(.failure(failure)) }
        precondition(!self.session.hasStarted, "a client connects once")
        self.reactor = reactor
        self.arrival = arrival
        var outbox = ClientOutbox()
        self.session.start(at: self.now, &outbox)
        self.carryOut(outbox)
    }

    func stop() {
        var outbox = ClientOutbox()
        self.session.stop(&outbox)
        self.carryOut(outbox)
    }

    /// Lets go of the connection as a network that breaks does; the session comes back by itself.
    func cut() {
        guard let line = self.line.take() else { return }
        line.drop()
        self.transportEnded(.silence)
    }

    func giveUp(_ failure: LinkFailure) {
        var outbox = ClientOutbox()
        self.session.giveUp(failure, &outbox)
        self.carryOut(outbox)
    }

    /// What is shown at the next connect.
    var token: String { self.session.token }

    func renew(token: String) {
        self.session.renew(token: token)
    }

    func request(_ name: String, _ argument: RawJSON, on reactor: Reactor, _ answer: @escaping Answer) {
        self.reactor = reactor
        var outbox = ClientOutbox()
        do throws(ClientError) {
            let id = try self.session.request(name, argument, at: self.now, &outbox)
            self.answers[id] = answer
        } catch {
            answer(.failure(error))
        }
        self.carryOut(outbox)
    }
}

// MARK: - What one says

extension ClientShell {
    func outgoing(on reactor: Reactor, _ event: (inout OutgoingMessages, Instant) -> [OutgoingMessages.Order]) {
        self.reactor = reactor
        self.carryOut(event(&self.messages, self.now))
    }

    private func carryOut(_ orders: [OutgoingMessages.Order]) {
        for order in orders {
            switch order {
            case .show(let id, let state): self.tell(.outgoing(id, state))
            case .send(let message): self.send(message)
            }
        }
        self.setAlarm()
    }

    private func send(_ message: OutgoingMessage) {
        guard let reactor = self.reactor else { return }
        self.request(Operation.chat(.send).name, message.argument, on: reactor) { result in
            switch result.flatMap({ ChatOutcome.read($0) }) {
            case .success(let outcome): self.carryOut(self.messages.answered(message.id, outcome))
            case .failure(let error): self.carryOut(self.messages.unanswered(message.id, error))
            }
        }
    }
}

// MARK: - What the session wants

extension ClientShell {
    private func carryOut(_ outbox: ClientOutbox) {
        for order in outbox.orders {
            switch order {
            case .dial: self.dial()
            case .send(let frame): self.line?.send(text: frame)
            case .hangUp: self.hangUp()
            case .tell(let news): self.pass(news)
            }
        }
        self.setAlarm()
    }

    private func pass(_ news: ClientOutbox.News) {
        switch news {
        case .answered(let id, let answer): self.answers.removeValue(forKey: id)?(.success(answer))
        case .unanswered(let id, let error): self.answers.removeValue(forKey: id)?(.failure(error))
        case .arrived(let member, let isRecovered): self.arrived(member, isRecovered)
        case .event(let name, let argument): self.tell(ParleyEvent(name, argument))
        case .away(let failure, let delay): self.tell(.disconnected(failure, retryIn: delay))
        case .ended(let failure): self.ended(failure)
        }
    }

    private func arrived(_ member: SessionID, _ isRecovered: Bool) {
        self.arrival.take()?(.success(member))
        self.tell(isRecovered ? .recovered(member) : .connected(member))
    }

    private func ended(_ failure: LinkFailure) {
        self.arrival.take()?(.failure(failure))
        self.tell(.ended(failure))
    }

    private func tell(_ event: ParleyEvent) {
        guard !self.hear(event), !self.isOverrun else { return }
        // An event that is missing would mislead; the end does not.
        self.isOverrun = true
        self.giveUp(.eventsUnread)
    }

    private func dial() {
        guard let reactor = self.reactor else { return }
        // The session keeps the time; the dialer only must not give up before it.
        let timeout = self.settings.connectTimeout + .seconds(1)
        let dialer = ServerDialer(
            self.server, on: reactor, timeout: timeout, opened: { self.opened($0) }, failed: { self.dialFailed($0) })
        self.dialer = dialer
        dialer.start()
    }

    private func opened(_ stream: any ByteStream) -> any StreamHandler {
        self.dialer = nil
        let line = WebSocketLine(stream, owner: self)
        self.line = line
        line.start(Self.target, at: self.server.authority)
        return line
    }

    private func dialFailed(_ failure: LinkFailure) {
        self.dialer = nil
        self.transportEnded(failure)
    }

    private func hangUp() {
        self.dialer.take()?.cancel()
        self.line.take()?.drop()
    }

    private func transportEnded(_ failure: LinkFailure) {
        var outbox = ClientOutbox()
        self.session.transportEnded(failure, at: self.now, &outbox)
        self.carryOut(outbox)
    }

    /// One timer for whatever comes first.
    private func setAlarm() {
        let deadline = [self.session.nextDeadline, self.messages.nextDeadline].compactMap(\.self).min()
        guard let reactor = self.reactor, deadline != self.alarm?.deadline else { return }
        if let alarm = self.alarm.take() { reactor.cancel(alarm.token) }
        guard let deadline else { return }
        let token = reactor.schedule(after: self.now.duration(to: deadline)) { self.alarmRang() }
        self.alarm = (deadline, token)
    }

    private func alarmRang() {
        self.alarm = nil
        var outbox = ClientOutbox()
        self.session.clockAdvanced(to: self.now, &outbox)
        self.carryOut(outbox)
        self.carryOut(self.messages.clockAdvanced(to: self.now))
    }
}

// MARK: - What the line brings

extension ClientShell: WebSocketLineOwner {
    func lineOpened(_ line: WebSocketLine) {
        guard line === self.line else { return }
        self.session.transportOpened()
    }

    func line(_ line: WebSocketLine, received text: Span<UInt8>) {
        guard line === self.line else { return }
        var outbox = ClientOutbox()
        self.session.received(text, at: self.now, &outbox)
        self.carryOut(outbox)
    }

    func line(_ line: WebSocketLine, ended failure: LinkFailure) {
        guard line === self.line else { return }
        self.line = nil
        self.transportEnded(failure)
    }
}
