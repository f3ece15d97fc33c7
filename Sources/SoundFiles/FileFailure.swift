#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What the system answered when a file could not be opened, read or written.
package struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Action: String, Hashable, Sendable { case open, read, write, replace }

    package let action: Action
    package let path: String
    package let code: Int32

    package init(_ action: Action, _ path: String, code: Int32) {
        self.action = action
        self.path = path
        self.code = code
    }

    package var isMissing: Bool { self.code == ENOENT }

    package var description: String {
        let reason = unsafe String(cString: strerror(self.code))
        return "cannot \(self.action.rawValue) \(self.path): \(reason)"
    }
}
