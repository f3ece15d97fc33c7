package import Vocabulary

/// Packets in, ten milliseconds of sound out, whatever the network does: it waits as little as it must, stretches time
/// when it has to wait more or less, and has sound made up where there is none.
///
/// It has no clock: whoever pulls does so at an even pace, on the clock of whoever listens. That clock and the sender's
/// may differ; the wait grows or shrinks, and is stretched back.
///
///     waiting ──enough is there──▶ playing ──nothing is there──▶ making up ──enough is there again──▶ playing
package struct PlayoutBuffer<Decoder: SoundDecoder> {
    package struct Settings: Hashable, Sendable {
        /// Of the sound, and of the packets' timestamps.
        package var rate = 48_000
        package var channels = 1
        /// What the delay is believed to be before anything is known.
        package var firstDelay = Duration.milliseconds(40)
        package var leastDelay = Duration.milliseconds(20)
        package var mostDelay = Duration.seconds(1)

        package init() {}
    }

    enum State: Hashable {
        /// Nothing was played yet.
        case waiting
        case playing
        /// No packet was there when its turn came, for so many samples by now.
        case makingUp(Int)
    }

    package let settings: Settings
    package var decoder: Decoder
    package internal(set) var statistics = PlayoutStatistics()
    var state = State.waiting
    var shelf = PacketShelf()
    var timestamps = TimestampLine()
    var estimator: DelayEstimator
    /// Whose turn went by without them, the latest last: their copies may still come, and tell how late copies are.
    var missed: [Range<Int64>] = []
    let stretcher: TimeStretcher
    /// Decoded, and not yet given out, from `front` on.
    var sound: [Float] = []
    var front = 0
    /// What was held when the pull began, in samples.
    var leftOver = 0
    var scratch: [Float]
    /// Where the sound begins that comes next.
    var next: Int64 = 0
    /// The last packet was one of those that say that nothing is to be heard.
    var isSilent = false
    /// For how many samples time was not stretched: it is not done all the time.
    var sinceStretch = 0

    package init(_ decoder: Decoder, settings: Settings = Settings()) {
        self.decoder = decoder
        self.settings = settings
        self.estimator = DelayEstimator(believing: settings.firstDelay.clampedNanoseconds)
        self.stretcher = TimeStretcher(rate: settings.rate, channels: settings.channels)
        // Made with the first packet: a stream that is never played needs none.
        self.scratch = []
    }

    /// The longest packet lasts 120 ms.
    var longest: Int { self.settings.rate / 1000 * 120 }

    /// How much sound should wait.
    package var targetDelay: Duration { .nanoseconds(self.target) }

    /// How much sound waits.
    package var delay: Duration { .nanoseconds(self.nanoseconds(self.waiting)) }

    var waiting: Int { self.shelf.duration + self.heldSamples }
    var heldSamples: Int { (self.sound.count - self.front) / self.settings.channels }

    /// In nanoseconds, as all that is compared often.
    var target: Int64 {
        min(
            max(self.estimator.target, self.settings.leastDelay.clampedNanoseconds),
            self.settings.mostDelay.clampedNanoseconds)
    }

    func samples(_ nanoseconds: Int64) -> Int { Int(nanoseconds / 1000 * Int64(self.settings.rate) / 1_000_000) }

    func nanoseconds(_ samples: Int) -> Int64 { Int64(samples) * 1_000_000_000 / Int64(self.settings.rate) }

    /// A place in the stream as a moment on the sender's clock, from whenever it began.
    func sent(_ start: Int64) -> Int64 {
        let (seconds, rest) = start.quotientAndRemainder(dividingBy: Int64(self.settings.rate))
        return seconds &* 1_000_000_000 &+ rest * 1_000_000_000 / Int64(self.settings.rate)
    }
}

extension PlayoutBuffer: Sendable where Decoder: Sendable {}

// MARK: - Packets

extension PlayoutBuffer {
    /// Takes what arrived.
    ///
    /// - Parameters:
    ///   - duration: of its sound, in samples.
    ///   - isRedundant: a copy that travelled with a later packet. It fills a gap; how late it came only matters when it
    ///     did.
    package mutating func insert(
        _ packet: Span<UInt8>, timestamp: UInt32, duration: Int, isRedundant: Bool = false, at now: Instant
    ) {
        guard duration > 0, duration <= self.longest else { return }
        guard let start = self.place(of: timestamp, isRedundant: isRedundant, at: now) else { return }
        guard self.state == .waiting || start + Int64(duration) > self.next else {
            if isRedundant { self.heardMissed(start, at: now) } else { self.statistics.packetsDiscarded += 1 }
            return
        }
        if self.shelf.isFull { self.makeRoom() }
        let isNew = self.shelf.insert(packet, start: start, duration: duration, arrival: now, isCopy: isRedundant)
        if isNew, isRedundant { self.estimator.heard(at: now, sent: self.sent(start)) }
    }

    private mutating func place(of timestamp: UInt32, isRedundant: Bool, at now: Instant) -> Int64? {
        guard !isRedundant else { return self.timestamps.peek(timestamp) }
        self.statistics.packetsReceived += 1
        let start = self.timestamps.place(timestamp)
        if abs(start - (self.shelf.packets.last?.start ?? self.next)) > 10 * Int64(self.settings.rate) {
            self.beginAnew()
        }
        self.estimator.heard(at: now, sent: self.sent(start))
        return start
    }

    /// The stream has jumped: what waits is not followed by what comes.
    package mutating func beginAnew() {
        self.statistics.packetsDiscarded += UInt64(self.shelf.packets.count)
        self.shelf.removeAll()
        self.missed.removeAll()
        self.estimator = DelayEstimator(believing: self.settings.firstDelay.clampedNanoseconds)
        if self.state != .waiting { self.state = .makingUp(0) }
        self.next = .min / 2
    }

    mutating func makeRoom() {
        guard let packet = self.shelf.takeFirst() else { return }
        self.shelf.recycle(packet)
        self.statistics.packetsDiscarded += 1
    }

    /// Had the wait been longer, the copy would have come in time.
    private mutating func heardMissed(_ start: Int64, at now: Instant) {
        guard let index = self.missed.firstIndex(where: { $0.contains(start) }) else { return }
        let range = self.missed[index]
        self.missed[index] = range.lowerBound..<start
        self.estimator.heard(at: now, sent: self.sent(start))
    }

    mutating func miss(_ range: Range<Int64>) {
        if self.missed.count >= 16 { self.missed.removeFirst() }
        self.missed.append(range)
    }
}
