internal import CUV

/// Watches one socket for being readable or writable, and tells the subclass.
///
/// It owns the file descriptor: closing the watch closes the socket.
@safe package class SocketWatch: HandleOwner {
    package let reactor: Reactor
    let fd: Int32
    private let handle: UnsafeMutablePointer<uv_poll_t>
    private var events: Int32 = 0
    private(set) var isClosed = false
    /// It has an error that is looked at when there is time.
    private(set) var isFailing = false

    /// Takes over `fd`, also when it throws.
    init(_ fd: Int32, on reactor: Reactor) throws(ReactorError) {
        self.reactor = reactor
        self.fd = fd
        unsafe self.handle = .allocate(capacity: 1)
        super.init()
        let code = unsafe uv_poll_init(reactor.uv, self.handle, fd)
        guard code == 0 else {
            self.isClosed = true
            SystemSocket.close(fd)
            throw ReactorError(.watch, code: code)
        }
        unsafe self.handle.pointee.data = unsafe Unmanaged.passRetained(self as HandleOwner).toOpaque()
    }

    deinit {
        unsafe self.handle.deallocate()
    }

    func readable() {}
    func writable() {}
    /// There is nothing more to learn from the socket, although it is not closed yet.
    var isBroken: Bool { false }
    /// Whether an error on the socket may wait.
    var failsLater: Bool { false }

    final func watch(readable: Bool, writable: Bool) {
        guard !self.isClosed else { return }
        let wanted = Int32(readable ? UV_READABLE.rawValue : 0) | Int32(writable ? UV_WRITABLE.rawValue : 0)
        guard wanted != self.events else { return }
        self.events = wanted
        if wanted == 0 {
            unsafe uv_poll_stop(self.handle)
        } else {
            unsafe uv_poll_start(self.handle, wanted, SocketWatch.ready)
        }
    }

    /// Closes the socket at once. The owner lives on until libuv has let go of the handle.
    final func closeSocket() {
        guard !self.isClosed else { return }
        self.isClosed = true
        unsafe uv_poll_stop(self.handle)
        SystemSocket.close(self.fd)
        unsafe self.close(self.handle)
    }

    override func loopEnds() { self.closeSocket() }

    /// When thousands are cut at once, what that leads to would hold up all others.
    private func failLater() {
        guard !self.isFailing else { return }
        self.isFailing = true
        self.reactor.withoutHurry { if !self.isClosed { self.failed() } }
    }

    private func failed() {
        let watched = self.events
        self.events = 0
        self.readable()
        self.isFailing = false
        guard !self.isClosed, self.events == 0, !self.isBroken else { return }
        self.watch(
            readable: watched & Int32(UV_READABLE.rawValue) != 0, writable: watched & Int32(UV_WRITABLE.rawValue) != 0)
    }

    /// An error on the socket shows as a negative status, and libuv stops watching. Reading it out is what tells
    /// which one, but bytes that came before it are read first: then the socket has to be looked at again.
    private static let ready: uv_poll_cb = { handle, status, events in
        guard let data = unsafe handle?.pointee.data else { return }
        let watch = unsafe Unmanaged<SocketWatch>.fromOpaque(data).takeUnretainedValue()
        if status < 0 { return watch.failsLater ? watch.failLater() : watch.failed() }
        watch.reactor.flushIfLate()
        if events & Int32(UV_READABLE.rawValue) != 0 { watch.readable() }
        if events & Int32(UV_WRITABLE.rawValue) != 0, !watch.isClosed { watch.writable() }
    }
}
