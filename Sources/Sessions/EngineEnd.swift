/// Why a session is over, in the words Socket.IO's own servers use where they have one.
package enum EngineEnd: String, Hashable, Sendable, CaseIterable {
    /// The client hung up, or its connection went away.
    case transportClose = "transport close"
    /// The client broke the rules of its transport: two polls at once, a poll torn off, the wrong heartbeat.
    case transportError = "transport error"
    case pingTimeout = "ping timeout"
    /// What came made no sense.
    case parseError = "parse error"
    /// We closed it.
    case forcedClose = "forced close"
    case serverShutdown = "server shutting down"
    /// More was waiting for the client than may wait. It can come back and take up where it left off.
    case slowReader = "slow reader"

    /// What a WebSocket is told when it closes (RFC 6455 §7.4.1).
    package var closeCode: UInt16 {
        switch self {
        case .transportClose, .forcedClose, .pingTimeout: 1000
        case .serverShutdown: 1001
        case .transportError, .parseError: 1002
        // "Try again later", from IANA's list of close codes.
        case .slowReader: 1013
        }
    }
}
