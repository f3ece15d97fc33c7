internal import Vocabulary

/// What a bad network does to packets, for trials on a good one: a share is lost, the others come up to so much late and
/// overtake each other.
package struct NetworkImpairment: Hashable, Sendable {
    /// From 0 to 1.
    package var loss = 0.0
    package var jitter = Duration.zero

    package init() {}

    package var isNone: Bool { self.loss <= 0 && self.jitter <= .zero }

    /// How much later the next packet leaves; nil when it is lost.
    func delay(using random: inout some RandomNumberGenerator) -> Duration? {
        if Double.random(in: 0..<1, using: &random) < self.loss { return nil }
        guard self.jitter > .zero else { return .zero }
        return .nanoseconds(Int64.random(in: 0...self.jitter.clampedNanoseconds, using: &random))
    }
}
