internal import HTTP2
package import Reactor
package import Web

/// Many requests to one server over one connection (RFC 9113), which is opened when there is something to send, kept, and
/// opened anew when it is lost.
///
///     send ──▶ waiting ──room──▶ under way ──▶ answered, or failed
///                 ▲                  └──not looked at by the server──┐
///                 └──────────────────────────────────────────────────┘
package final class HTTP2Client {
    package typealias Outcome = HTTPCall.Outcome

    private let server: ServerURL
    private let reactor: Reactor
    private let rules: HTTPCallRules
    private var waiting: [HTTP2Call] = []
    /// Where new requests go. One that the server is giving up ends what it has begun, by itself.
    private var connection: HTTP2Connection?

    /// - Parameter rules: redirects are not followed.
    package init(_ server: ServerURL, on reactor: Reactor, rules: HTTPCallRules = HTTPCallRules()) {
        self.server = server
        self.reactor = reactor
        var rules = rules
        rules.speaksHTTP2 = true
        self.rules = rules
    }

    /// - Parameter timeout: for everything together, also for the time until the server has room.
    package func send(
        _ method: HTTPMethod, _ target: String, fields: HTTPFields, body: [UInt8], timeout: Duration,
        completion: @escaping (Outcome) -> Void
    ) {
        let request = HTTP2Request(
            method, scheme: self.server.isEncrypted ? "https" : "http", authority: self.server.authority, path: target,
            fields: fields, body: body)
        let call = HTTP2Call(request, on: self.reactor, completion)
        call.start(timeout) { [weak self, unowned call] in self?.giveUp(call) }
        self.waiting.append(call)
        self.pump()
    }

    private func pump() {
        while !self.waiting.isEmpty {
            let connection = self.connection ?? self.open()
            guard connection.isOpenForMore else { return }
            connection.send(self.waiting.removeFirst())
        }
    }

    private func open() -> HTTP2Connection {
        let connection = HTTP2Connection(self.server, self.rules, on: self.reactor)
        self.connection = connection
        connection.start { [weak self, unowned connection] in self?.changed(connection, $0) }
        return connection
    }

    private func changed(_ connection: HTTP2Connection, _ change: HTTP2Connection.Change) {
        switch change {
        case .room: break
        case .unprocessed(let call):
            if call.mayTryAgain {
                self.waiting.insert(call, at: 0)
            } else {
                call.finish(.failure(.http2(.unprocessed)))
            }
        case .goingAway: if self.connection === connection { self.connection = nil }
        case .ended(let failure): self.ended(connection, failure)
        }
        self.pump()
    }

    private func ended(_ connection: HTTP2Connection, _ failure: LinkFailure) {
        guard self.connection === connection else { return }
        self.connection = nil
        // A server that hangs up on everybody is not asked for ever.
        let calls = self.waiting
        self.waiting = connection.wasEstablished ? calls.filter(\.mayTryAgain) : []
        for call in calls where !self.waiting.contains(where: { $0 === call }) { call.finish(.failure(failure)) }
    }

    /// The time is up.
    private func giveUp(_ call: HTTP2Call) {
        self.waiting.removeAll { $0 === call }
        call.connection?.giveUp(call)
        self.pump()
    }
}

/// One request, and whoever waits for its answer.
final class HTTP2Call {
    let request: HTTP2Request
    private let reactor: Reactor
    private var completion: ((HTTP2Client.Outcome) -> Void)?
    private var timer: TimerToken?
    private var attempts = 0
    weak var connection: HTTP2Connection?

    private static let maximumAttempts = 3

    init(_ request: HTTP2Request, on reactor: Reactor, _ completion: @escaping (HTTP2Client.Outcome) -> Void) {
        self.request = request
        self.reactor = reactor
        self.completion = completion
    }

    func start(_ timeout: Duration, _ giveUp: @escaping () -> Void) {
        self.timer = self.reactor.schedule(after: timeout) {
            self.timer = nil
            giveUp()
            self.finish(.failure(.connectTimedOut(after: timeout)))
        }
    }

    /// Counts the attempt.
    var mayTryAgain: Bool {
        self.attempts += 1
        return self.attempts < Self.maximumAttempts
    }

    func finish(_ outcome: HTTP2Client.Outcome) {
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        self.completion.take()?(outcome)
    }
}
