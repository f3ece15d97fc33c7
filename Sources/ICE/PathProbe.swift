internal import Vocabulary

/// Notices that the stream on the pair in use has stopped: a peer that sent fifty packets a second and stopped has paused,
/// or has lost its path. Then the pair in use is asked, and given up for the best alternative when nothing comes.
struct PathProbe: Sendable {
    enum Step {
        case ask
        case moveTo(pair: Int)
    }

    private struct Probe {
        let since: Instant
        let until: Instant
        var next: Instant
        let alternative: Int
    }

    /// Packets in a row that arrived close to each other; ten make a stream.
    private var streamedPackets = 0
    private var probe: Probe?

    private static let stream = 10
    /// A stream that is so late is suspicious.
    static let silence = Duration.milliseconds(300)

    /// A packet came on the pair in use, on which the one before came at `last`.
    mutating func received(after last: Instant, at now: Instant) {
        let isDense = now < last + .milliseconds(100)
        self.streamedPackets = isDense ? min(self.streamedPackets + 1, Self.stream) : 0
    }

    /// True once when a stream that was dense is suspiciously late.
    mutating func noticesSilence(since last: Instant?, at now: Instant) -> Bool {
        guard let quiet = self.quietDeadline(since: last), now >= quiet else { return false }
        self.streamedPackets = 0
        return true
    }

    mutating func begin(alternative: Int, roundTrip: Duration?, at now: Instant) {
        let time = max((roundTrip ?? .milliseconds(100)) * 3, .milliseconds(200))
        self.probe = Probe(since: now, until: now + time, next: now, alternative: alternative)
    }

    /// Another pair is in use, or none.
    mutating func stop() {
        self.probe = nil
    }

    /// What is to be done now. It ends by itself as soon as something comes on the pair in use.
    mutating func step(lastReceived: Instant?, at now: Instant) -> Step? {
        guard var probe = self.probe else { return nil }
        guard let lastReceived, lastReceived <= probe.since else {
            self.probe = nil
            return nil
        }
        if now >= probe.until {
            self.probe = nil
            return .moveTo(pair: probe.alternative)
        }
        guard now >= probe.next else { return nil }
        probe.next = now + .milliseconds(40)
        self.probe = probe
        return .ask
    }

    func deadline(lastReceived: Instant?) -> Instant? {
        if let probe = self.probe { return min(probe.next, probe.until) }
        return self.quietDeadline(since: lastReceived)
    }

    private func quietDeadline(since last: Instant?) -> Instant? {
        guard self.streamedPackets >= Self.stream, self.probe == nil, let last else { return nil }
        return last + Self.silence
    }
}
