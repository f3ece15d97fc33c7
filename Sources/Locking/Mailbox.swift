#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Hands values to one thread that waits for them, in their order, and never more than it may hold.
@safe package final class Mailbox<Element: Sendable>: @unchecked Sendable {
    // Unchecked because the compiler cannot see that the mutex guards every touch of `waiting` and `isClosed`.
    private var waiting: [Element] = []
    private var isClosed = false
    private let limit: Int
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>

    package enum Refusal: Error, Hashable, Sendable { case full, closed }

    package init(limit: Int) {
        self.limit = limit
        unsafe self.mutex = .allocate(capacity: 1)
        unsafe self.changed = .allocate(capacity: 1)
        unsafe self.mutex.initialize(to: pthread_mutex_t())
        unsafe self.changed.initialize(to: pthread_cond_t())
        let code = unsafe pthread_mutex_init(self.mutex, nil) | pthread_cond_init(self.changed, nil)
        precondition(code == 0, "a mailbox could not be made")
    }

    deinit {
        unsafe pthread_cond_destroy(self.changed)
        unsafe pthread_mutex_destroy(self.mutex)
        unsafe self.changed.deallocate()
        unsafe self.mutex.deallocate()
    }

    package func post(_ element: Element) throws(Refusal) {
        unsafe pthread_mutex_lock(self.mutex)
        defer { unsafe pthread_mutex_unlock(self.mutex) }
        guard !self.isClosed else { throw .closed }
        guard self.waiting.count < self.limit else { throw .full }
        self.waiting.append(element)
        if self.waiting.count == 1 { unsafe pthread_cond_signal(self.changed) }
    }

    /// Everything that came since the last time. Waits when that is nothing; nil when nothing will ever come.
    package func takeAll() -> [Element]? {
        unsafe pthread_mutex_lock(self.mutex)
        defer { unsafe pthread_mutex_unlock(self.mutex) }
        while self.waiting.isEmpty, !self.isClosed { unsafe pthread_cond_wait(self.changed, self.mutex) }
        guard !self.waiting.isEmpty else { return nil }
        defer { self.waiting = [] }
        return self.waiting
    }

    /// Nothing more is taken in; what waits is still handed out.
    package func close() {
        unsafe pthread_mutex_lock(self.mutex)
        self.isClosed = true
        unsafe pthread_cond_broadcast(self.changed)
        unsafe pthread_mutex_unlock(self.mutex)
    }
}
