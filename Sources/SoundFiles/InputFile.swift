#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A file, or a pipe, that is read from front to back. It closes itself when its owner lets go.
@safe package final class InputFile {
    /// The name for messages.
    package let name: String
    let descriptor: Int32

    package init(path: String) throws(FileFailure) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(.open, path, code: errno) }
        self.name = path
        self.descriptor = descriptor
        var status = stat()
        // A directory opens well and only fails when read.
        if unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw FileFailure(.read, path, code: EISDIR)
        }
    }

    /// Takes over a descriptor that is open already.
    init(descriptor: Int32, name: String) {
        self.name = name
        self.descriptor = descriptor
    }

    package static func standardInput() throws(FileFailure) -> InputFile {
        let descriptor = dup(STDIN_FILENO)
        guard descriptor >= 0 else { throw FileFailure(.open, "standard input", code: errno) }
        return InputFile(descriptor: descriptor, name: "standard input")
    }

    deinit { close(self.descriptor) }

    /// Can be read a second time.
    package var isSeekable: Bool { lseek(self.descriptor, 0, SEEK_CUR) >= 0 }

    /// How far it has been read, in bytes; nil for a pipe.
    package var position: Int? {
        let position = lseek(self.descriptor, 0, SEEK_CUR)
        return position >= 0 ? Int(position) : nil
    }

    /// In bytes; nil for a pipe.
    package var size: Int? {
        var status = stat()
        guard unsafe fstat(self.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    package func rewind() throws(FileFailure) {
        guard lseek(self.descriptor, 0, SEEK_SET) == 0 else { throw FileFailure(.read, self.name, code: errno) }
    }

    /// Reads at most `count` bytes over `buffer`. An empty buffer means the end.
    package func read(into buffer: inout [UInt8], upTo count: Int = 65_536) throws(FileFailure) {
        if buffer.count < count { buffer.append(contentsOf: repeatElement(0, count: count - buffer.count)) }
        let got = try unsafe buffer.withUnsafeMutableBufferPointer { room throws(FileFailure) in
            try unsafe self.read(UnsafeMutableRawBufferPointer(room).baseAddress, count)
        }
        buffer.removeLast(buffer.count - got)
    }

    private func read(_ room: UnsafeMutableRawPointer?, _ count: Int) throws(FileFailure) -> Int {
        while true {
            #if canImport(Glibc)
            let got = unsafe Glibc.read(self.descriptor, room, count)
            #else
            let got = unsafe Darwin.read(self.descriptor, room, count)
            #endif
            if got >= 0 { return got }
            guard errno == EINTR else { throw FileFailure(.read, self.name, code: errno) }
        }
    }

    /// The same bytes in a file that can be read twice: itself, or a nameless copy of a pipe.
    /// `start` is what has been read of the pipe already.
    package func rereadable(startingWith start: [UInt8] = []) throws(FileFailure) -> InputFile {
        guard !self.isSeekable else { return self }
        let copy = try TemporaryFile.open()
        let file = InputFile(descriptor: copy, name: self.name)
        var buffer = start
        if buffer.isEmpty { try self.read(into: &buffer) }
        while !buffer.isEmpty {
            try writeAll(buffer.span, to: copy, name: self.name)
            try self.read(into: &buffer)
        }
        try file.rewind()
        return file
    }
}

/// A file without a name: it is gone as soon as it is closed, whatever happens to the program.
enum TemporaryFile {
    static func open() throws(FileFailure) -> Int32 {
        let directory = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(directory)/parley-XXXXXX".utf8CString)
        let descriptor = unsafe template.withUnsafeMutableBufferPointer { name -> Int32 in
            guard let base = name.baseAddress else { return -1 }
            let descriptor = unsafe mkstemp(base)
            if descriptor >= 0 { unsafe unlink(base) }
            return descriptor
        }
        guard descriptor >= 0 else { throw FileFailure(.open, directory, code: errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }
}

func writeAll(_ bytes: Span<UInt8>, to descriptor: Int32, name: String) throws(FileFailure) {
    var written = 0
    while written < bytes.count {
        let rest = bytes.extracting(written...)
        let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 {
            written += count
        } else if errno != EINTR {
            throw FileFailure(.write, name, code: errno)
        }
    }
}
