internal import Bytes
internal import Vocabulary

/// Packets as they left, for those that get lost on the way.
///
/// It keeps them as they were made secret: the same number may only ever carry the same bytes (RFC 3711 §9.1, RFC 7714 §8.1).
struct RetransmissionBuffer: Sendable {
    private struct Packet {
        var sequence: UInt16 = 0
        var lastSent = Instant(nanoseconds: 0)
        var bytes: [UInt8] = []
    }

    /// Some seconds of pictures, as long as a request takes and longer.
    private static let capacity = 512
    /// However often it is asked for, a packet has the time to arrive before it leaves again.
    private static let minimumInterval = Duration.milliseconds(20)

    private var packets: [Packet] = []

    mutating func keep(_ bytes: Span<UInt8>, sequence: UInt16, at now: Instant) {
        let index = Int(sequence) % Self.capacity
        while self.packets.count <= index { self.packets.append(Packet()) }
        self.packets[index].sequence = sequence
        self.packets[index].lastSent = now
        self.packets[index].bytes.removeAll(keepingCapacity: true)
        self.packets[index].bytes.append(copying: bytes)
    }

    /// Lends a packet that may leave again; false where there is none, or too soon.
    mutating func take(
        _ sequence: UInt16, roundTrip: Duration, at now: Instant, _ body: (borrowing [UInt8]) -> Void
    ) -> Bool {
        let index = Int(sequence) % Self.capacity
        guard index < self.packets.count, self.packets[index].sequence == sequence, !self.packets[index].bytes.isEmpty,
            self.packets[index].lastSent + max(Self.minimumInterval, roundTrip) <= now
        else { return false }
        self.packets[index].lastSent = now
        body(self.packets[index].bytes)
        return true
    }
}
