package import JSON
package import Vocabulary

/// Writes one Socket.IO packet as the text of an Engine.IO message, its `4` included.
///
///     var packet = SocketPacketWriter(event: "onLine")
///     packet.arguments.string(name)
///     let encoded = packet.finish()
package struct SocketPacketWriter: Hashable, Sendable {
    /// Arguments go here, one after the other; the commas set themselves.
    package var arguments: JSONWriter

    /// An event. With attachments, one placeholder for each of them must stand in the arguments.
    package init(event name: String, in namespace: Namespace = .main, ackID: Int? = nil, attachments: Int = 0) {
        let kind: SocketPacket.Kind = attachments > 0 ? .binaryEvent : .event
        var head = Self.head(kind, namespace, ackID: ackID, attachments: attachments)
        head.append(UInt8(ascii: "["))
        self.arguments = JSONWriter(after: head)
        self.arguments.string(name)
    }

    /// The answer to the event that asked for it with `ackID`.
    package init(ack ackID: Int, in namespace: Namespace = .main, attachments: Int = 0) {
        let kind: SocketPacket.Kind = attachments > 0 ? .binaryAck : .ack
        var head = Self.head(kind, namespace, ackID: ackID, attachments: attachments)
        head.append(UInt8(ascii: "["))
        self.arguments = JSONWriter(after: head)
    }

    /// The last argument of an event in a session that can be taken up again: how far the client got with it.
    package mutating func append(_ offset: EventOffset) {
        self.arguments.string(offset.text)
    }

    package consuming func finish() -> EncodedPacket {
        self.arguments.close(UInt8(ascii: "]"))
        return EncodedPacket(messageWithDigit: self.arguments.bytes)
    }

    private static func head(
        _ kind: SocketPacket.Kind, _ namespace: Namespace, ackID: Int? = nil, attachments: Int = 0
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128)
        bytes.append(EnginePacket.Kind.message.digit)
        bytes.append(kind.digit)
        if kind.isBinary { bytes.append(contentsOf: "\(attachments)-".utf8) }
        if !namespace.isMain {
            bytes.append(contentsOf: namespace.text.utf8)
            bytes.append(UInt8(ascii: ","))
        }
        if let ackID { bytes.append(contentsOf: String(ackID).utf8) }
        return bytes
    }
}

extension SocketPacketWriter {
    /// Welcomes a client to a namespace. Revision 5 is told the id of its socket, and the key to come back with when
    /// its session can be taken up again; for revision 4 the bare packet is all.
    package static func connect(
        _ version: EngineVersion, to namespace: Namespace = .main, sid: String, key: ResumeKey? = nil
    ) -> EncodedPacket {
        let head = Self.head(.connect, namespace)
        guard version == .v4 else { return EncodedPacket(messageWithDigit: head) }
        let payload = JSONWriter.object { $0.members([("sid", sid), ("pid", key?.text)]) }
        return EncodedPacket(messageWithDigit: head + payload)
    }

    /// Turns a client away from a namespace: an object in revision 5, bare text in revision 4.
    package static func connectError(
        _ version: EngineVersion, from namespace: Namespace = .main, message: String
    ) -> EncodedPacket {
        let payload = JSONWriter.bytes { json in
            switch version {
            case .v3: json.string(message)
            case .v4: json.fields(("message", message))
            }
        }
        return EncodedPacket(messageWithDigit: Self.head(.connectError, namespace) + payload)
    }

    package static func disconnect(from namespace: Namespace = .main) -> EncodedPacket {
        EncodedPacket(messageWithDigit: Self.head(.disconnect, namespace))
    }
}

extension JSONWriter {
    /// Stands in an argument for the attachment that follows as number `index`.
    package mutating func placeholder(_ index: Int) {
        self.object { json in
            json.field("_placeholder", true)
            json.field("num", index)
        }
    }
}
