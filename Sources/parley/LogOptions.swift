import Arguments
import Journal

/// What is logged and how, for every command that runs for long.
struct LogOptions: ParsableArguments {
    @Option(help: "Log format: text for people, json for programs.")
    var logFormat = LogStyle.text

    @Option(help: "Minimum level of log lines.")
    var logLevel = LogLevel.info

    /// A journal on the error stream; in colours when a person looks.
    var journal: Journal {
        let style: LogFormat.Style =
            switch self.logFormat {
            case .text: .text(colours: Terminal.wantsColours)
            case .json: .json
            }
        return Journal(level: self.logLevel, sink: LineSink(LogFormat(style)))
    }
}

extension LogLevel: ExpressibleByArgument {
    package init?(argument: String) { self.init(name: argument) }
    package static var allValueStrings: [String] { self.allCases.map { $0.name.description } }
    package static var valueName: String? { "LEVEL" }
    package static var expectation: String { "one of \(self.allValueStrings.joined(separator: ", "))" }
    package var argumentDescription: String { self.name.description }
}
