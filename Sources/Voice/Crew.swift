#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif
import Locking

/// Does many jobs on several threads, each taking the next that has not begun.
///
/// Threads of their own, because a job computes for seconds and waits for files: the pool that Swift's
/// tasks share is not for that.
package enum Crew {
    /// As many as there are cores.
    package static var usualSize: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Calls `job` with 0 to `count` - 1 and returns when all are done.
    package static func run(_ count: Int, threads: Int, _ job: @escaping @Sendable (Int) -> Void) {
        let next = Locked(0)
        let work: @Sendable () -> Void = {
            while true {
                let index = next.withLock { next in
                    defer { next += 1 }
                    return next
                }
                guard index < count else { return }
                job(index)
            }
        }
        let helpers = (1..<max(1, min(threads, count))).compactMap { _ in Helper(work) }
        work()
        for helper in helpers { helper.join() }
    }
}

/// One thread that does one thing.
private struct Helper {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    private let thread: pthread_t

    /// Nil when the system has no thread to give: the others then do its share.
    init?(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let work = unsafe Unmanaged.passRetained(Work(body))
        let code = unsafe pthread_create(&thread, nil, Self.start, work.toOpaque())
        guard code == 0 else {
            unsafe work.release()
            return nil
        }
        self.thread = thread
    }

    func join() { pthread_join(self.thread, nil) }

    #if canImport(Glibc)
    private static let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        if let context = unsafe context { unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
        return nil
    }
    #else
    private static let start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { context in
        unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
        return nil
    }
    #endif
}
