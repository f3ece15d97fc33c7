import Bytes

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A file that gets its name only when it is whole.
///
/// It is written beside its place, on Linux without any name at all, and takes its place in one step.
/// Killed at any moment, it leaves the old file, or none, but never half of one.
@safe package final class OutputFile {
    package let path: String
    private let descriptor: Int32
    /// What the file is called until it is whole; nil while it has no name.
    private var temporaryPath: String?
    private var isWhole = false
    private let isStream: Bool
    private var pending: [UInt8] = []
    package private(set) var byteCount = 0

    private static let bufferSize = 64 << 10

    package init(path: String) throws(FileFailure) {
        // A link stays a link: what it leads to is replaced.
        let path = Self.resolved(path)
        self.path = path
        self.isStream = Self.isStream(path)
        if self.isStream {
            self.descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
            guard self.descriptor >= 0 else { throw FileFailure(.write, path, code: errno) }
            return
        }
        let directory = Self.directory(of: path)
        if let nameless = Self.openNameless(in: directory) {
            self.descriptor = nameless
            return
        }
        let name = Self.temporaryName(for: path)
        let descriptor = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw FileFailure(.write, path, code: errno) }
        self.descriptor = descriptor
        self.temporaryPath = name
    }

    /// Standard output: what is written is out, and cannot be taken back.
    package static func standardOutput() throws(FileFailure) -> OutputFile {
        let descriptor = dup(STDOUT_FILENO)
        guard descriptor >= 0 else { throw FileFailure(.write, "standard output", code: errno) }
        return OutputFile(stream: descriptor)
    }

    private init(stream descriptor: Int32) {
        self.path = "standard output"
        self.descriptor = descriptor
        self.isStream = true
    }

    deinit {
        close(self.descriptor)
        if !self.isWhole, let name = self.temporaryPath { unsafe unlink(name) }
    }

    /// Bytes at the front can still be replaced.
    package var isSeekable: Bool { !self.isStream }

    package func write(_ bytes: Span<UInt8>) throws(FileFailure) {
        self.pending.append(copying: bytes)
        self.byteCount += bytes.count
        if self.pending.count >= Self.bufferSize { try self.flush() }
    }

    package func flush() throws(FileFailure) {
        let bytes = self.pending
        try writeAll(bytes.span, to: self.descriptor, name: self.path)
        self.pending.removeAll(keepingCapacity: true)
    }

    /// Writes over the front of the file: headers often know their sizes only at the end.
    package func overwriteFront(with bytes: Span<UInt8>) throws(FileFailure) {
        try self.flush()
        guard lseek(self.descriptor, 0, SEEK_SET) == 0 else { throw FileFailure(.write, self.path, code: errno) }
        try writeAll(bytes, to: self.descriptor, name: self.path)
        guard lseek(self.descriptor, 0, SEEK_END) >= 0 else { throw FileFailure(.write, self.path, code: errno) }
    }

    /// The file is whole: it takes its place.
    package func commit() throws(FileFailure) {
        try self.flush()
        guard !self.isStream else { return }
        if self.temporaryPath == nil { try self.name() }
        guard let temporary = self.temporaryPath, unsafe rename(temporary, self.path) == 0 else {
            throw FileFailure(.replace, self.path, code: errno)
        }
        self.isWhole = true
    }

    /// A name can be given to a nameless file, but only one that is still free.
    private func name() throws(FileFailure) {
        let name = Self.temporaryName(for: self.path)
        let nameless = "/proc/self/fd/\(self.descriptor)"
        guard unsafe linkat(AT_FDCWD, nameless, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 else {
            throw FileFailure(.write, self.path, code: errno)
        }
        self.temporaryPath = name
    }

    /// A pipe or a device is written to as it is; to take its place would be to destroy it. What has been written
    /// there is out, and cannot be taken back.
    package static func isStream(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        let kind = status.st_mode & S_IFMT
        return kind != S_IFREG && kind != S_IFDIR
    }

    /// The path without links and detours, so that one place has one name; where nothing is yet, that of its folder
    /// with its own behind. Itself where there is no such folder.
    package static func resolved(_ path: String) -> String {
        if let real = Self.real(path) { return real }
        guard let name = path.split(separator: "/", omittingEmptySubsequences: false).last, !name.isEmpty,
            let folder = Self.real(Self.directory(of: path))
        else { return path }
        return folder.hasSuffix("/") ? "\(folder)\(name)" : "\(folder)/\(name)"
    }

    private static func real(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    private static func openNameless(in directory: String) -> Int32? {
        #if os(Linux)
        // O_TMPFILE, which the C library hides behind _GNU_SOURCE.
        let descriptor = unsafe open(directory, O_RDWR | O_CLOEXEC | O_DIRECTORY | 0o20_000_000, 0o666)
        return descriptor >= 0 ? descriptor : nil
        #else
        return nil
        #endif
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func temporaryName(for path: String) -> String {
        let token = String(UInt64.random(in: .min ... .max), radix: 36)
        let file = path.split(separator: "/").last.map(String.init) ?? "sound"
        return "\(self.directory(of: path))/.\(file.prefix(64)).\(token).part"
    }
}
