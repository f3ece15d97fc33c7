internal import RTP
internal import Vocabulary

/// Keys that are pressed one after the other: which packet is due when (RFC 4733 §2.5).
///
///     idle ──pressed──▶ sounding ──long enough──▶ ending (three times) ──▶ pausing ──▶ the next, or idle
struct TelephoneKeySequence: Sendable {
    struct Packet: Hashable {
        let event: TelephoneEvent
        /// When the key went down; it decides the packet's timestamp.
        let start: Instant
        let isFirst: Bool
    }

    private enum State: Hashable {
        case idle
        /// The key is down since `start`, and so many packets told of it.
        case sounding(start: Instant, packets: Int)
        /// It was let go, which is still to be said so often.
        case ending(start: Instant, next: Instant, left: Int)
        case pausing(until: Instant)
    }

    static let tone = Duration.milliseconds(100)
    static let pause = Duration.milliseconds(70)
    static let interval = Duration.milliseconds(20)
    private static let repetitions = 3
    /// No number is longer.
    static let maximumKeys = 64

    private let rate: Int
    private var waiting: [UInt8] = []
    private var state = State.idle

    init(rate: Int) {
        self.rate = rate
    }

    /// Sound makes way for keys.
    var isActive: Bool { self.state != .idle || !self.waiting.isEmpty }

    /// Says how many of the keys it took: it leaves out what is none, and what is too much.
    mutating func press(_ keys: String) -> Int {
        let events = keys.compactMap { TelephoneEvent.event(of: $0) }.prefix(
            max(0, Self.maximumKeys - self.waiting.count))
        self.waiting += events
        return events.count
    }

    /// When the next packet is due.
    var deadline: Instant? {
        switch self.state {
        case .idle: self.waiting.isEmpty ? nil : Instant(nanoseconds: .min)
        case .sounding(let start, let packets): start + Self.interval * packets
        case .ending(_, let next, _): next
        case .pausing(let until): until
        }
    }

    /// The next packet that is due by now; nil when there is none.
    mutating func next(at now: Instant) -> Packet? {
        while let deadline = self.deadline, deadline <= now {
            switch self.state {
            case .idle: self.state = .sounding(start: now, packets: 0)
            case .sounding(let start, let packets): return self.sound(start, packets)
            case .ending(let start, let next, let left): return self.end(start, next, left)
            case .pausing(let until):
                self.state = self.waiting.isEmpty ? .idle : .sounding(start: max(until, now), packets: 0)
            }
        }
        return nil
    }

    private mutating func sound(_ start: Instant, _ packets: Int) -> Packet? {
        guard let key = self.waiting.first else { return nil }
        // The first packet tells of a moment, since a duration of zero means something else (RFC 4733 §2.3.5).
        let heard = packets == 0 ? .milliseconds(1) : Self.interval * packets
        let next = Self.interval * (packets + 1)
        self.state =
            next < Self.tone
            ? .sounding(start: start, packets: packets + 1)
            : .ending(start: start, next: start + Self.tone, left: Self.repetitions)
        return Packet(
            event: TelephoneEvent(event: key, isEnd: false, duration: self.samples(heard)), start: start,
            isFirst: packets == 0)
    }

    private mutating func end(_ start: Instant, _ next: Instant, _ left: Int) -> Packet? {
        guard let key = self.waiting.first else { return nil }
        if left > 1 {
            self.state = .ending(start: start, next: next + Self.interval, left: left - 1)
        } else {
            self.waiting.removeFirst()
            self.state = .pausing(until: start + Self.tone + Self.pause)
        }
        return Packet(
            event: TelephoneEvent(event: key, isEnd: true, duration: self.samples(Self.tone)), start: start,
            isFirst: false)
    }

    private func samples(_ duration: Duration) -> UInt16 {
        UInt16(clamping: duration.clampedMilliseconds * Int64(self.rate) / 1000)
    }
}
