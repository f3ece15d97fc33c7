internal import Bytes
internal import JSON
internal import SocketIO
package import Vocabulary

extension ClientSession {
    /// A text frame came.
    package mutating func received(_ frame: Span<UInt8>, at now: Instant, _ outbox: inout ClientOutbox) {
        self.heartbeat?.heard(at: now)
        switch self.state {
        case .opening(let deadline): self.receivedOpening(frame, deadline, at: now, &outbox)
        case .joining, .online: self.receivedPacket(frame, at: now, &outbox)
        case .idle, .dialing, .resting, .ended: return
        }
    }

    private mutating func receivedOpening(
        _ frame: Span<UInt8>, _ deadline: Instant, at now: Instant, _ outbox: inout ClientOutbox
    ) {
        guard let packet = try? EnginePacket(textFrame: frame, version: .v4), packet.kind == .open,
            let opening = EngineOpening(parsing: frame.extracting(packet.body))
        else { return self.drop(.brokenPacket(nil), at: now, &outbox) }
        self.heartbeat = Heartbeat(opening, at: now)
        self.join(before: deadline, &outbox)
    }

    private mutating func receivedPacket(_ frame: Span<UInt8>, at now: Instant, _ outbox: inout ClientOutbox) {
        guard let packet = try? EnginePacket(textFrame: frame, version: .v4), packet.form == .text else {
            return self.drop(.brokenPacket(nil), at: now, &outbox)
        }
        switch packet.kind {
        case .ping: outbox.orders.append(.send(EncodedPacket.pong.bytes))
        case .close: self.drop(.closedByServer(nil), at: now, &outbox)
        case .message: self.receivedMessage(frame.extracting(packet.body), at: now, &outbox)
        case .pong, .noop: break
        case .open, .upgrade: self.drop(.brokenPacket(nil), at: now, &outbox)
        }
    }

    private mutating func receivedMessage(_ bytes: Span<UInt8>, at now: Instant, _ outbox: inout ClientOutbox) {
        do throws(SocketPacketError) {
            let packet = try SocketPacketDecoder().decode(bytes)
            // We are in the main namespace and nowhere else.
            guard packet.namespace.isMain else { return }
            self.take(packet, bytes, at: now, &outbox)
        } catch {
            self.drop(.brokenPacket(error.reason), at: now, &outbox)
        }
    }

    private mutating func take(
        _ packet: SocketPacket, _ bytes: Span<UInt8>, at now: Instant, _ outbox: inout ClientOutbox
    ) {
        let payload = RawJSON(proven: [UInt8](copying: bytes.extracting(packet.payload)))
        switch (packet.kind, self.isOnline) {
        case (.connect, false): self.joined(payload, at: now, &outbox)
        case (.connectError, false): self.turnedAway(payload, at: now, &outbox)
        case (.event, true): self.takeEvent(packet, bytes, &outbox)
        case (.ack, true): self.takeAnswer(packet, bytes, &outbox)
        // It would come back to the same end: the server has said that this session is over.
        case (.disconnect, true): self.drop(.dismissed, at: now, &outbox)
        case (.connect, true), (.connectError, true), (.event, false), (.ack, false), (.disconnect, false),
            (.binaryEvent, _), (.binaryAck, _):
            self.drop(.brokenPacket(nil), at: now, &outbox)
        }
    }

    private mutating func takeEvent(_ packet: SocketPacket, _ bytes: Span<UInt8>, _ outbox: inout ClientOutbox) {
        let reader = JSONReader(bytes)
        let arguments = Self.arguments(packet, reader)
        if arguments.count > 1, let last = arguments.last, let offset = reader.string(last) {
            self.resumption.heard(offset)
        }
        guard let range = packet.name, let name = reader.text(at: range) else { return }
        let argument = arguments.first.map { RawJSON(proven: reader.raw($0)) }
        outbox.tell(.event(name: name, argument: argument ?? RawJSON { _ in }))
    }

    private mutating func takeAnswer(_ packet: SocketPacket, _ bytes: Span<UInt8>, _ outbox: inout ClientOutbox) {
        guard let id = packet.ackID, self.requests.answered(id) else { return }
        let reader = JSONReader(bytes)
        guard let first = Self.arguments(packet, reader).first else {
            return outbox.tell(.unanswered(id, .unreadableAnswer))
        }
        let answer = RawJSON(proven: reader.raw(first))
        guard let refusal = ServerRefusal(in: answer) else { return outbox.tell(.answered(id, answer)) }
        outbox.tell(.unanswered(id, .refused(refusal)))
    }

    /// The payload was found to be an array; the name of an event stands first in it.
    private static func arguments(_ packet: SocketPacket, _ reader: borrowing JSONReader) -> [JSONValue] {
        var values: [JSONValue] = []
        var elements = reader.elements(of: JSONValue(.array, at: packet.payload))
        while let element = elements.next() { values.append(element) }
        return Array(values.dropFirst(packet.kind.isEvent ? 1 : 0))
    }
}
