package import Vocabulary

/// What one node hears from another one alone, in the order of the numbers, each once, whichever way it came: what is early waits for what lies
/// before it, and for the changes that its sender knew of.
package struct ReceiveWindow {
    package private(set) var series: UInt64 = 0
    /// The last number that was told.
    package private(set) var last: UInt64 = 0
    /// How many numbers were never heard.
    package private(set) var missed: UInt64 = 0
    private var early: [UInt64: Early] = [:]
    private var earlyBytes = 0

    private struct Early {
        let message: NodeMessage
        let came: Instant
    }

    /// What did not come by then is lost.
    package static let gapTimeout = Duration.milliseconds(1_500)
    /// A change that did not come by then is not waited for: what it was about may be gone.
    package static let changeTimeout = Duration.milliseconds(500)
    package static let mostEarly = 2_048
    package static let maximumEarlyBytes = 16 << 20

    package init() {}

    private init(series: UInt64, missed: UInt64) {
        self.series = series
        self.missed = missed
    }

    /// True when it is the next one and may be told now; else it waits, or was heard before.
    ///
    /// - Parameter hasReached: whether everything up to a position was carried out here.
    package mutating func received(
        _ message: NodeMessage, at now: Instant, hasReached: (LedgerPosition) -> Bool
    ) -> Bool {
        if message.series > self.series { self = Self(series: message.series, missed: self.missed) }
        guard message.series == self.series, message.number > self.last else { return false }
        if message.number == self.last + 1, self.early.isEmpty, hasReached(message.position) {
            self.last += 1
            return true
        }
        guard self.early[message.number] == nil, self.early.count < Self.mostEarly,
            self.earlyBytes + message.body.count <= Self.maximumEarlyBytes
        else { return false }
        self.early[message.number] = Early(message: message, came: now)
        self.earlyBytes += message.body.count
        return false
    }

    /// The next one of those that waited.
    package mutating func next(at now: Instant, hasReached: (LedgerPosition) -> Bool) -> NodeMessage? {
        if self.early[self.last + 1] == nil { self.skip(at: now) }
        guard let next = self.early[self.last + 1],
            hasReached(next.message.position) || next.came + Self.changeTimeout <= now
        else { return nil }
        self.last += 1
        self.early[self.last] = nil
        self.earlyBytes -= next.message.body.count
        return next.message
    }

    /// What lies before all that are here is no longer waited for.
    private mutating func skip(at now: Instant) {
        guard let first = self.early.keys.min(), let came = self.early[first]?.came, came + Self.gapTimeout <= now
        else { return }
        self.missed &+= first - self.last - 1
        self.last = first - 1
    }

    /// When to ask again, if nothing else happens before; nil where nothing waits.
    package var deadline: Instant? {
        if let next = self.early[self.last + 1] { return next.came + Self.changeTimeout }
        return self.early.min { $0.key < $1.key }.map { $0.value.came + Self.gapTimeout }
    }
}
