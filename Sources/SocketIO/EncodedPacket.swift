import Bytes

/// One Engine.IO packet on its way out: encoded once, never changed, shared by all its receivers.
package final class EncodedPacket: Sendable {
    package let kind: EnginePacket.Kind
    package let isBinary: Bool
    /// The type first, then the content: a digit before text, byte 0x04 before binary.
    package let bytes: [UInt8]

    package static let ping = EncodedPacket(.ping)
    package static let pong = EncodedPacket(.pong)
    package static let probeAnswer = EncodedPacket(.pong, body: Array("probe".utf8))
    package static let noop = EncodedPacket(.noop)
    package static let close = EncodedPacket(.close)

    package init(_ kind: EnginePacket.Kind, body: [UInt8] = []) {
        self.kind = kind
        self.isBinary = false
        self.bytes = [kind.digit] + body
    }

    /// A message in text, its leading `4` included: writers put it there so that nothing is copied here.
    package init(messageWithDigit bytes: [UInt8]) {
        precondition(bytes.first == EnginePacket.Kind.message.digit, "a text message starts with its digit")
        self.kind = .message
        self.isBinary = false
        self.bytes = bytes
    }

    package init(binary data: some Collection<UInt8>) {
        self.kind = .message
        self.isBinary = true
        self.bytes = [EnginePacket.Kind.message.rawValue] + data
    }

    /// What one WebSocket frame carries: all of it, except that version 4 leaves the type of binary away.
    package func frame(for version: EngineVersion) -> ArraySlice<UInt8> {
        self.isBinary && version == .v4 ? self.bytes.dropFirst() : self.bytes[...]
    }

    /// At most how many bytes it takes in a polling payload of any form.
    package var payloadBound: Int {
        let separatorAndLength = 16
        return separatorAndLength + (self.isBinary ? (self.bytes.count + 2) / 3 * 4 : self.bytes.count)
    }
}
