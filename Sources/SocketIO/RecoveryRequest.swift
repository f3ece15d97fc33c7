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
        let reader = JSONReader(bytes)
        let auth = JSONValue(.object, at: packet.payload)
        guard let key = reader.member("pid", of: auth).flatMap({ reader.string($0) }).flatMap(ResumeKey.init(_:)) else {
            return nil
        }
        self.key = key
        guard let offset = reader.member("offset", of: auth), offset.kind != .null else {
            self.position = .start
            return
        }
        self.position = reader.string(offset).flatMap(EventOffset.init(_:)).map { .after($0) } ?? .unreadable
    }
}
