internal import CUV

/// The world refused something: what we tried, with which address or name, and what the system said.
package struct ReactorError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Operation: String, Sendable {
        case listen, accept, connect, bind, resolve, read, write, send, receive, watch, start
    }

    package let operation: Operation
    /// A negative number from libuv's table, which is `-errno` on Unix.
    package let code: Int32
    package let subject: String

    init(_ operation: Operation, code: Int32, _ subject: String = "") {
        self.operation = operation
        self.code = code
        self.subject = subject
    }

    package var isAddressInUse: Bool { self.code == UV_EADDRINUSE.rawValue }

    package var description: String {
        let reason = unsafe String(cString: uv_strerror(self.code))
        return self.subject.isEmpty
            ? "\(self.operation.rawValue): \(reason)"
            : "\(self.operation.rawValue) \(self.subject): \(reason)"
    }
}
