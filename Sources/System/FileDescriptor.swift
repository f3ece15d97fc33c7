internal import CTerminal

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The number of an open file that is closed elsewhere, such as standard output.
package struct FileDescriptor: Hashable, Sendable {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    package static let standardInput = FileDescriptor(STDIN_FILENO)
    package static let standardOutput = FileDescriptor(STDOUT_FILENO)
    package static let standardError = FileDescriptor(STDERR_FILENO)

    package var isTerminal: Bool { isatty(self.number) == 1 }

    /// How wide the terminal is; nil where there is none.
    package var columns: Int? {
        let columns = Int(parley_terminal_columns(self.number))
        return columns > 0 ? columns : nil
    }

    /// Whether a read would return at once, or will within `milliseconds`. So it does at the end, and after an error.
    package func isReadable(within milliseconds: Int32 = 0) -> Bool { self.isReady(for: POLLIN, milliseconds) }

    /// Whether a write of up to `atomicWriteSize` bytes would return at once, or will within `milliseconds`.
    package func isWritable(within milliseconds: Int32 = 0) -> Bool { self.isReady(for: POLLOUT, milliseconds) }

    /// So many bytes fit for certain into a pipe that is writable.
    package static let atomicWriteSize = Int(PIPE_BUF)

    private func isReady(for event: Int32, _ milliseconds: Int32) -> Bool {
        var request = pollfd(fd: self.number, events: Int16(event), revents: 0)
        while true {
            let count = unsafe poll(&request, 1, milliseconds)
            guard count < 0, Errno.last == .interrupted else { return count > 0 }
        }
    }

    /// Another number for the same open file, which the caller closes; -1 when there is none to give.
    package func duplicate() -> FileDescriptor { FileDescriptor(fcntl(self.number, F_DUPFD_CLOEXEC, 0)) }

    /// Reads once, over those of the bytes; 0 means the end.
    package func read(into bytes: inout [UInt8], at range: Range<Int>) throws(Errno) -> Int {
        try unsafe bytes.withUnsafeMutableBufferPointer { bytes throws(Errno) in
            let target = unsafe UnsafeMutableBufferPointer(rebasing: bytes[range])
            return try self.repeated { unsafe readSystem(self.number, target.baseAddress, target.count) }
        }
    }

    /// Writes once; fewer bytes than given may have been taken.
    package func write(_ bytes: Span<UInt8>) throws(Errno) -> Int {
        try unsafe bytes.withUnsafeBufferPointer { bytes throws(Errno) in
            try self.repeated { unsafe writeSystem(self.number, bytes.baseAddress, bytes.count) }
        }
    }

    /// Writes all of it, or as much as is taken before an error: no caller is left to hear of that one.
    package func print(_ text: String) {
        let bytes = Array(text.utf8)
        try? self.writeAll(bytes.span)
    }

    func writeAll(_ bytes: Span<UInt8>) throws(Errno) {
        var written = 0
        while written < bytes.count { written += try self.write(bytes.extracting(written...)) }
    }

    /// A signal in between is no reason to stop.
    func repeated(_ call: () -> Int) throws(Errno) -> Int {
        while true {
            let result = call()
            if result >= 0 { return result }
            let errno = Errno.last
            guard errno == .interrupted else { throw errno }
        }
    }
}

// The system's own, where methods of the same name hide them.

private func readSystem(_ number: Int32, _ target: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
    unsafe read(number, target, count)
}

private func writeSystem(_ number: Int32, _ source: UnsafePointer<UInt8>?, _ count: Int) -> Int {
    unsafe write(number, source, count)
}
