internal import MediaStreams
internal import Playout
internal import Vocabulary

/// Puts packets into their order, for recorders and echoes that want each of them once: a packet that comes too early waits
/// a little for those that are missing in front of it.
struct PayloadReorderBuffer: Sendable {
    private var shelf = PacketBuffer()
    /// Where the next one should begin.
    private var next: Int64?
    /// When the first of all came, and how much has been handed out since, with what was missing.
    private var origin: Instant?
    private var told: Int64 = 0
    private let timeout: Duration

    /// A stamp that is farther away than this says nothing about time: senders begin anew, and strangers lie.
    private static let farthest: Int64 = 10 * 48_000

    init(timeout: Duration) {
        self.timeout = timeout
    }

    mutating func insert(_ bytes: Span<UInt8>, start: Int64, duration: Int, isCopy: Bool, at now: Instant) {
        if !isCopy, self.isFar(start) { self.removeAll() }
        // Who is too late has been given up.
        if let next = self.next, start < next { return }
        if self.shelf.isFull, let first = self.shelf.takeFirst() { self.shelf.recycle(first) }
        _ = self.shelf.insert(bytes, start: start, duration: duration, arrival: now, isCopy: isCopy)
    }

    private func isFar(_ start: Int64) -> Bool {
        guard let near = self.shelf.packets.last?.start ?? self.next else { return false }
        return abs(start - near) > Self.farthest
    }

    /// When there is something to take, if nothing comes before.
    var deadline: Instant? {
        guard let first = self.shelf.first else { return nil }
        return self.isNext(first) ? first.arrival : first.arrival + self.timeout
    }

    private func isNext(_ packet: borrowing PacketBuffer.Packet) -> Bool {
        self.next.map { packet.start <= $0 } ?? true
    }

    mutating func take(at now: Instant) -> AudioPayload? {
        guard let deadline = self.deadline, deadline <= now, let packet = self.shelf.takeFirst() else { return nil }
        let gap = self.gap(before: packet)
        self.next = packet.end
        let position = self.told + gap
        self.told = position + Int64(packet.duration)
        return AudioPayload(
            bytes: packet.bytes, position: position, duration: packet.duration, gap: Int(clamping: gap),
            arrival: packet.arrival, isCopy: packet.isCopy)
    }

    /// What its stamp says, as far as that time has passed; after a jump, the time that has.
    private mutating func gap(before packet: borrowing PacketBuffer.Packet) -> Int64 {
        guard let origin = self.origin else {
            self.origin = packet.arrival
            return 0
        }
        let passed = MediaClock.opus.ticks(in: origin.duration(to: packet.arrival)) - self.told
        guard let next = self.next else { return max(0, passed) }
        return min(max(0, packet.start - next), max(0, passed + Self.farthest))
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
