import Locking

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Where log events go.
package protocol LogSink: Sendable {
    func record(_ event: LogEvent)
}

/// Writes lines to a file descriptor, each with one system call, so that lines of many threads do not mix.
package struct LineSink: LogSink {
    private let descriptor: Int32
    private let format: LogFormat

    package init(_ format: LogFormat, to descriptor: Int32 = STDERR_FILENO) {
        self.format = format
        self.descriptor = descriptor
    }

    /// Colours help a person and hurt a file.
    package static func isTerminal(_ descriptor: Int32 = STDERR_FILENO) -> Bool { isatty(descriptor) == 1 }

    package func record(_ event: LogEvent) {
        var line = self.format.line(of: event)
        line.append("\n")
        // A line that its reader does not take is given up: logging must not stop the service.
        line.withUTF8 { bytes in unsafe self.write(bytes) }
    }

    private func write(_ bytes: UnsafeBufferPointer<UInt8>) {
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            let part = unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[rest.indices])
            #if canImport(Glibc)
            let count = unsafe Glibc.write(self.descriptor, part.baseAddress, part.count)
            #else
            let count = unsafe Darwin.write(self.descriptor, part.baseAddress, part.count)
            #endif
            if count > 0 {
                unsafe rest = rest.dropFirst(count)
            } else if errno != EINTR && !self.becomesWritable() {
                return
            }
        }
    }

    /// A terminal or pipe that others made non-blocking may be full; a reader gets a moment to catch up.
    private func becomesWritable() -> Bool {
        guard errno == EAGAIN || errno == EWOULDBLOCK else { return false }
        var request = pollfd(fd: self.descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&request, 1, 100) == 1
    }
}

/// Keeps what was written down, for tests to read back.
package final class JournalRecorder: LogSink {
    private let recorded = Locked<[LogEvent]>([])

    package init() {}

    package func record(_ event: LogEvent) {
        self.recorded.withLock { $0.append(event) }
    }

    package var events: [LogEvent] { self.recorded.withLock { $0 } }

    package func events(named name: LogName) -> [LogEvent] { self.events.filter { $0.name == name } }
}
