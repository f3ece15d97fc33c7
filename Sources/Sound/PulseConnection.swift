internal import CPulse
internal import System

/// A connection to the sound server. Nobody waits for it: what it has to do, it does when it is looked after.
@safe final class PulseConnection {
    enum State: Hashable, Sendable { case connecting, ready, failed(String) }

    private let library: PulseLibrary
    private let mainloop: OpaquePointer
    let context: OpaquePointer

    /// What one look may take care of; a server that tells more than that waits for the next.
    private static let maximumEvents = 200

    init() throws(SoundFailure) {
        guard let library = PulseLibrary.shared else { throw .noLibrary }
        let functions = unsafe library.functions
        guard let mainloop = unsafe functions.mainloop_new() else { throw .noServer("out of memory") }
        guard let context = unsafe functions.context_new(functions.mainloop_get_api(mainloop), "Parley") else {
            unsafe functions.mainloop_free(mainloop)
            throw .noServer("out of memory")
        }
        self.library = library
        unsafe self.mainloop = mainloop
        unsafe self.context = context
        // A server is not started by a call; an error shows in the state.
        unsafe _ = functions.context_connect(context, nil, PA_CONTEXT_NOAUTOSPAWN, nil)
    }

    deinit {
        unsafe self.functions.context_disconnect(self.context)
        unsafe self.functions.context_unref(self.context)
        unsafe self.functions.mainloop_free(self.mainloop)
    }

    var functions: parley_pulse { unsafe self.library.functions }

    var state: State {
        switch unsafe self.functions.context_get_state(self.context) {
        case PA_CONTEXT_READY: .ready
        case PA_CONTEXT_UNCONNECTED, PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED: .failed(self.reason)
        default: .connecting
        }
    }

    private var reason: String {
        guard let text = unsafe self.functions.strerror(self.functions.context_errno(self.context)) else { return "" }
        return unsafe String(cString: text)
    }

    /// Does what there is to do, and never waits.
    func pump() {
        for _ in 0..<Self.maximumEvents {
            guard unsafe self.functions.mainloop_iterate(self.mainloop, 0, nil) > 0 else { return }
        }
    }

    /// Goes on until something is so, or the time is over. For who has nothing else to do.
    func pump(for duration: Duration, until isDone: () -> Bool) -> Bool {
        let end = KernelClock.sinceBoot &+ Int64(duration / .nanoseconds(1))
        while !isDone() {
            let left = end &- KernelClock.sinceBoot
            guard left > 0,
                unsafe self.functions.mainloop_prepare(self.mainloop, Int32(clamping: left / 1000 + 1)) >= 0,
                unsafe self.functions.mainloop_poll(self.mainloop) >= 0,
                unsafe self.functions.mainloop_dispatch(self.mainloop) >= 0
            else { return isDone() }
        }
        return true
    }
}
