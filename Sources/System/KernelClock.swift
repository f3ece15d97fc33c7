#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The clocks of the system, in nanoseconds.
package enum KernelClock {
    /// Since 1970; it is set now and then.
    package static var realTime: Int64 { self.read(CLOCK_REALTIME) }

    /// Never set; whether it goes on while the machine sleeps is the system's affair.
    package static var monotonic: Int64 { self.read(CLOCK_MONOTONIC) }

    /// Never set, and goes on while the machine sleeps.
    package static var sinceBoot: Int64 {
        #if canImport(Glibc)
        self.read(CLOCK_BOOTTIME)
        #else
        self.read(CLOCK_MONOTONIC)
        #endif
    }

    /// What this process has used of its processors, in user and system mode.
    package static var processorTime: Int64 { self.read(CLOCK_PROCESS_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
