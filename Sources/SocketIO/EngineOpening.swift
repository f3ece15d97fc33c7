import JSON
package import Vocabulary

/// What the first packet of every session says (`0{…}`).
package struct EngineOpening: Hashable, Sendable {
    package let sid: SessionID
    /// Whether the session, as it travels now, may move on to a WebSocket.
    package let offersUpgrade: Bool
    package let pingInterval: Duration
    package let pingTimeout: Duration
    /// How many bytes one polling body or one WebSocket message may have. Version 3 is not told.
    package let maxPayload: Int

    package init(
        sid: SessionID, offersUpgrade: Bool, pingInterval: Duration, pingTimeout: Duration, maxPayload: Int
    ) {
        self.sid = sid
        self.offersUpgrade = offersUpgrade
        self.pingInterval = pingInterval
        self.pingTimeout = pingTimeout
        self.maxPayload = maxPayload
    }

    package func packet(for version: EngineVersion) -> EncodedPacket {
        let json = JSONWriter.object { json in
            json.field("sid", self.sid.text)
            json.array("upgrades") { json in
                if self.offersUpgrade { json.string(EngineTransport.webSocket.rawValue) }
            }
            json.field("pingInterval", self.pingInterval.clampedMilliseconds)
            json.field("pingTimeout", self.pingTimeout.clampedMilliseconds)
            if version == .v4 { json.field("maxPayload", self.maxPayload) }
        }
        return EncodedPacket(.open, body: json)
    }

    /// Reads what a server of ours says, for clients of ours. Nil when something is missing.
    package init?(parsing body: Span<UInt8>) {
        guard let opening = try? JSONObject(body),
            let sid = opening["sid", .text].flatMap(SessionID.init(_:)),
            let upgrades = opening["upgrades", JSONType.text.list()],
            let pingInterval = opening["pingInterval", .integer], let pingTimeout = opening["pingTimeout", .integer]
        else { return nil }
        self.sid = sid
        self.offersUpgrade = upgrades.first == EngineTransport.webSocket.rawValue
        self.pingInterval = .milliseconds(pingInterval)
        self.pingTimeout = .milliseconds(pingTimeout)
        self.maxPayload = opening["maxPayload", .integer] ?? .max
    }
}
