#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Watches a socket that a C library owns and closes itself, by a copy of its descriptor.
///
/// Such a library may close its socket at any moment and open another under the same number, which no watch on that number
/// would survive. The connection ends when both copies are closed.
package final class SharedSocketWatch: SocketWatch {
    private var ready: ((SharedSocketWatch) -> Void)?

    /// - Parameter ready: called when the socket is ready for what was asked for, or broken. Let go with `close`.
    package init(
        copying fd: Int32, on reactor: Reactor, ready: @escaping (SharedSocketWatch) -> Void
    ) throws(ReactorError) {
        let copy = fcntl(fd, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw ReactorError(.watch, code: SystemSocket.lastError) }
        self.ready = ready
        try super.init(copy, on: reactor)
    }

    /// What is waited for from now on.
    package func wait(reading: Bool, writing: Bool) { self.watch(readable: reading, writable: writing) }

    package func close() {
        self.ready = nil
        self.closeSocket()
    }

    override func readable() { self.ready?(self) }
    override func writable() { self.ready?(self) }
}
