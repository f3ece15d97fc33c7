internal import CUV

extension Reactor {
    /// Does `work` on a helper thread, where it may block, and hands the result to `completion` on this loop.
    ///
    /// libuv keeps four such threads for the whole process; what takes seconds belongs elsewhere.
    package func offload<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value, completion: @escaping (Value) -> Void
    ) {
        let errand = Errand(work, completion)
        unsafe errand.request.pointee.data = unsafe Unmanaged.passRetained(errand as AnyErrand).toOpaque()
        let code = unsafe uv_queue_work(self.uv, errand.request, AnyErrand.goOut, AnyErrand.comeHome)
        precondition(code == 0, "uv_queue_work refused an errand that has a body")
    }
}

/// What travels to the helper thread and back.
@safe class AnyErrand {
    let request = UnsafeMutablePointer<uv_work_t>.allocate(capacity: 1)

    deinit {
        unsafe self.request.deallocate()
    }

    func work() {}
    func complete() {}

    static let goOut: uv_work_cb = { request in
        guard let data = unsafe request?.pointee.data else { return }
        unsafe Unmanaged<AnyErrand>.fromOpaque(data).takeUnretainedValue().work()
    }

    /// A cancelled errand never ran, so it has nothing to bring.
    static let comeHome: uv_after_work_cb = { request, status in
        guard let data = unsafe request?.pointee.data else { return }
        let errand = unsafe Unmanaged<AnyErrand>.fromOpaque(data).takeRetainedValue()
        if status == 0 { errand.complete() }
    }
}

private final class Errand<Value: Sendable>: AnyErrand {
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
