/// Where a room writes down what happens.
///
///     journal.info(.listening, "Accepting connections", [.address: .plain(address)])
///
/// The fields are only computed when that level is written.
package struct Journal: Sendable {
    package let level: LogLevel
    private let sink: (any LogSink)?
    private let standing: [LogEvent.Field]
    private let now: @Sendable () -> LogTime

    package init(level: LogLevel = .info, sink: any LogSink, now: @escaping @Sendable () -> LogTime = LogTime.now) {
        self.init(level: level, sink: sink, standing: [], now: now)
    }

    private init(
        level: LogLevel,
        sink: (any LogSink)?,
        standing: [LogEvent.Field],
        now: @escaping @Sendable () -> LogTime
    ) {
        self.level = level
        self.sink = sink
        self.standing = standing
        self.now = now
    }

    /// Writes nothing down.
    package static let silent = Journal(level: .critical, sink: nil, standing: [], now: LogTime.now)

    /// The same journal, with fields that every event of it carries.
    package func with(_ fields: KeyValuePairs<LogKey, LogValue>) -> Journal {
        Journal(level: self.level, sink: self.sink, standing: self.standing.merging(fields), now: self.now)
    }

    /// Whether an event of this level would be written down.
    package func listens(at level: LogLevel) -> Bool { level >= self.level && self.sink != nil }

    package func log(
        _ level: LogLevel,
        _ name: LogName,
        _ message: StaticString,
        _ fields: @autoclosure () -> KeyValuePairs<LogKey, LogValue> = [:]
    ) {
        guard level >= self.level, let sink = self.sink else { return }
        let fields = self.standing.merging(fields())
        sink.record(LogEvent(time: self.now(), level: level, name: name, message: message, fields: fields))
    }
}

extension Journal {
    package typealias Fields = KeyValuePairs<LogKey, LogValue>

    package func trace(_ name: LogName, _ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
        self.log(.trace, name, message, fields())
    }

    package func debug(_ name: LogName, _ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
        self.log(.debug, name, message, fields())
    }

    package func info(_ name: LogName, _ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
        self.log(.info, name, message, fields())
    }

    package func notice(_ name: LogName, _ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
        self.log(.notice, name, message, fields())
    }

    package func warning(_ name: LogName, _ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
        self.log(.warning, name, message, fields())
    }

    package func error(_ name: LogName, _ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
        self.log(.error, name, message, fields())
    }

    package func critical(_ name: LogName, _ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
        self.log(.critical, name, message, fields())
    }
}
