internal import System
package import Vocabulary

/// One thread for work that waits for disks and children, and a queue in front of it: loops have better to do, and there
/// are too few helper threads for what takes seconds. Users take turns.
package final class Workbench: Sendable {
    package typealias Job = @Sendable () -> Void

    private let jobs: FairMailbox<UserID?, Job>

    /// - Parameter limit: how many jobs may wait, of all and of one user.
    package init(limit: Int = 1000, ofUser limitOfUser: Int = 1000) throws(FileTrouble) {
        let jobs = FairMailbox<UserID?, Job>(limit: limit, ofSender: limitOfUser)
        self.jobs = jobs
        let hasStarted = Thread.start({ while let job = jobs.take() { job() } }) {}
        guard hasStarted else { throw FileTrouble(.system(.wouldBlock), "a thread of one's own") }
    }

    deinit {
        self.jobs.close()
    }

    /// False when too many wait already; the job will not be done then.
    package func post(from user: UserID? = nil, _ job: @escaping Job) -> Bool {
        do throws(FairMailbox<UserID?, Job>.Refusal) {
            try self.jobs.post(job, from: user)
            return true
        } catch {
            return false
        }
    }
}
