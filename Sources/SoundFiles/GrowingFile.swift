#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A file that has its name from the first byte on and is added to: what was written stays, whenever the program ends.
@safe package final class GrowingFile {
    package let path: String
    private let descriptor: Int32

    package init(path: String) throws(FileFailure) {
        self.path = path
        self.descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard self.descriptor >= 0 else { throw FileFailure(.write, path, code: errno) }
    }

    deinit {
        close(self.descriptor)
    }

    package func append(_ bytes: Span<UInt8>) throws(FileFailure) {
        guard !bytes.isEmpty else { return }
        try writeAll(bytes, to: self.descriptor, name: self.path)
    }

    /// Replaces the first bytes, for headers that know their sizes only at the end.
    package func overwriteFront(with bytes: Span<UInt8>) throws(FileFailure) {
        guard lseek(self.descriptor, 0, SEEK_SET) == 0 else { throw FileFailure(.write, self.path, code: errno) }
        try writeAll(bytes, to: self.descriptor, name: self.path)
        guard lseek(self.descriptor, 0, SEEK_END) >= 0 else { throw FileFailure(.write, self.path, code: errno) }
    }
}
