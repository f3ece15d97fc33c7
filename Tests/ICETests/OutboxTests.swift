import Bytes
import ICE
import STUN
import Testing
import Vocabulary

@Suite("An outbox")
struct OutboxTests {
    private static let peer = SocketAddress(.loopback, port: 9)

    @Test("holds packets and events until it is emptied")
    func holds() throws {
        var outbox = Outbox<String>()
        outbox.packets.append(from: PathID(rawValue: 1), to: Self.peer, [1, 2, 3].span)
        var message = outbox.packets.begin(.request, STUNMethod.binding, TransactionID(high: 1, low: 2))
        message.append(.priority, UInt32(7))
        outbox.packets.finish(message, from: PathID(rawValue: 2), to: Self.peer)
        outbox.packets.append(from: PathID(rawValue: 3), to: Self.peer) { $0.write(UInt16(5)) }
        outbox.events.append("hello")
        #expect(outbox.packets.packets.map(\.path.rawValue) == [1, 2, 3])
        let bytes = outbox.packets.packets.map { outbox.packets.bytes(of: $0) }
        #expect(bytes[0] == [1, 2, 3] && bytes[2] == [0, 5])
        let second = bytes[1]
        #expect(try STUNMessage(parsing: second.span).number(of: .priority) == UInt32(7))
        let length = outbox.packets.withBytes(of: outbox.packets.packets[2]) { bytes in bytes.count }
        #expect(length == 2)
        outbox.removeAll()
        #expect(outbox.isEmpty)
    }
}
