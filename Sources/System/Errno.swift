#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The system's number for why something failed; its description is the system's words.
package struct Errno: Error, Hashable, Sendable, CustomStringConvertible {
    package let code: Int32

    package init(_ code: Int32) { self.code = code }

    /// Of the call just made, as long as nothing else was called in between.
    static var last: Errno { Errno(errno) }

    package static let noSuchFile = Errno(ENOENT)
    package static let fileExists = Errno(EEXIST)
    package static let isDirectory = Errno(EISDIR)
    package static let noSpace = Errno(ENOSPC)
    package static let overQuota = Errno(EDQUOT)
    package static let fileTooLarge = Errno(EFBIG)
    /// From one file system into another.
    package static let crossDevice = Errno(EXDEV)
    package static let wouldBlock = Errno(EAGAIN)
    static let interrupted = Errno(EINTR)

    package var description: String { unsafe String(cString: strerror(self.code)) }
}

/// What the system refused: which operation, on what, and why.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Operation: String, Hashable, Sendable { case open, read, write, replace }

    package let operation: Operation
    package let path: String
    package let errno: Errno

    package init(_ operation: Operation, _ path: String, _ errno: Errno) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    package var isMissing: Bool { self.errno == .noSuchFile }

    package var description: String { "cannot \(self.operation.rawValue) \(self.path): \(self.errno)" }
}
