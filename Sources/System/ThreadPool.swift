/// Does many jobs on several threads of their own, each taking the next one that is not begun.
package enum ThreadPool {
    /// As many threads as there are cores.
    package static var defaultSize: Int { max(1, CurrentProcess.processorCount) }

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
        // When the system has no thread to give, the others do its share.
        let ends = (1..<max(1, min(threads, count))).compactMap { _ in
            let end = Gate()
            return Thread.start(work, atEnd: end.open) ? end : nil
        }
        work()
        for end in ends { end.wait() }
    }
}
