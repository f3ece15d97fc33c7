internal import Playout
internal import Vocabulary

/// Lines packets up in their order, for those who want each of them once: whoever comes too early waits a little for those
/// who are missing.
struct PayloadLine: Sendable {
    private var shelf = PacketShelf()
    /// Where the next one should begin.
    private var next: Int64?
    private let patience: Duration

    init(patience: Duration) {
        self.patience = patience
    }

    mutating func insert(_ bytes: Span<UInt8>, start: Int64, duration: Int, isCopy: Bool, at now: Instant) {
        // Who is too late has been given up.
        if let next = self.next, start < next { return }
        if self.shelf.isFull, let first = self.shelf.takeFirst() { self.shelf.recycle(first) }
        _ = self.shelf.insert(bytes, start: start, duration: duration, arrival: now, isCopy: isCopy)
    }

    /// When there is something to take, if nothing comes before.
    var deadline: Instant? {
        guard let first = self.shelf.first else { return nil }
        return self.isNext(first) ? first.arrival : first.arrival + self.patience
    }

    private func isNext(_ packet: borrowing PacketShelf.Packet) -> Bool {
        self.next.map { packet.start <= $0 } ?? true
    }

    mutating func take(at now: Instant) -> AudioPayload? {
        guard let deadline = self.deadline, deadline <= now, let packet = self.shelf.takeFirst() else { return nil }
        let gap = packet.start - (self.next ?? packet.start)
        self.next = packet.end
        return AudioPayload(
            bytes: packet.bytes, position: packet.start, duration: packet.duration, gap: Int(clamping: max(0, gap)),
            arrival: packet.arrival, isCopy: packet.isCopy)
    }

    mutating func recycle(_ bytes: [UInt8]) {
        self.shelf.recycle(bytes)
    }

    /// The stream has jumped; what waits is of no use.
    mutating func removeAll() {
        self.shelf.removeAll()
        self.next = nil
    }
}
