/// The two revisions of Engine.IO that clients speak (`EIO` in the query).
package enum EngineVersion: Int, Hashable, Sendable, CaseIterable {
    /// Socket.IO 1 and 2. The client pings.
    case v3 = 3
    /// Socket.IO 3 and 4. The server pings.
    case v4 = 4
}

/// The two ways an Engine.IO session travels.
package enum EngineTransport: String, Hashable, Sendable, CaseIterable {
    case polling
    case webSocket = "websocket"
}
