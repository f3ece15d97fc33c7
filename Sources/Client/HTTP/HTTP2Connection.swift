internal import HTTP2
internal import HTTPServer
internal import Reactor

/// One connection that speaks HTTP/2, from the name's address to its end.
///
///     connecting ──▶ open ──▶ going away ──▶ ended
///          └───────────┴────────────────────────┘
final class HTTP2Connection: StreamHandler {
    enum Change {
        /// More requests may go.
        case room
        /// The server has not looked at it.
        case unprocessed(HTTP2Call)
        /// No more requests may go; those under way are answered still.
        case goingAway
        case ended(LinkFailure)
    }

    private let server: ServerURL
    private let rules: HTTPCallRules
    private let reactor: Reactor
    private var changed: ((Change) -> Void)?
    private var dialer: ServerDialer?
    private var stream: (any ByteStream)?
    private var session: HTTP2Session?
    private var calls: [Int32: HTTP2Call] = [:]
    private var alarm: TimerToken?
    private var isGoingAway = false
    /// Whether something came since the last look.
    private var wasHeard = false
    private(set) var wasEstablished = false

    private static let timeout = Duration.seconds(15)
    private static let lookInterval = Duration.seconds(20)

    init(_ server: ServerURL, _ rules: HTTPCallRules, on reactor: Reactor) {
        self.server = server
        self.rules = rules
        self.reactor = reactor
    }

    /// Lives until `changed` was told that it ended.
    func start(_ changed: @escaping (Change) -> Void) {
        self.changed = changed
        self.alarm = self.reactor.schedule(after: Self.timeout) {
            self.alarm = nil
            self.end(.connectTimedOut(after: Self.timeout))
        }
        let dialer = ServerDialer(
            self.server, self.rules, on: self.reactor, timeout: Self.timeout + .seconds(1),
            opened: { self.opened($0) }, failed: { self.end($0) })
        self.dialer = dialer
        dialer.start()
    }

    var isOpenForMore: Bool { self.wasEstablished && !self.isGoingAway && (self.session?.room ?? 0) > 0 }

    func send(_ call: HTTP2Call) {
        guard let session = self.session else { return }
        do throws(HTTP2Error) {
            self.calls[try session.send(call.request)] = call
            call.connection = self
        } catch {
            return call.finish(.failure(.http2(error)))
        }
        self.flush()
    }

    /// Nobody waits for it any more. Where nothing at all was heard, nothing else will be either.
    func giveUp(_ call: HTTP2Call) {
        guard let id = self.calls.first(where: { $0.value === call })?.key else { return }
        self.calls[id] = nil
        self.session?.cancel(id)
        if self.wasHeard { self.flush() } else { self.end(.silence) }
    }

    private func opened(_ stream: any ByteStream) -> any StreamHandler {
        self.stream = stream
        guard let tls = stream as? TLSStream else {
            self.established()
            return self
        }
        tls.established = { [weak self, unowned tls] in
            guard tls.applicationProtocol == HTTPCallRules.http2 else { self?.end(.http2(.notSpoken)); return }
            self?.established()
        }
        return self
    }

    private func established() {
        guard self.changed != nil, !self.wasEstablished else { return }
        do throws(HTTP2Error) {
            self.session = try HTTP2Session()
        } catch {
            return self.end(.http2(error))
        }
        self.wasEstablished = true
        self.look()
        self.flush()
        self.changed?(.room)
    }

    /// A connection on which nothing comes is asked whether it is still there.
    private func look() {
        if let alarm = self.alarm.take() { self.reactor.cancel(alarm) }
        guard let session = self.session, self.changed != nil else { return }
        self.alarm = self.reactor.schedule(after: Self.lookInterval) { [weak self] in
            guard let self else { return }
            self.alarm = nil
            session.restoreAllowance()
            if !self.wasHeard {
                guard !session.isPinging else { return self.end(.silence) }
                session.ping()
                self.flush()
            }
            self.wasHeard = false
            self.look()
        }
    }

    private func end(_ failure: LinkFailure) {
        guard let changed = self.changed.take() else { return }
        if let alarm = self.alarm.take() { self.reactor.cancel(alarm) }
        self.dialer.take()?.cancel()
        let stream = self.stream.take()
        // Of a server that breaks the rules nothing more is read.
        if case .http2 = failure { stream?.abort() } else { stream?.close() }
        let calls = self.calls
        (self.calls, self.session) = ([:], nil)
        changed(.ended(failure))
        for (_, call) in calls.sorted(by: { $0.key < $1.key }) { call.finish(.failure(failure)) }
    }
}

// MARK: - What comes

extension HTTP2Connection {
    func received(_ bytes: inout MutableSpan<UInt8>) {
        self.wasHeard = true
        guard let session = self.session else { return }
        do throws(HTTP2Error) {
            self.take(try session.receive(bytes.span))
        } catch {
            return self.end(.http2(error))
        }
        self.flush()
        self.settle()
    }

    private func flush() {
        guard let session = self.session, let stream = self.stream else { return }
        do throws(HTTP2Error) {
            self.take(try session.takeOutput { stream.write($0) })
        } catch {
            self.end(.http2(error))
        }
    }

    private func take(_ events: [HTTP2Session.Event]) {
        for event in events {
            guard let call = self.calls.removeValue(forKey: event.stream) else { continue }
            switch event.outcome {
            case .success(let answer):
                call.finish(.success(.init(status: answer.status, fields: answer.fields, body: answer.body)))
            case .failure(.unprocessed): self.changed?(.unprocessed(call))
            case .failure(let error): call.finish(.failure(.http2(error)))
            }
        }
    }

    /// What has become of the connection itself.
    private func settle() {
        guard let session = self.session else { return }
        if session.isGoingAway, !self.isGoingAway {
            self.isGoingAway = true
            self.changed?(.goingAway)
        }
        if !session.isUsable {
            return self.end(session.isGoingAway ? .closedByServer(nil) : .http2(.broken("what came is no HTTP/2")))
        }
        self.changed?(.room)
    }

    func peerFinished() { self.end(.closedByServer(nil)) }
    func drained() {}

    func ended(_ end: StreamEnd) {
        guard let stream = self.stream else { return }
        self.end(end.failure(of: stream))
    }
}
