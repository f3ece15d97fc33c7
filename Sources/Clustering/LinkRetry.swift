package import Vocabulary

/// When a node that was not reached is tried again: after one second, then two, four and so on up to half a minute.
package struct LinkRetry {
    private var failures = 0
    private var next: Instant?

    package static let first = Duration.seconds(1)
    package static let longest = Duration.seconds(30)

    package init() {}

    package func isDue(at now: Instant) -> Bool { self.next.map { $0 <= now } ?? true }

    package mutating func failed(at now: Instant) {
        self.next = now + min(Self.first * (1 << min(self.failures, 10)), Self.longest)
        self.failures += 1
    }

    package mutating func succeeded() { self = LinkRetry() }
}
