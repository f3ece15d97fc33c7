import Client
import Reactor
import TestSupport
import Testing
import Vocabulary

/// A session whose server is the test and whose clock is moved by hand.
final class ClientScene {
    typealias Order = ClientOutbox.Order

    private var session: ClientSession
    private(set) var now = Instant(milliseconds: 1000)

    static let member = "MEMBERMEMBERMEMBER01"
    static let opening =
        #"0{"sid":"ENGINEENGINEENGINE01","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#

    init(_ change: (inout ClientSettings) -> Void = { _ in }) {
        var settings = ClientSettings()
        settings.backOff.jitter = 0
        change(&settings)
        self.session = ClientSession(token: "the token", settings: settings, random: SeededRandom(seed: 7))
    }

    var isOnline: Bool { self.session.isOnline }
    var hasDeadline: Bool { self.session.nextDeadline != nil }

    func start() -> [Order] { self.collect { $0.start(at: $1, &$2) } }
    func stop() -> [Order] { self.collect { session, _, outbox in session.stop(&outbox) } }
    func lose(_ failure: LinkFailure = .closedByServer(nil)) -> [Order] {
        self.collect { $0.transportEnded(failure, at: $1, &$2) }
    }

    func hear(_ frame: String) -> [Order] {
        let bytes = Array(frame.utf8)
        return self.collect { $0.received(bytes.span, at: $1, &$2) }
    }

    func open() { self.session.transportOpened() }
    func renew(token: String) { self.session.renew(token: token) }

    /// The number of the request, and what it led to.
    func ask(_ name: String, _ json: String = "{}") throws -> (id: Int, orders: [Order]) {
        let argument = try #require(RawJSON(json))
        var outbox = ClientOutbox()
        let id = try self.session.request(name, argument, at: self.now, &outbox)
        return (id, outbox.orders)
    }

    /// Time passes, and every deadline on the way is kept.
    func wait(_ duration: Duration) -> [Order] {
        let end = self.now + duration
        var orders: [Order] = []
        while let deadline = self.session.nextDeadline, deadline <= end {
            self.now = max(self.now, deadline)
            orders += self.collect { $0.clockAdvanced(to: $1, &$2) }
        }
        self.now = end
        return orders
    }

    /// From a dial to being in; says what the last step led to.
    @discardableResult
    func getIn(key: String? = "the key") -> [Order] {
        self.open()
        _ = self.hear(Self.opening)
        let pid = key.map { #","pid":"\#($0)""# } ?? ""
        return self.hear(#"40{"sid":"\#(Self.member)"\#(pid)}"#)
    }

    private func collect(_ body: (inout ClientSession, Instant, inout ClientOutbox) -> Void) -> [Order] {
        var outbox = ClientOutbox()
        body(&self.session, self.now, &outbox)
        return outbox.orders
    }
}

extension ClientOutbox.Order {
    static func send(text: String) -> Self { .send(Array(text.utf8)) }
}
