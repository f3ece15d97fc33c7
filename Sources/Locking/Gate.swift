#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Holds threads until it is opened, once and for all.
@safe package final class Gate: @unchecked Sendable {
    // Unchecked because the compiler cannot see that the mutex guards every touch of `isOpen`.
    private var isOpen = false
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let opened: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        unsafe self.mutex = .allocate(capacity: 1)
        unsafe self.opened = .allocate(capacity: 1)
        unsafe self.mutex.initialize(to: pthread_mutex_t())
        unsafe self.opened.initialize(to: pthread_cond_t())
        let code = unsafe pthread_mutex_init(self.mutex, nil) | pthread_cond_init(self.opened, nil)
        precondition(code == 0, "a gate could not be made")
    }

    deinit {
        unsafe pthread_cond_destroy(self.opened)
        unsafe pthread_mutex_destroy(self.mutex)
        unsafe self.opened.deallocate()
        unsafe self.mutex.deallocate()
    }

    package func open() {
        unsafe pthread_mutex_lock(self.mutex)
        self.isOpen = true
        unsafe pthread_cond_broadcast(self.opened)
        unsafe pthread_mutex_unlock(self.mutex)
    }

    package func wait() {
        unsafe pthread_mutex_lock(self.mutex)
        while !self.isOpen { unsafe pthread_cond_wait(self.opened, self.mutex) }
        unsafe pthread_mutex_unlock(self.mutex)
    }
}
