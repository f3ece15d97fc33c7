internal import Vocabulary

/// What left lately, and what the other side said of it.
struct SentPackets: Sendable {
    private enum Fate: UInt8 { case unknown, missing, received }

    /// Sixteen bytes, for every call keeps hundreds of them.
    private struct Packet {
        var sent: Int64 = 0
        /// The last bits of its number, which tell it from others in the same place.
        var sequence = UInt32.max
        var bytes: UInt16 = 0
        var fate = Fate.unknown

        func hasNumber(_ number: Int64) -> Bool { self.sequence == UInt32(truncatingIfNeeded: number) }
    }

    /// What arrived, as both sides' clocks have it.
    struct Arrival: Hashable {
        let sent: Int64
        let bytes: Int
    }

    /// Those so far behind the latest will not come any more; before, they may only be slower.
    private static let reorderingLimit: Int64 = 20

    private let capacity: Int64
    private var packets: [Packet] = []
    private var highestSent: Int64 = -1
    private var highestTold: Int64 = -1
    private var judged: Int64 = -1
    /// The last one that was judged did not arrive.
    private var isAfterLoss = false

    /// - Parameter capacity: how many packets are remembered.
    init(capacity: Int) {
        self.capacity = Int64(max(1, capacity))
    }

    mutating func sent(_ sequence: UInt16, bytes: Int, at now: Instant) {
        if self.packets.isEmpty { self.packets = [Packet](repeating: Packet(), count: Int(self.capacity)) }
        self.highestSent = self.highestSent < 0 ? Int64(sequence) : self.unwrapped(sequence)
        self.packets[Int(self.highestSent % self.capacity)] = Packet(
            sent: now.nanoseconds, sequence: UInt32(truncatingIfNeeded: self.highestSent),
            bytes: UInt16(clamping: bytes))
    }

    private func unwrapped(_ sequence: UInt16) -> Int64 {
        let ahead = Int16(bitPattern: sequence &- UInt16(truncatingIfNeeded: self.highestSent))
        return max(0, self.highestSent + Int64(ahead))
    }

    /// The send time and size of a packet that feedback mentions; nil if it is unknown, missing or already reported.
    mutating func told(_ sequence: UInt16, isReceived: Bool) -> Arrival? {
        guard !self.packets.isEmpty else { return nil }
        let number = self.unwrapped(sequence)
        let index = Int(number % self.capacity)
        guard self.packets[index].hasNumber(number), self.packets[index].fate != .received else { return nil }
        self.highestTold = max(self.highestTold, number)
        self.packets[index].fate = isReceived ? .received : .missing
        return isReceived ? Arrival(sent: self.packets[index].sent, bytes: Int(self.packets[index].bytes)) : nil
    }

    /// How many of those that are old enough arrived, how many did not, and how many of these came right behind another that did not: each is
    /// counted once. Of some no feedback has told, because feedback gets lost as well.
    mutating func judge() -> (received: Int, lost: Int, lostTogether: Int) {
        var (received, lost, together) = (0, 0, 0)
        let end = self.highestTold - Self.reorderingLimit
        self.judged = max(self.judged, end - self.capacity)
        while self.judged < end {
            self.judged += 1
            let packet = self.packets[Int(self.judged % self.capacity)]
            guard packet.hasNumber(self.judged), packet.fate != .unknown else { continue }
            let isLost = packet.fate == .missing
            if isLost { lost += 1 } else { received += 1 }
            if isLost, self.isAfterLoss { together += 1 }
            self.isAfterLoss = isLost
        }
        return (received, lost, together)
    }
}
