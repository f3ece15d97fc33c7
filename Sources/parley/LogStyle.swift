import Arguments

/// Who reads the log.
enum LogStyle: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// People.
    case text
    /// Programs.
    case json
}
