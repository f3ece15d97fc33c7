#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Starts threads of one's own, for what waits for a disk, a child or a person most of its life, or computes for seconds:
/// the threads that Swift's tasks share are not for that.
package enum Thread {
    private final class Body {
        private var run: (@Sendable () -> Void)?
        private let atEnd: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void, _ atEnd: @escaping @Sendable () -> Void) {
            self.run = run
            self.atEnd = atEnd
        }

        func live() {
            self.run?()
            self.run = nil
            self.atEnd()
        }
    }

    /// False when the system has no thread to give.
    /// - Parameter atEnd: called when `run` came back and all that it held is gone.
    package static func start(
        _ run: @escaping @Sendable () -> Void, atEnd: @escaping @Sendable () -> Void
    ) -> Bool {
        let body = unsafe Unmanaged.passRetained(Body(run, atEnd))
        #if canImport(Glibc)
        var thread = pthread_t()
        let code = unsafe pthread_create(&thread, nil, { unsafe Thread.enter($0) }, body.toOpaque())
        #else
        var thread: pthread_t?
        let code = unsafe pthread_create(&thread, nil, { unsafe Thread.enter($0) }, body.toOpaque())
        #endif
        guard code == 0 else {
            unsafe body.release()
            return false
        }
        #if canImport(Glibc)
        pthread_detach(thread)
        #else
        if let thread = unsafe thread { unsafe pthread_detach(thread) }
        #endif
        return true
    }

    /// From now on the calling thread gives way to all others of the machine that have something to do. Where a sandbox does not
    /// let it, it stays as it is.
    package static func giveWay() {
        #if canImport(Glibc)
        // Linux changes the calling thread alone, whatever POSIX says of processes.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.leastHurry)
        #else
        _ = setpriority(PRIO_DARWIN_THREAD, 0, PRIO_DARWIN_BG)
        #endif
    }

    private static let leastHurry: Int32 = 19

    private static func enter(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument = unsafe argument else { return nil }
        unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().live()
        return nil
    }
}
