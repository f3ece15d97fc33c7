internal import CUV
internal import System

/// One thread that turns: the handle through which others reach it, and the executor of what lives on it.
///
/// An actor whose `unownedExecutor` is a loop runs on that loop's thread, and the loop's callbacks may call its
/// synchronous methods through `assumeIsolated` without a hop. Tasks that touch a loop are started with
/// `Task(executorPreference: loop)`; then their continuations come back without a detour.
@safe package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    // Unchecked because `local` and `reactor` belong to the loop's own thread and the compiler cannot see that.

    private enum Work {
        case job(UnownedJob)
        case call(@Sendable (Reactor) -> Void)
    }

    private struct Inbox {
        var work: [Work] = []
        /// The thread has ended.
        var isClosed = false
    }

    /// Its place among its siblings, from 0.
    package let index: Int

    /// Its thread gives way to all others.
    private let isBackground: Bool
    private let inbox = Locked(Inbox())
    private var local: [UnownedJob] = []
    private var batch: [Work] = []
    private var batchHead = 0
    /// What answers from other threads may take of one turn: they come in hundreds where hundreds have asked.
    private static let inboxNanoseconds: UInt64 = 1_000_000
    private var reactor: Reactor?
    private let wakeUp: WakeUp
    private let thread: UnsafeMutablePointer<uv_thread_t>
    /// Set by the thread itself before `init` returns, never changed after.
    private var threadID = uv_thread_t()

    package init(index: Int = 0, isBackground: Bool = false) throws(ReactorError) {
        self.index = index
        self.isBackground = isBackground
        self.wakeUp = try WakeUp()
        unsafe self.thread = .allocate(capacity: 1)
        try self.startThread()
    }

    deinit {
        self.wakeUp.close()
        unsafe self.thread.deallocate()
    }

    /// Whether the caller is on this loop's thread.
    package var isCurrent: Bool {
        var mine = uv_thread_self()
        return unsafe uv_thread_equal(&mine, &self.threadID) != 0
    }

    /// Runs `call` on the loop. Many calls from outside cost one wake-up; from the loop itself it runs this turn.
    /// Once the loop has ended nothing runs any more.
    package func execute(_ call: @escaping @Sendable (Reactor) -> Void) {
        self.enqueue(.call(call))
    }

    /// Waits for the thread to end. Never call it from the loop itself.
    package func join() {
        unsafe uv_thread_join(self.thread)
    }

    private func enqueue(_ work: Work) {
        let isFirst = self.inbox.withLock { inbox in
            guard !inbox.isClosed else { return false }
            inbox.work.append(work)
            return inbox.work.count == 1
        }
        // Behind the lock, for which the loop would only wait again.
        if isFirst { self.wakeUp.send() }
    }
}

extension EventLoop {
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if self.isCurrent { self.local.append(job) } else { self.enqueue(.job(job)) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

    package func checkIsolated() {
        precondition(self.isCurrent, "loop \(self.index) was expected to be the current one")
    }

    package func isIsolatingCurrentContext() -> Bool? { self.isCurrent }
}

extension EventLoop {
    /// What one starts and the other finds: lent for the time of `startThread`.
    private final class Startup {
        let loop: EventLoop
        var ready = uv_sem_t()
        var failure: ReactorError?

        init(_ loop: EventLoop) { self.loop = loop }
    }

    private func startThread() throws(ReactorError) {
        let startup = Startup(self)
        unsafe uv_sem_init(&startup.ready, 0)
        defer { unsafe uv_sem_destroy(&startup.ready) }
        let argument = unsafe Unmanaged.passUnretained(startup).toOpaque()
        let code = unsafe uv_thread_create(self.thread, EventLoop.threadBody, argument)
        guard code == 0 else { throw ReactorError(.start, code: code, "a loop's thread") }
        unsafe uv_sem_wait(&startup.ready)
        if let failure = startup.failure { throw failure }
    }

    private static let threadBody: uv_thread_cb = { argument in
        guard let argument = unsafe argument else { return }
        let startup = unsafe Unmanaged<Startup>.fromOpaque(argument).takeUnretainedValue()
        let loop = startup.loop
        loop.threadID = uv_thread_self()
        if loop.isBackground { Thread.giveWay() }
        let reactor = loop.makeReactor(reportingTo: startup)
        unsafe uv_sem_post(&startup.ready)
        reactor?.run()
        loop.closeInbox()
        loop.reactor = nil
    }

    /// What will not run any more is let go outside the lock, since that may ask for something itself.
    private func closeInbox() {
        var rest = Inbox(isClosed: true)
        self.inbox.withLock { swap(&$0, &rest) }
        self.batch = []
    }

    private func makeReactor(reportingTo startup: Startup) -> Reactor? {
        do throws(ReactorError) {
            let reactor = try Reactor(loop: self, wakeUp: self.wakeUp)
            self.reactor = reactor
            return reactor
        } catch {
            startup.failure = error
            return nil
        }
    }

    /// The loop's thread was woken: take over everything that was handed in, in its order.
    func drainInbox() {
        guard let reactor = self.reactor else { return }
        let isLeftOver = !self.batch.isEmpty
        if !isLeftOver { self.inbox.withLock { swap(&$0.work, &self.batch) } }
        let end = uv_hrtime() &+ Self.inboxNanoseconds
        while self.batchHead < self.batch.count {
            let work = self.batch[self.batchHead]
            self.batchHead += 1
            switch work {
            case .job(let job): self.run(job)
            case .call(let call): call(reactor)
            }
            // The rest keeps its order, behind the sockets that are ready.
            if self.batchHead < self.batch.count, uv_hrtime() > end { return self.wakeUp.send() }
        }
        self.batch.removeAll(keepingCapacity: self.batch.capacity <= 4096)
        self.batchHead = 0
        // What has come in the meantime woke the loop for what was left over.
        if isLeftOver { self.wakeUp.send() }
    }

    /// Runs what tasks and actors on this loop have to do now. Bounded, so that jobs that beget jobs cannot
    /// keep the sockets waiting; says whether any are left.
    func runLocalJobs(atMost rounds: Int = 64) -> Bool {
        for _ in 0..<rounds {
            guard !self.local.isEmpty else { return false }
            let jobs = self.local
            self.local.removeAll(keepingCapacity: true)
            for job in jobs { self.run(job) }
        }
        return !self.local.isEmpty
    }

    private func run(_ job: UnownedJob) {
        unsafe job.runSynchronously(
            isolatedTo: self.asUnownedSerialExecutor(),
            taskExecutor: self.asUnownedTaskExecutor()
        )
    }
}
