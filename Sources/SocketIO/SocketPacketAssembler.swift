import Bytes

/// Waits for the attachments of a binary packet and puts the whole together.
///
///     idle ──header──▶ waiting ──last attachment──▶ idle
///
/// Packets without attachments pass straight through and are read where they lie.
package struct SocketPacketAssembler: Sendable {
    /// A packet with all of its attachments, kept together with the bytes it points into.
    package struct Assembled: Hashable, Sendable {
        package let packet: SocketPacket
        package let source: [UInt8]
        package let attachments: [[UInt8]]
    }

    package enum Outcome: Hashable, Sendable {
        /// Complete as it is; its places are in the bytes just given.
        case packet(SocketPacket)
        /// More attachments are due.
        case waiting
        case assembled(Assembled)
    }

    private enum State: Sendable {
        /// Can become: waiting.
        case idle
        /// Rare, so it takes memory of its own. Can become: idle.
        indirect case waiting(SocketPacket, source: [UInt8], attachments: [[UInt8]], bytes: Int)
    }

    private let decoder: SocketPacketDecoder
    private var state: State = .idle

    package init(limits: SocketPacketLimits = SocketPacketLimits()) {
        self.decoder = SocketPacketDecoder(limits: limits)
    }

    /// A text message came.
    package mutating func received(text bytes: Span<UInt8>) throws(SocketPacketError) -> Outcome {
        switch self.state {
        case .waiting:
            throw SocketPacketError(.missingAttachment, at: 0)
        case .idle:
            let packet = try self.decoder.decode(bytes)
            guard packet.attachments > 0 else { return .packet(packet) }
            self.state = .waiting(packet, source: [UInt8](copying: bytes), attachments: [], bytes: 0)
            return .waiting
        }
    }

    /// A binary message came.
    package mutating func received(binary bytes: Span<UInt8>) throws(SocketPacketError) -> Outcome {
        switch self.state {
        case .idle:
            throw SocketPacketError(.unexpectedAttachment, at: 0)
        case .waiting(let packet, let source, var attachments, let total):
            let (sum, overflow) = total.addingReportingOverflow(bytes.count)
            guard !overflow, sum <= self.decoder.limits.attachmentBytes else {
                throw SocketPacketError(.attachmentsTooLarge, at: 0)
            }
            attachments.append([UInt8](copying: bytes))
            guard attachments.count == packet.attachments else {
                self.state = .waiting(packet, source: source, attachments: attachments, bytes: sum)
                return .waiting
            }
            self.state = .idle
            return .assembled(Assembled(packet: packet, source: source, attachments: attachments))
        }
    }
}
