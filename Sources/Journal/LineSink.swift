package import System

/// Writes lines to a file descriptor, one after the other, those of many threads too.
///
/// Logging must not stop the service: a reader that has stopped gets a moment once, then lines are lost until it
/// reads again. It is told how many.
package struct LineSink: LogSink {
    private let format: LogFormat
    private let outlet: Locked<Outlet>

    package init(_ format: LogFormat, to descriptor: FileDescriptor = .standardError) {
        self.format = format
        self.outlet = Locked(Outlet(descriptor: descriptor))
    }

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
    let descriptor: FileDescriptor
    var lost = 0
    /// The last line ended in its middle.
    private var isCut = false
    /// So many lines have to pass at once before the reader is given a moment again; or one that reads a little now
    /// and then would cost a moment each time.
    private var untilTrusted = 0

    /// In milliseconds.
    private static let writeTimeout: Int32 = 100
    private static let trustedAfter = 100

    init(descriptor: FileDescriptor) { self.descriptor = descriptor }

    /// What is to be said before the next line.
    func loss(at time: LogTime) -> LogEvent? {
        guard self.lost > 0 else { return nil }
        return LogEvent(
            time: time, level: .warning, name: .linesLost, message: "the reader is too slow, so lines were lost",
            fields: [LogEvent.Field(key: .count, value: .integer(self.lost))])
    }

    /// False when the line, or its end, was given up.
    mutating func write(_ line: String) -> Bool {
        let text = self.isCut ? "\n\(line)\n" : "\(line)\n"
        let length = text.utf8.count
        let written = self.write(Array(text.utf8).span)
        if written > 0 { self.isCut = written < length }
        self.untilTrusted = written == length ? max(0, self.untilTrusted - 1) : Self.trustedAfter
        return written == length
    }

    private func write(_ bytes: Span<UInt8>) -> Int {
        var written = 0
        while written < bytes.count, self.descriptor.isWritable(within: self.untilTrusted == 0 ? Self.writeTimeout : 0)
        {
            // No more than fits for certain into what poll calls writable, so that a blocking pipe does not block.
            let end = min(written + FileDescriptor.atomicWriteSize, bytes.count)
            guard let count = try? self.descriptor.write(bytes.extracting(written..<end)), count > 0 else { break }
            written += count
        }
        return written
    }
}

extension LogName {
    static let linesLost = LogName("log.lost")
}
