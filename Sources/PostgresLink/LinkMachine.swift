package import Vocabulary

/// When to connect and when to wait, for a link that is to be up.
///
///     closed ──start──▶ connecting ──connected──▶ up
///                       ▲       └──failed──┐       │ broken
///                       └──timeCame── waiting ◀────┘
///
/// Every state becomes closed by `close`. The waits double, from a tenth of a second to five seconds, and begin anew once the link
/// was up for longer than the longest of them: a server that lets us in and falls at once is not asked ten times a second.
package struct LinkMachine: Sendable {
    package enum State: Hashable, Sendable {
        case closed, connecting, waiting
        case up(since: Instant)
    }

    package enum Order: Hashable, Sendable {
        case connect
        case wait(Duration)
    }

    package private(set) var state = State.closed
    private var failures = 0

    package static let shortest = Duration.milliseconds(100)
    package static let longest = Duration.seconds(5)

    package init() {}

    /// Nil when it is under way already.
    package mutating func start() -> Order? {
        guard self.state == .closed else { return nil }
        self.state = .connecting
        return .connect
    }

    package mutating func connected(at now: Instant) {
        guard self.state == .connecting else { return }
        self.state = .up(since: now)
    }

    /// - Parameter jitter: from 0 to 1, so that many who lost the same server do not come back at once.
    package mutating func failed(jitter: Double) -> Order? {
        guard self.state == .connecting else { return nil }
        return self.waitOrder(jitter)
    }

    package mutating func broken(at now: Instant, jitter: Double) -> Order? {
        guard case .up(let since) = self.state else { return nil }
        if now > since + Self.longest { self.failures = 0 }
        return self.waitOrder(jitter)
    }

    package mutating func timeCame() -> Order? {
        guard self.state == .waiting else { return nil }
        self.state = .connecting
        return .connect
    }

    package mutating func close() {
        self.state = .closed
        self.failures = 0
    }

    /// From half of the wait to all of it.
    private mutating func waitOrder(_ jitter: Double) -> Order {
        self.state = .waiting
        let wait = min(Self.longest, Self.shortest * (1 << min(self.failures, 16)))
        self.failures += 1
        return .wait(wait * (0.5 + min(max(jitter, 0), 1) / 2))
    }
}
