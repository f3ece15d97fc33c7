internal import CSockets
internal import CUV
internal import System

/// Wakes a loop from any thread.
///
/// libuv's own (`uv_async`) lets a loop that wakes up wait for its waker to say that it is done, turning round: with both on one core that
/// took a tenth of the loop's time, since the waker is kept from the core by just that.
struct WakeUp: Sendable {
    /// What the loop waits for, and what others write to; on Linux they are the same.
    fileprivate let (inner, outer): (Int32, Int32)

    init() throws(ReactorError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe parley_open_wake_up(&ends) == 0 else {
            throw ReactorError(.start, code: SystemSocket.lastError, "what wakes a loop")
        }
        (self.inner, self.outer) = (ends[0], ends[1])
    }

    /// Many in a row wake it once.
    func send() { parley_wake_up(self.outer) }

    /// Only when nobody can send any more.
    func close() {
        SystemSocket.close(self.inner)
        if self.outer != self.inner { SystemSocket.close(self.outer) }
    }
}

/// The loop's end of it.
@safe final class WakeUpWatch: HandleOwner {
    private let wakeUp: WakeUp
    private let handle: UnsafeMutablePointer<uv_poll_t>
    private let woken: () -> Void

    init(_ wakeUp: WakeUp, on uv: UnsafeMutablePointer<uv_loop_t>, _ woken: @escaping () -> Void) throws(ReactorError) {
        self.wakeUp = wakeUp
        self.woken = woken
        unsafe self.handle = .allocate(capacity: 1)
        super.init()
        let code = unsafe uv_poll_init(uv, self.handle, wakeUp.inner)
        guard code == 0 else { throw ReactorError(.watch, code: code) }
        unsafe self.handle.pointee.data = unsafe Unmanaged.passRetained(self as HandleOwner).toOpaque()
        unsafe uv_poll_start(self.handle, Int32(UV_READABLE.rawValue), WakeUpWatch.ready)
    }

    deinit {
        unsafe self.handle.deallocate()
    }

    private func ready() {
        parley_clear_wake_up(self.wakeUp.inner)
        self.woken()
    }

    private static let ready: uv_poll_cb = { handle, _, _ in
        guard let data = unsafe handle?.pointee.data else { return }
        unsafe Unmanaged<WakeUpWatch>.fromOpaque(data).takeUnretainedValue().ready()
    }

    override func loopEnds() {
        unsafe uv_poll_stop(self.handle)
        unsafe self.close(self.handle)
    }
}
