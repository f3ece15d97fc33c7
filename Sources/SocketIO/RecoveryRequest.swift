import JSON
package import Vocabulary

/// What a client says in its CONNECT when it wants to take up where it left off.
package struct RecoveryRequest: Hashable, Sendable {
    package enum Position: Hashable, Sendable {
        /// It never heard an event that could be counted.
        case start
        case after(EventOffset)
        /// It names something that no event of ours ever carried.
        case unreadable
    }

    package let key: ResumeKey
    package let position: Position

    package init(key: ResumeKey, position: Position) {
        self.key = key
        self.position = position
    }

    /// Nil when the payload of `packet` asks for nothing of the kind.
    package init?(_ packet: SocketPacket, in bytes: Span<UInt8>) {
        guard packet.kind == .connect, !packet.payload.isEmpty else { return nil }
        let auth = JSONObject(found: JSONValue(.object, at: packet.payload), in: JSONReader(bytes))
        guard let key = auth["pid", .text].flatMap(ResumeKey.init(_:)) else { return nil }
        self.key = key
        self.position =
            auth.value("offset") == nil
            ? .start : auth["offset", .text].flatMap(EventOffset.init(_:)).map { .after($0) } ?? .unreadable
    }
}
