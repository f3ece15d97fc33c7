internal import System

/// One thread for work that waits for disks and children, and a queue in front of it: loops have better to do, and there
/// are too few helper threads for what takes seconds.
package final class Workbench: Sendable {
    package typealias Job = @Sendable () -> Void

    private let jobs: Mailbox<Job>

    /// - Parameter limit: how many jobs may wait.
    package init(limit: Int = 1000) throws(FileTrouble) {
        let jobs = Mailbox<Job>(limit: limit)
        self.jobs = jobs
        let hasStarted = Thread.start({ while let waiting = jobs.takeAll() { for job in waiting { job() } } }) {}
        guard hasStarted else { throw FileTrouble(.system(.wouldBlock), "a thread of one's own") }
    }

    deinit {
        self.jobs.close()
    }

    /// False when too many wait already; the job will not be done then.
    package func post(_ job: @escaping Job) -> Bool {
        do throws(Mailbox<Job>.Refusal) {
            try self.jobs.post(job)
            return true
        } catch {
            return false
        }
    }
}
