#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// What is done with files by their names.
package enum FileSystem {
    package enum Permission: Sendable { case reading, readingAndWriting, executing, all }

    package static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Whether this process may.
    package static func allows(_ permission: Permission, _ path: String) -> Bool {
        let mode =
            switch permission {
            case .reading: R_OK
            case .readingAndWriting: R_OK | W_OK
            case .executing: X_OK
            case .all: R_OK | W_OK | X_OK
            }
        return unsafe access(path, mode) == 0
    }

    package static func demand(_ permission: Permission, _ path: String) throws(SystemError) {
        guard self.allows(permission, path) else { throw SystemError(.open, path, .last) }
    }

    /// The folder may be there already.
    package static func makeDirectory(_ path: String, _ access: FileAccess = .owner) throws(SystemError) {
        // Who may read a folder may also look for names in it.
        let mode = access.mode | (access.mode & 0o444) >> 2
        guard unsafe mkdir(path, mode) != 0 else { return }
        let errno = Errno.last
        guard errno == .fileExists else { throw SystemError(.write, path, errno) }
    }

    /// Makes the folder, and those above it, for its own user.
    package static func makeDirectories(_ path: String) throws(SystemError) {
        var place = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            place += "/\(part)"
            try self.makeDirectory(place)
        }
    }

    /// False when it was not there, or cannot go.
    @discardableResult
    package static func remove(_ path: String) -> Bool { unsafe unlink(path) == 0 }

    /// Gives a file another name beside the one it has.
    package static func link(_ path: String, as other: String) throws(SystemError) {
        guard unsafe linkSystem(path, other) == 0 else { throw SystemError(.write, other, .last) }
    }

    package static func rename(_ path: String, to target: String) throws(SystemError) {
        guard unsafe renameSystem(path, target) == 0 else { throw SystemError(.replace, target, .last) }
    }

    /// The file, and that it has this name and no other, are on the disk when this comes back.
    package static func moveDurably(_ path: String, to target: String) throws(SystemError) {
        try FileHandle(path, for: .reading).sync()
        try self.rename(path, to: target)
        try self.syncDirectory(self.directory(of: target))
    }

    /// What the names in a folder mean is on the disk when this comes back.
    package static func syncDirectory(_ path: String) throws(SystemError) {
        try FileHandle(path, for: .directory).sync()
    }

    /// Only its own user may use the file from now on.
    package static func makePrivate(_ path: String) throws(SystemError) {
        guard unsafe chmod(path, 0o600) == 0 else { throw SystemError(.open, path, .last) }
    }

    /// How many bytes may still be written to the disk of `path`; nil where the system does not say.
    package static func freeBytes(at path: String) -> UInt64? {
        var status = statvfs()
        return unsafe statvfs(path, &status) == 0 ? self.freeBytes(in: status) : nil
    }

    static func freeBytes(in status: statvfs) -> UInt64 {
        let (free, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? .max : free
    }

    /// Everything in a folder, with `.` and `..`; nil where it cannot be read.
    package static func names(in folder: String) -> [String]? {
        guard let directory = unsafe opendir(folder) else { return nil }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) { start in
                    unsafe start.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                })
        }
        return names
    }

    /// The path without links and detours; nil where it leads nowhere.
    package static func realPath(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    /// The folder a path is in.
    package static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The first `maximum` bytes of a file; nil where it cannot be read.
    package static func front(of path: String, maximum: Int) -> [UInt8]? {
        try? FileHandle(path, for: .reading).contents(maximum: maximum)
    }
}

// The system's own, where functions of the same name hide them.

private func linkSystem(_ path: UnsafePointer<CChar>, _ other: UnsafePointer<CChar>) -> Int32 {
    unsafe link(path, other)
}

private func renameSystem(_ path: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>) -> Int32 {
    unsafe rename(path, target)
}
