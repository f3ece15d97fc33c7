/// How an event becomes one line, and whether personal data shows in it.
package struct LogFormat: Sendable {
    package enum Style: Sendable {
        /// For people: time, level, event, message, then `key=value`.
        case text(colours: Bool)
        /// For programs: one JSON object per line.
        case json
    }

    private let style: Style
    private let revealsPrivate: Bool

    package init(_ style: Style, revealsPrivate: Bool = false) {
        self.style = style
        self.revealsPrivate = revealsPrivate
    }

    package func line(of event: LogEvent) -> String {
        switch self.style {
        case .text(let colours): self.text(of: event, colours: colours)
        case .json: self.json(of: event)
        }
    }

    private func shown(_ text: Private<String>) -> String {
        self.revealsPrivate ? text.exposed : text.standIn
    }
}

extension LogFormat {
    private func text(of event: LogEvent, colours: Bool) -> String {
        var line = "\(event.time) "
        let level = event.level.name.description
        let gap = String(repeating: " ", count: 9 - level.utf8.count)
        line += colours ? event.level.colour + level + "\u{1B}[0m" + gap : level + gap
        line += "\(event.name): \(event.message.description.printable)"
        for field in event.fields { line += " \(field.key)=\(self.text(of: field.value))" }
        return line
    }

    private func text(of value: LogValue) -> String {
        switch value.kind {
        case .text(let text): text.quotedWhenNeeded
        case .personal(let text): self.shown(text).quotedWhenNeeded
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .flag(let flag): String(flag)
        }
    }
}

extension LogFormat {
    private func json(of event: LogEvent) -> String {
        var line = #"{"time":"\#(event.time)","level":"\#(event.level.name)","event":"\#(event.name)""#
        line += #","message":\#(event.message.description.asJSON)"#
        for field in event.fields { line += #","\#(field.key)":\#(self.json(of: field.value))"# }
        return line + "}"
    }

    private func json(of value: LogValue) -> String {
        switch value.kind {
        case .text(let text): text.asJSON
        case .personal(let text): self.shown(text).asJSON
        case .integer(let number): String(number)
        // JSON has no word for what is no number.
        case .number(let number): number.isFinite ? String(number) : "null"
        case .flag(let flag): String(flag)
        }
    }
}

extension LogLevel {
    fileprivate var colour: String {
        switch self {
        case .trace, .debug: "\u{1B}[2m"
        case .info: "\u{1B}[32m"
        case .notice: "\u{1B}[36m"
        case .warning: "\u{1B}[33m"
        case .error, .critical: "\u{1B}[31m"
        }
    }
}
