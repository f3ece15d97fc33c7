import Locking

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Writes lines to a file descriptor, one after the other, those of many threads too.
///
/// Logging must not stop the service: a reader that has stopped gets a moment once, then lines are lost until it
/// reads again. It is told how many.
package struct LineSink: LogSink {
    private let format: LogFormat
    private let outlet: Locked<Outlet>

    package init(_ format: LogFormat, to descriptor: Int32 = STDERR_FILENO) {
        self.format = format
        self.outlet = Locked(Outlet(descriptor: descriptor))
    }

    /// Colours help a person and hurt a file.
    package static func isTerminal(_ descriptor: Int32 = STDERR_FILENO) -> Bool { isatty(descriptor) == 1 }

    package func record(_ event: LogEvent) {
        let line = self.format.line(of: event)
        self.outlet.withLock { outlet in
            if let loss = outlet.loss(at: event.time) {
                guard outlet.write(self.format.line(of: loss)) else { return outlet.lost += 1 }
                outlet.lost = 0
            }
            if !outlet.write(line) { outlet.lost += 1 }
        }
    }
}

/// A descriptor, and what its reader can be trusted with.
private struct Outlet {
    let descriptor: Int32
    var lost = 0
    /// The last line ended in its middle.
    private var isCut = false
    /// So many lines have to pass at once before the reader is given a moment again; or one that reads a little now
    /// and then would cost a moment each time.
    private var untilPatient = 0

    private static let patience: Int32 = 100
    private static let trustedAfter = 100

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// What is to be said before the next line.
    func loss(at time: LogTime) -> LogEvent? {
        guard self.lost > 0 else { return nil }
        return LogEvent(
            time: time, level: .warning, name: .linesLost, message: "nobody read, so lines were lost",
            fields: [LogEvent.Field(key: .count, value: .integer(self.lost))])
    }

    /// False when the line, or its end, was given up.
    mutating func write(_ line: String) -> Bool {
        var text = self.isCut ? "\n\(line)\n" : "\(line)\n"
        let length = text.utf8.count
        let written = text.withUTF8 { bytes in unsafe self.write(bytes) }
        if written > 0 { self.isCut = written < length }
        self.untilPatient = written == length ? max(0, self.untilPatient - 1) : Self.trustedAfter
        return written == length
    }

    private func write(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var written = 0
        while written < bytes.count, self.isWritable() {
            // No more than fits for certain into what poll calls writable, so that a blocking pipe does not block.
            let end = min(written + Int(PIPE_BUF), bytes.count)
            let piece = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[written..<end]))
            #if canImport(Glibc)
            let count = unsafe Glibc.write(self.descriptor, piece.baseAddress, piece.count)
            #else
            let count = unsafe Darwin.write(self.descriptor, piece.baseAddress, piece.count)
            #endif
            if count > 0 { written += count } else if errno != EINTR { break }
        }
        return written
    }

    private func isWritable() -> Bool {
        var request = pollfd(fd: self.descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = unsafe poll(&request, 1, self.untilPatient == 0 ? Self.patience : 0)
            guard count < 0, errno == EINTR else { return count == 1 }
        }
    }
}

extension LogName {
    static let linesLost = LogName("log.lost")
}
