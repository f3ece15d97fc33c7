/// How much a log event matters.
package enum LogLevel: Int, Sendable, CaseIterable, Comparable {
    /// Every step, for following one packet or one frame.
    case trace
    /// For finding a fault.
    case debug
    /// The ordinary course of things.
    case info
    /// Worth knowing, though nothing is wrong.
    case notice
    /// Something is not as it should be; the service goes on.
    case warning
    /// Something failed for a client.
    case error
    /// The service cannot go on as it should.
    case critical

    package var name: StaticString {
        switch self {
        case .trace: "trace"
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        case .critical: "critical"
        }
    }

    package init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name.description == name }) else { return nil }
        self = level
    }

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
