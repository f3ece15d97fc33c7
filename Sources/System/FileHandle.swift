#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// One open file, which is closed when its owner lets go. Children of this process do not get it.
package struct FileHandle: ~Copyable, Sendable {
    /// The name for messages.
    package let path: String
    package let descriptor: FileDescriptor
    private let isLock: Bool

    /// - Parameter name: what messages call it; else the path.
    package init(_ path: String, for purpose: Purpose, named name: String? = nil) throws(SystemError) {
        let number = unsafe open(path, purpose.flags | O_CLOEXEC, purpose.mode)
        guard number >= 0 else { throw SystemError(purpose.operation, name ?? path, .last) }
        self.init(owning: FileDescriptor(number), path: name ?? path, isLock: purpose.isLock)
    }

    init(owning descriptor: FileDescriptor, path: String, isLock: Bool = false) {
        self.descriptor = descriptor
        self.path = path
        self.isLock = isLock
    }

    /// The same open file under another number: closing this one does not close that one.
    package init(duplicating descriptor: FileDescriptor, path: String, for purpose: Purpose) throws(SystemError) {
        let own = descriptor.duplicate()
        guard own.number >= 0 else { throw SystemError(purpose.operation, path, .last) }
        self.init(owning: own, path: path)
    }

    /// A file without a name: it is gone as soon as it is closed, whatever happens to the program.
    package static func temporary(named name: String) throws(SystemError) -> FileHandle {
        let folder = ProcessEnvironment.variables["TMPDIR"] ?? "/tmp"
        var template = Array("\(folder)/parley-XXXXXX".utf8CString)
        let number = unsafe template.withUnsafeMutableBufferPointer { name -> Int32 in
            guard let base = name.baseAddress else { return -1 }
            let number = unsafe mkstemp(base)
            if number >= 0 { unsafe unlink(base) }
            return number
        }
        guard number >= 0 else { throw SystemError(.open, folder, .last) }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        return FileHandle(owning: FileDescriptor(number), path: name)
    }

    deinit {
        // A child process has a duplicate between fork and exec, which would keep the lock.
        if self.isLock { _ = flock(self.descriptor.number, LOCK_UN) }
        close(self.descriptor.number)
    }
}

extension FileHandle {
    /// What a file is opened for.
    package struct Purpose: Sendable {
        let flags: Int32
        var mode: mode_t = 0
        let operation: SystemError.Operation
        var isLock = false

        package static let reading = Purpose(flags: O_RDONLY, operation: .open)
        /// Does not wait for a writer when the file is a pipe.
        package static let readingAtOnce = Purpose(flags: O_RDONLY | O_NONBLOCK, operation: .open)
        static let directory = Purpose(flags: O_RDONLY | O_DIRECTORY, operation: .open)
        /// Writing to what is there: a pipe, a device.
        package static let writing = Purpose(flags: O_WRONLY, operation: .write)
        package static let updating = Purpose(flags: O_RDWR, operation: .open)
        /// It must not be there yet.
        package static func creating(_ access: FileAccess) -> Purpose {
            Purpose(flags: O_RDWR | O_CREAT | O_EXCL, mode: access.mode, operation: .write)
        }
        /// What was in it is gone.
        package static let overwriting = Purpose(
            flags: O_WRONLY | O_CREAT | O_TRUNC, mode: FileAccess.everybody.mode, operation: .write)
        package static let locking = Purpose(
            flags: O_RDWR | O_CREAT, mode: FileAccess.owner.mode, operation: .open, isLock: true)

        #if os(Linux)
        /// A file in a folder that has no name there. `O_TMPFILE` is hidden by the C library behind _GNU_SOURCE.
        static func nameless(_ access: FileAccess) -> Purpose? {
            Purpose(flags: O_RDWR | O_DIRECTORY | 0o20_000_000, mode: access.mode, operation: .write)
        }
        #else
        static func nameless(_ access: FileAccess) -> Purpose? { nil }
        #endif
    }
}

/// Who may use a file that is made.
package enum FileAccess: Sendable {
    /// Its own user.
    case owner
    /// Whomever the user's mask (`umask`) lets.
    case everybody

    var mode: mode_t {
        switch self {
        case .owner: 0o600
        case .everybody: 0o666
        }
    }
}

// MARK: - Reading

extension FileHandle {
    /// Reads once over `buffer`, at most `count` bytes. An empty buffer means the end.
    package func read(into buffer: inout [UInt8], upTo count: Int = 65_536) throws(SystemError) {
        if buffer.count < count { buffer.append(contentsOf: repeatElement(0, count: count - buffer.count)) }
        do throws(Errno) {
            let got = try self.descriptor.read(into: &buffer, at: 0..<count)
            buffer.removeLast(buffer.count - got)
        } catch {
            buffer = []
            throw SystemError(.read, self.path, error)
        }
    }

    /// What is left to read, but no more than `maximum` bytes.
    package func contents(maximum: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece: [UInt8] = []
        while bytes.count < maximum {
            try self.read(into: &piece, upTo: min(65_536, maximum - bytes.count))
            if piece.isEmpty { break }
            bytes.append(contentsOf: piece)
        }
        return bytes
    }

    /// The bytes from `offset` on: `count` of them, or fewer where the file ends.
    package func bytes(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = try self.attempt(.read) {
                unsafe bytes.withUnsafeMutableBytes { target in
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[done...])
                    return unsafe pread(self.descriptor.number, rest.baseAddress, rest.count, off_t(offset + done))
                }
            }
            if got == 0 { break }
            done += got
        }
        bytes.removeLast(count - done)
        return bytes
    }

    /// How far it has been read or written, in bytes; nil for a pipe.
    package var position: Int? {
        let position = lseek(self.descriptor.number, 0, SEEK_CUR)
        return position >= 0 ? Int(position) : nil
    }

    package func seek(to offset: Int, for operation: SystemError.Operation = .read) throws(SystemError) {
        guard lseek(self.descriptor.number, off_t(offset), SEEK_SET) >= 0 else {
            throw SystemError(operation, self.path, .last)
        }
    }

    package var status: FileStatus? { FileStatus(of: self.descriptor) }
}

// MARK: - Writing

extension FileHandle {
    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        do throws(Errno) { try self.descriptor.writeAll(bytes) } catch { throw SystemError(.write, self.path, error) }
    }

    package func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let rest = bytes.extracting(done...)
            done += try self.attempt(.write) {
                unsafe rest.withUnsafeBytes {
                    unsafe pwrite(self.descriptor.number, $0.baseAddress, $0.count, off_t(offset + done))
                }
            }
        }
    }

    /// Writes over the front, and goes on at the end: headers often know their sizes only when all is written.
    package func overwriteFront(with bytes: Span<UInt8>) throws(SystemError) {
        try self.seek(to: 0, for: .write)
        try self.write(bytes)
        guard lseek(self.descriptor.number, 0, SEEK_END) >= 0 else { throw SystemError(.write, self.path, .last) }
    }

    package func truncate(to count: Int) throws(SystemError) {
        guard ftruncate(self.descriptor.number, off_t(count)) == 0 else { throw SystemError(.write, self.path, .last) }
    }

    /// When this comes back, what was written outlives a loss of power.
    package func sync() throws(SystemError) {
        guard fsync(self.descriptor.number) == 0 else { throw SystemError(.write, self.path, .last) }
    }

    /// Takes the lock that one process at a time has, until the file is closed; false while another has it.
    package func lock() throws(SystemError) -> Bool {
        guard flock(self.descriptor.number, LOCK_EX | LOCK_NB) != 0 else { return true }
        let errno = Errno.last
        guard errno == .wouldBlock || errno == .interrupted else { throw SystemError(.open, self.path, errno) }
        return false
    }

    /// How many bytes may still be written to the disk it is on; nil where the system does not say.
    package var freeBytes: UInt64? {
        var status = statvfs()
        return unsafe fstatvfs(self.descriptor.number, &status) == 0 ? FileSystem.freeBytes(in: status) : nil
    }

    private func attempt(
        _ operation: SystemError.Operation, _ call: () -> Int
    ) throws(SystemError) -> Int {
        do throws(Errno) {
            return try self.descriptor.repeated(call)
        } catch {
            throw SystemError(operation, self.path, error)
        }
    }
}
