internal import CUV

extension Reactor {
    /// Does `work` on a helper thread, where it may block, and hands the result to `completion` on this loop.
    ///
    /// libuv keeps four such threads for the whole process; what takes seconds belongs elsewhere.
    package func offload<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value, completion: @escaping (Value) -> Void
    ) {
        let job = Job(work, completion)
        unsafe job.request.pointee.data = unsafe Unmanaged.passRetained(job as AnyJob).toOpaque()
        let code = unsafe uv_queue_work(self.uv, job.request, AnyJob.run, AnyJob.finish)
        precondition(code == 0, "uv_queue_work refused a job that has a body")
    }
}

/// What travels to the helper thread and back.
@safe class AnyJob {
    let request = UnsafeMutablePointer<uv_work_t>.allocate(capacity: 1)

    deinit {
        unsafe self.request.deallocate()
    }

    func work() {}
    func complete() {}

    static let run: uv_work_cb = { request in
        guard let data = unsafe request?.pointee.data else { return }
        unsafe Unmanaged<AnyJob>.fromOpaque(data).takeUnretainedValue().work()
    }

    /// A cancelled job never ran, so it has nothing to bring.
    static let finish: uv_after_work_cb = { request, status in
        guard let data = unsafe request?.pointee.data else { return }
        let job = unsafe Unmanaged<AnyJob>.fromOpaque(data).takeRetainedValue()
        if status == 0 { job.complete() }
    }
}

private final class Job<Value: Sendable>: AnyJob {
    private let body: @Sendable () -> Value
    private let completion: (Value) -> Void
    private var result: Value?

    init(_ body: @escaping @Sendable () -> Value, _ completion: @escaping (Value) -> Void) {
        self.body = body
        self.completion = completion
    }

    override func work() { self.result = self.body() }

    override func complete() {
        if let result = self.result { self.completion(result) }
    }
}
