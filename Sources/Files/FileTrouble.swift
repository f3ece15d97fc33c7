#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Something could not be done with the files on the disk.
package struct FileTrouble: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// No room is left, on the disk or of what this user of the system may have.
        case full
        /// There is no such file.
        case missing
        /// What is in it is not what its name says.
        case damaged
        case system(code: Int32)
    }

    package let reason: Reason
    package let path: String

    package init(_ reason: Reason, _ path: String) {
        self.reason = reason
        self.path = path
    }

    /// Takes over what the system just said.
    static func last(_ path: String) -> FileTrouble { FileTrouble(Reason(code: errno), path) }

    package var description: String {
        switch self.reason {
        case .full: "no room is left for \(self.path)"
        case .missing: "\(self.path) is missing"
        case .damaged: "\(self.path) is not what its name says"
        case .system(let code): "\(self.path): \(unsafe String(cString: strerror(code)))"
        }
    }
}

extension FileTrouble.Reason {
    init(code: Int32) {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: self = .full
        case ENOENT: self = .missing
        default: self = .system(code: code)
        }
    }
}
