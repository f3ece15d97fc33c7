package import Vocabulary

#if canImport(Glibc)
package import Glibc
#else
package import Darwin
#endif

/// The time of day as whatever runs in this task sees it, for libraries that read it behind our back: OpenSSL decides by
/// it when a flight of DTLS is due again.
package enum VirtualTimeOfDay {
    @TaskLocal fileprivate static var now: Instant?

    /// Lets `body` believe that it is `now`, so many nanoseconds after the end of 2023.
    package static func at<Result>(_ now: Instant, _ body: () throws -> Result) rethrows -> Result {
        try self.$now.withValue(now, operation: body)
    }

    /// Whether libraries are told it here. Asking makes sure that the linker keeps what tells them.
    package static var isTold: Bool {
        var time = timeval()
        return self.at(Instant(milliseconds: 0)) { unsafe gettimeofday(&time, nil) } == 0 && time.tv_sec == self.origin
    }

    fileprivate static let origin = 1_704_000_000
}

#if os(Linux)
// A program's own function goes before that of the C library, for the libraries it loads as well. Elsewhere libraries are
// bound to the one they were made with, and tests in virtual time do without repetitions.
@_cdecl("gettimeofday")
package func readVirtualTimeOfDay(_ time: UnsafeMutablePointer<timeval>?, _ zone: UnsafeMutableRawPointer?) -> CInt {
    var moment = timespec()
    if let now = VirtualTimeOfDay.now {
        let (seconds, nanoseconds) = now.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        moment = timespec(tv_sec: VirtualTimeOfDay.origin + Int(seconds), tv_nsec: Int(nanoseconds))
    } else {
        guard clock_gettime(CLOCK_REALTIME, &moment) == 0 else { return -1 }
    }
    time?.pointee = timeval(tv_sec: moment.tv_sec, tv_usec: moment.tv_nsec / 1000)
    return 0
}
#endif
