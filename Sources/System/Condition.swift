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
        let code = unsafe pthread_mutex_init(self.mutex, nil) | pthread_cond_init(self.changed, nil)
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
    borrowing func signal() { unsafe pthread_cond_signal(self.changed) }
    borrowing func broadcast() { unsafe pthread_cond_broadcast(self.changed) }
}
