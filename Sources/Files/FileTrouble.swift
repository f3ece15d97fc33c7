package import System

/// Something could not be done with the files on the disk.
package struct FileTrouble: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// No room is left, on the disk or of what this user of the system may have.
        case full
        /// There is no such file.
        case missing
        /// What is in it is not what its name says.
        case damaged
        case system(Errno)
        /// A store on another machine did not take it, or give it.
        case store(String)
    }

    package let reason: Reason
    package let path: String

    package init(_ reason: Reason, _ path: String) {
        self.reason = reason
        self.path = path
    }

    init(_ error: SystemError) { self.init(Reason(error.errno), error.path) }

    /// Does what the system may refuse.
    static func catching<Value: ~Copyable>(_ work: () throws(SystemError) -> Value) throws(FileTrouble) -> Value {
        do throws(SystemError) { return try work() } catch { throw FileTrouble(error) }
    }

    package var description: String {
        switch self.reason {
        case .full: "no room is left for \(self.path)"
        case .missing: "\(self.path) is missing"
        case .damaged: "\(self.path) is not what its name says"
        case .system(let errno): "\(self.path): \(errno)"
        case .store(let problem): "\(self.path): \(problem)"
        }
    }
}

extension FileTrouble.Reason {
    init(_ errno: Errno) {
        switch errno {
        case .noSpace, .overQuota, .fileTooLarge: self = .full
        case .noSuchFile: self = .missing
        default: self = .system(errno)
        }
    }
}
