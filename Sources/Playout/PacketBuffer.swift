internal import Bytes
package import Vocabulary

/// The packets of a jitter buffer, in the order of their sound. Their memory is used again.
package struct PacketBuffer: Sendable {
    package struct Packet: Sendable {
        /// Where its sound begins.
        package let start: Int64
        /// How long its sound is.
        package let duration: Int
        package let arrival: Instant
        /// It travelled with a later packet.
        package let isCopy: Bool
        package let bytes: [UInt8]

        package var end: Int64 { self.start + Int64(self.duration) }
    }

    private static let maximumPackets = 256
    private static let maximumSpare = 32
    package private(set) var packets: [Packet] = []
    /// The sum of all durations.
    package private(set) var duration = 0
    private var spare: [[UInt8]] = []

    package init() {}

    package var first: Packet? { self.packets.first }
    package var isFull: Bool { self.packets.count >= Self.maximumPackets }

    /// False for a packet that is there already.
    package mutating func insert(
        _ bytes: Span<UInt8>, start: Int64, duration: Int, arrival: Instant, isCopy: Bool
    ) -> Bool {
        var place = self.packets.count
        while place > 0, self.packets[place - 1].start > start { place -= 1 }
        guard place == 0 || self.packets[place - 1].start != start else { return false }
        var copy = self.spare.popLast() ?? []
        copy.removeAll(keepingCapacity: true)
        copy.append(copying: bytes)
        let packet = Packet(start: start, duration: duration, arrival: arrival, isCopy: isCopy, bytes: copy)
        self.packets.insert(packet, at: place)
        self.duration += duration
        return true
    }

    /// Takes the first packet away; what is left of it may be given back.
    package mutating func takeFirst() -> Packet? {
        guard !self.packets.isEmpty else { return nil }
        let packet = self.packets.removeFirst()
        self.duration -= packet.duration
        return packet
    }

    package mutating func recycle(_ packet: consuming Packet) {
        self.recycle(packet.bytes)
    }

    package mutating func recycle(_ bytes: consuming [UInt8]) {
        if self.spare.count < Self.maximumSpare { self.spare.append(bytes) }
    }

    package mutating func removeAll() {
        while let packet = self.takeFirst() { self.recycle(packet) }
    }
}
