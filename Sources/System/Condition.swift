#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A mutex, and threads that wait for what it guards to change.
@safe struct Condition: ~Copyable, @unchecked Sendable {
    // Unchecked because both pointers are to what the system itself makes safe to share.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        unsafe self.mutex.initialize(to: pthread_mutex_t())
        unsafe self.changed.initialize(to: pthread_cond_t())
        let code = unsafe pthread_mutex_init(self.mutex, nil) | Self.initialize(self.changed)
        precondition(code == 0, "a mutex or a condition could not be made")
    }

    deinit {
        unsafe pthread_cond_destroy(self.changed)
        unsafe pthread_mutex_destroy(self.mutex)
        unsafe self.changed.deallocate()
        unsafe self.mutex.deallocate()
    }

    borrowing func lock() { unsafe pthread_mutex_lock(self.mutex) }
    borrowing func unlock() { unsafe pthread_mutex_unlock(self.mutex) }
    /// Lets go of the mutex until one of the signals comes.
    borrowing func wait() { unsafe pthread_cond_wait(self.changed, self.mutex) }
    /// Returns after the timeout as well.
    borrowing func wait(timeout: Duration) {
        let (seconds, attoseconds) = max(.zero, timeout).components
        var nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        #if canImport(Glibc)
        nanoseconds += KernelClock.monotonic
        #endif
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        #if canImport(Glibc)
        unsafe pthread_cond_timedwait(self.changed, self.mutex, &time)
        #else
        unsafe pthread_cond_timedwait_relative_np(self.changed, self.mutex, &time)
        #endif
    }

    borrowing func signal() { unsafe pthread_cond_signal(self.changed) }
    borrowing func broadcast() { unsafe pthread_cond_broadcast(self.changed) }

    /// Its timeouts are by the monotonic clock: the wall clock may be set.
    private static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Int32 {
        #if canImport(Glibc)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        defer { unsafe pthread_condattr_destroy(&attributes) }
        return unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            | pthread_cond_init(condition, &attributes)
        #else
        return unsafe pthread_cond_init(condition, nil)
        #endif
    }
}
