import System

/// Where log events go.
package protocol LogSink: Sendable {
    func record(_ event: LogEvent)
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
