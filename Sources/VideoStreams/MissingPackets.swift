internal import Vocabulary

/// Which packets of a stream are missing, and when they are asked for again (RFC 4585 §6.2.1).
struct MissingPackets: Sendable {
    enum Arrival: Hashable {
        case next
        /// It was missing.
        case late
        /// It came before, or was given up.
        case useless
    }

    private struct Missing {
        let sequence: Int64
        let since: Instant
        var nextRequest: Instant
    }

    /// In their order.
    private var missing: [Missing] = []
    private var highest: Int64?
    /// Some will not come any more: what builds on them cannot be shown.
    private(set) var hasGivenUp = false

    /// A longer gap is no loss that single packets repair.
    private static let capacity = 256
    /// What overtakes another packet on the way is not missing.
    private static let reorderingDelay = Duration.milliseconds(10)
    /// Pictures that are later than this are of no use in a call.
    private static let timeout = Duration.seconds(1)
    private static let minimumInterval = Duration.milliseconds(40)

    mutating func arrived(_ sequence: Int64, at now: Instant) -> Arrival {
        guard let highest = self.highest else {
            self.highest = sequence
            return .next
        }
        guard sequence > highest else {
            guard let index = self.missing.firstIndex(where: { $0.sequence == sequence }) else { return .useless }
            self.missing.remove(at: index)
            return .late
        }
        self.highest = sequence
        let gap = sequence - highest - 1
        guard gap <= Self.capacity - self.missing.count else {
            self.giveUp()
            return .next
        }
        for number in (highest + 1)..<sequence {
            self.missing.append(Missing(sequence: number, since: now, nextRequest: now + Self.reorderingDelay))
        }
        return .next
    }

    private mutating func giveUp() {
        self.missing.removeAll(keepingCapacity: true)
        self.hasGivenUp = true
    }

    /// Everything begins again with the next packet.
    mutating func removeAll() {
        self.missing.removeAll(keepingCapacity: true)
        self.highest = nil
        self.hasGivenUp = false
    }

    /// A key frame has been asked for.
    mutating func forgive() { self.hasGivenUp = false }

    var deadline: Instant? { self.missing.lazy.map(\.nextRequest).min() }

    /// The numbers to ask for now, in their order. The sender has a round trip to answer in.
    mutating func takeDue(at now: Instant, roundTrip: Duration) -> [UInt16] {
        guard let deadline = self.deadline, deadline <= now else { return [] }
        let count = self.missing.count
        self.missing.removeAll { $0.since + Self.timeout <= now }
        if self.missing.count < count { self.hasGivenUp = true }
        var due: [UInt16] = []
        for index in self.missing.indices where self.missing[index].nextRequest <= now {
            due.append(UInt16(truncatingIfNeeded: self.missing[index].sequence))
            self.missing[index].nextRequest = now + max(Self.minimumInterval, roundTrip + Self.reorderingDelay)
        }
        return due
    }
}
