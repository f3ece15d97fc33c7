internal import RTP
internal import Vocabulary

/// Gathers the packets of each key into one event (RFC 4733 §2.5.2): they say many times over what was pressed for how
/// long, and some get lost.
struct KeyListener: Hashable, Sendable {
    private struct Press: Hashable {
        let timestamp: UInt32
        let key: Character
        var duration: UInt16
        var isTold = false
        var lastHeard: Instant
    }

    /// A key that no packet tells of for so long is taken for released.
    private static let timeout = Duration.milliseconds(150)

    private let rate: Int64
    private var press: Press?

    init(rate: Int) {
        self.rate = Int64(max(1, rate))
    }

    /// Says which keys were let go by now: the one before, and the one that the packet is about.
    mutating func heard(_ event: TelephoneEvent, timestamp: UInt32, at now: Instant, _ body: (AudioEvent) -> Void) {
        guard let key = event.key else { return }
        if let press = self.press, press.timestamp != timestamp {
            // What is late belongs to a key that is over.
            guard timestamp.isAhead(of: press.timestamp) else { return }
            self.tell(body)
            self.press = nil
        }
        var press = self.press ?? Press(timestamp: timestamp, key: key, duration: 0, lastHeard: now)
        press.duration = max(press.duration, event.duration)
        press.lastHeard = now
        self.press = press
        if event.isEnd { self.tell(body) }
    }

    mutating func clockAdvanced(to now: Instant, _ body: (AudioEvent) -> Void) {
        guard let press = self.press, !press.isTold, press.lastHeard + Self.timeout <= now else { return }
        self.tell(body)
    }

    private mutating func tell(_ body: (AudioEvent) -> Void) {
        guard let press = self.press, !press.isTold else { return }
        self.press?.isTold = true
        body(.key(press.key, .milliseconds(Int64(press.duration) * 1000 / self.rate)))
    }
}
