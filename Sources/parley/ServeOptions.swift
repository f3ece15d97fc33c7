import Journal

/// Everything `parley serve` was told, as one value.
struct ServeOptions: Hashable, Sendable {
    enum TLS: Hashable, Sendable {
        case off
        case files(certificate: String, key: String)
        /// A certificate made at the start, for trying things out in one's own network.
        case selfSigned
    }

    let listen: ListenAddress
    /// Where everything is kept; nil keeps it in memory.
    let dataDirectory: String?
    /// Where health and metrics are served; nil serves them nowhere.
    let admin: ListenAddress?
    let logStyle: LogStyle
    let logLevel: LogLevel
    let tls: TLS
    /// How long open connections may take to end after the signal to stop.
    let drainTimeout: Duration
    /// How many event loops; nil takes one per core.
    let loops: Int?
}

/// Who reads the log.
enum LogStyle: String, CaseIterable, Sendable {
    /// People.
    case text
    /// Programs.
    case json
}
