package import Vocabulary

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Tells both times: the one people mean, and the one to measure with. Tests bring their own.
package struct Timekeeper: Sendable {
    package let wall: @Sendable () -> WallTime
    package let steady: @Sendable () -> Instant

    package init(wall: @escaping @Sendable () -> WallTime, steady: @escaping @Sendable () -> Instant) {
        self.wall = wall
        self.steady = steady
    }

    package static let system = Timekeeper(
        wall: { WallTime(milliseconds: Self.read(CLOCK_REALTIME) / 1_000_000) },
        steady: { Instant(nanoseconds: Self.read(CLOCK_MONOTONIC)) }
    )

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
