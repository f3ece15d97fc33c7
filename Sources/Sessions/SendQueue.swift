import SocketIO

/// What waits for the next poll, or until its session is uncorked, in order and weighed.
struct SendQueue: Sendable {
    private var packets: [EncodedPacket] = []
    private(set) var bytes = 0

    var isEmpty: Bool { self.packets.isEmpty }

    mutating func append(_ packet: EncodedPacket) {
        self.packets.append(packet)
        self.bytes += packet.payloadBound
    }

    /// As many packets from the front as fit into `limit` bytes, but at least one.
    mutating func next(within limit: Int) -> [EncodedPacket] {
        var count = 0
        var taken = 0
        for packet in self.packets {
            let size = packet.payloadBound
            guard count == 0 || size <= limit - taken else { break }
            taken += min(size, limit)
            count += 1
        }
        return self.removeFirst(count)
    }

    mutating func removeAll() -> [EncodedPacket] {
        self.removeFirst(self.packets.count)
    }

    private mutating func removeFirst(_ count: Int) -> [EncodedPacket] {
        guard count < self.packets.count else {
            defer {
                self.packets = []
                self.bytes = 0
            }
            return self.packets
        }
        let front = Array(self.packets.prefix(count))
        self.packets.removeFirst(count)
        self.bytes -= front.reduce(0) { $0 + $1.payloadBound }
        return front
    }
}
