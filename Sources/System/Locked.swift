#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A value behind one mutex.
///
/// A plain `pthread_mutex_t`, because the thread sanitizer of this toolchain reports races that are
/// none inside `Synchronization.Mutex`.
@safe package final class Locked<Value>: @unchecked Sendable {
    // Unchecked because the compiler cannot see that the mutex guards every touch of `value`.
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ value: sending Value) {
        self.value = value
        unsafe self.mutex = .allocate(capacity: 1)
        unsafe self.mutex.initialize(to: pthread_mutex_t())
        let code = unsafe pthread_mutex_init(self.mutex, nil)
        precondition(code == 0, "pthread_mutex_init failed with \(code)")
    }

    deinit {
        unsafe pthread_mutex_destroy(self.mutex)
        unsafe self.mutex.deallocate()
    }

    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(self.mutex)
        defer { unsafe pthread_mutex_unlock(self.mutex) }
        return try body(&self.value)
    }
}
