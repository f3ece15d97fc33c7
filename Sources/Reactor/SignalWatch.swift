internal import CUV
package import System

/// Calls `body` on the loop whenever the process gets the signal.
@safe package final class SignalWatch: HandleOwner {
    private let handle: UnsafeMutablePointer<uv_signal_t>
    private let body: () -> Void
    private var isClosed = false

    package init(_ signal: Signal, on reactor: Reactor, _ body: @escaping () -> Void) throws(ReactorError) {
        unsafe self.handle = .allocate(capacity: 1)
        self.body = body
        super.init()
        unsafe uv_signal_init(reactor.uv, self.handle)
        unsafe self.handle.pointee.data = unsafe Unmanaged.passRetained(self as HandleOwner).toOpaque()
        let code = unsafe uv_signal_start(self.handle, SignalWatch.fired, signal.number)
        guard code == 0 else {
            self.close()
            throw ReactorError(.watch, code: code, "signal \(signal.number)")
        }
    }

    deinit {
        unsafe self.handle.deallocate()
    }

    private static let fired: uv_signal_cb = { handle, _ in
        guard let data = unsafe handle?.pointee.data else { return }
        unsafe Unmanaged<SignalWatch>.fromOpaque(data).takeUnretainedValue().body()
    }

    package func close() {
        guard !self.isClosed else { return }
        self.isClosed = true
        unsafe uv_signal_stop(self.handle)
        unsafe self.close(self.handle)
    }

    override func loopEnds() { self.close() }
}
