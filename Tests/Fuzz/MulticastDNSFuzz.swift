import Bytes
import ICE
import MulticastDNS
import Vocabulary

/// Whatever comes, a message about names is refused or means the same after it was written anew; who holds and seeks
/// names survives it; and packets in a stream are the same however it is cut.
enum MulticastDNSFuzz {
    @Sendable static func run(_ bytes: [UInt8]) {
        let input = FuzzInput(bytes)
        self.exchange(input.bytes)
        self.frames(input)
        guard let message = try? NameMessage(parsing: input.bytes.span) else { return }
        var writer = ByteWriter()
        message.write(to: &writer)
        demand((try? NameMessage(parsing: writer.bytes.span)) == message, "\(message) came back changed")
    }

    private static func exchange(_ bytes: [UInt8]) {
        guard let sought = HostName("ab.local"), let held = HostName("cd.local") else { return }
        let (link, start) = (PathID(rawValue: 0), Instant(nanoseconds: 0))
        var (exchange, outbox) = (NameExchange(), Outbox<NameFound>())
        exchange.publish(held, .loopback)
        exchange.linkAdded(link, to: NameExchange.group4, addresses: [.loopback], at: start, into: &outbox)
        exchange.resolve(sought, at: start, into: &outbox)
        for port: UInt16 in [5353, 4711] {
            let peer = SocketAddress(.loopback, port: port)
            exchange.received(bytes.span, on: link, from: peer, at: start + .seconds(2), into: &outbox)
        }
        demand(outbox.packets.count <= 3, "one packet was worth \(outbox.packets.count)")
    }

    private static func frames(_ input: FuzzInput) {
        let whole = self.packets(input.pieces(of: 0))
        demand(whole == self.packets(input.pieces(of: Int(input.control & 63) + 1)), "the cuts made a difference")
    }

    private static func packets(_ pieces: [[UInt8]]) -> [[UInt8]] {
        var (frames, packets) = (PacketFrames(), [[UInt8]]())
        for piece in pieces {
            frames.take(piece.span) { packet in
                packets.append([UInt8](copying: packet))
                return true
            }
        }
        return packets
    }
}
