import JSON
import SocketIO

/// Whatever comes, a packet is refused or can be passed on: written anew it is read as the same.
enum SocketPacketFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        let decoder = SocketPacketDecoder()
        guard let packet = try? decoder.decode(input.span) else { return }
        _ = RecoveryRequest(packet, in: input.span)
        guard packet.kind.isEvent || packet.kind.isAck else { return }
        let written = self.relayed(packet, from: input)
        guard let again = try? decoder.decode(written.span) else {
            preconditionFailure("what was read cannot be passed on: \(packet)")
        }
        precondition(again.ackID == packet.ackID && again.namespace == packet.namespace)
        precondition(again.argumentCount == packet.argumentCount && again.attachments == packet.attachments)
        precondition(written[again.arguments] == input[packet.arguments], "the arguments have changed")
    }

    private static func relayed(_ packet: SocketPacket, from input: [UInt8]) -> [UInt8] {
        var writer: SocketPacketWriter
        if packet.kind.isAck, let ackID = packet.ackID {
            writer = SocketPacketWriter(ack: ackID, in: packet.namespace, attachments: packet.attachments)
        } else {
            writer = SocketPacketWriter(
                event: "x", in: packet.namespace, ackID: packet.ackID, attachments: packet.attachments)
        }
        writer.arguments.raw(input.span.extracting(packet.arguments))
        return Array(writer.finish().bytes.dropFirst())
    }
}
