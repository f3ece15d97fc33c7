/// One thing that happened, with what is to be known about it.
package struct LogEvent: Sendable {
    package struct Field: Hashable, Sendable {
        package let key: LogKey
        package let value: LogValue
    }

    package let time: LogTime
    package let level: LogLevel
    package let name: LogName
    /// For people. It is written out in the source, so it can hold nothing personal.
    package let message: StaticString
    /// In the order in which they were given; each key once.
    package let fields: [Field]

    package subscript(key: LogKey) -> LogValue? {
        self.fields.first { $0.key == key }?.value
    }
}

extension [LogEvent.Field] {
    /// Adds `others`; a key that is there already takes the new value and keeps its place.
    func merging(_ others: KeyValuePairs<LogKey, LogValue>) -> Self {
        var merged = self
        for (key, value) in others {
            let field = LogEvent.Field(key: key, value: value)
            if let index = merged.firstIndex(where: { $0.key == key }) {
                merged[index] = field
            } else {
                merged.append(field)
            }
        }
        return merged
    }
}
