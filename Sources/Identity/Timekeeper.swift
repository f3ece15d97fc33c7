internal import System
package import Vocabulary

/// Tells both times: the one people mean, and the one to measure with. Tests bring their own.
package struct Timekeeper: Sendable {
    package let wall: @Sendable () -> WallTime
    package let steady: @Sendable () -> Instant

    package init(wall: @escaping @Sendable () -> WallTime, steady: @escaping @Sendable () -> Instant) {
        self.wall = wall
        self.steady = steady
    }

    package static let system = Timekeeper(
        wall: { WallTime(milliseconds: KernelClock.realTime / 1_000_000) },
        steady: { Instant(nanoseconds: KernelClock.monotonic) }
    )
}
