/// One Socket.IO packet as it arrived (revision 5, and 4 for clients of Engine.IO 3).
///
/// It remembers places, not copies: what is relayed goes on as the very bytes it came in.
package struct SocketPacket: Hashable, Sendable {
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case connect, disconnect, event, ack, connectError, binaryEvent, binaryAck
    }

    package let kind: Kind
    package let namespace: Namespace
    package let ackID: Int?
    /// How many binary packets follow and belong to this one.
    package let attachments: Int
    /// The JSON as it stands; empty when there is none.
    package let payload: Range<Int>
    /// Of an event: its name with the quotes around it. Clients may also send a number.
    package let name: Range<Int>?
    /// Of events and acks: the arguments with the commas between them, without name and brackets.
    package let arguments: Range<Int>
    package let argumentCount: Int
    /// Where each attachment is meant among the arguments, by its number.
    package let placeholders: [Range<Int>]
}

extension SocketPacket.Kind {
    package var digit: UInt8 { UInt8(ascii: "0") + self.rawValue }

    package init?(digit: UInt8) {
        guard digit >= UInt8(ascii: "0") else { return nil }
        self.init(rawValue: digit - UInt8(ascii: "0"))
    }

    package var isBinary: Bool { self == .binaryEvent || self == .binaryAck }
    package var isEvent: Bool { self == .event || self == .binaryEvent }
    package var isAck: Bool { self == .ack || self == .binaryAck }
}

/// What a stranger may make us hold for one packet.
package struct SocketPacketLimits: Hashable, Sendable {
    /// Advisory CVE-2026-33151: without a bound here a single header reserves memory without end.
    package let attachments: Int
    /// All attachments of one packet together.
    package let attachmentBytes: Int
    package let depth: Int

    package init(attachments: Int = 10, attachmentBytes: Int = 1_000_000, depth: Int = 64) {
        precondition((0...63).contains(attachments), "placeholders are counted in one word")
        precondition((1...256).contains(depth), "payloads are walked on the stack")
        self.attachments = attachments
        self.attachmentBytes = attachmentBytes
        self.depth = depth
    }
}
