internal import Bytes
package import Vocabulary

/// The jitter buffer: packets in, ten milliseconds of sound out, whatever the network does. It waits as little as it must, stretches time
/// when it has to wait more or less, and has sound made up where there is none.
///
/// It has no clock: it is pulled at an even pace, on the receiver's clock. That clock and the sender's
/// may differ; the wait grows or shrinks, and is stretched back.
///
///     waiting ──enough is there──▶ playing ──nothing is there──▶ concealing ──enough is there again──▶ playing
package struct JitterBuffer<Decoder: SoundDecoder> {
    package struct Settings: Hashable, Sendable {
        /// Of the sound, and of the packets' timestamps.
        package var rate = 48_000
        package var channels = 1
        /// What the delay is taken for before anything is known.
        package var firstDelay = Duration.milliseconds(40)
        package var minimumDelay = Duration.milliseconds(20)
        package var maximumDelay = Duration.seconds(1)

        package init() {}
    }

    private enum State: Hashable {
        /// Nothing was played yet.
        case waiting
        case playing
        /// No packet was there when its turn came, for so many samples by now.
        case concealing(Int)
    }

    package let settings: Settings
    package var decoder: Decoder
    package private(set) var statistics = PlayoutStatistics()
    private var state = State.waiting
    private var packets = PacketBuffer()
    private var timestamps = TimestampUnwrapper()
    private var estimator: DelayEstimator
    /// Whose turn went by without them, the latest last: their copies may still come, and tell how late copies are.
    private var missed: [Range<Int64>] = []
    private let stretcher: TimeStretcher
    private var fade: ConcealmentFade
    /// Decoded, and not yet given out, from `front` on.
    private var sound: [Float] = []
    private var front = 0
    /// What was held when the pull began, in samples.
    private var leftOver = 0
    /// Where the sound begins that comes next.
    private var next: Int64 = 0
    /// The last packet was one of those that say that nothing is to be heard.
    private var isSilent = false
    /// For how many samples time was not stretched: it is not done all the time.
    private var sinceStretch = 0

    package init(_ decoder: Decoder, settings: Settings = Settings()) {
        self.decoder = decoder
        self.settings = settings
        self.estimator = DelayEstimator(initial: settings.firstDelay.clampedNanoseconds)
        self.stretcher = TimeStretcher(rate: settings.rate, channels: settings.channels)
        self.fade = ConcealmentFade(rate: settings.rate, channels: settings.channels)
    }

    /// The longest packet lasts 120 ms.
    private var maximumPacket: Int { self.settings.rate / 1000 * 120 }

    /// What is held at most where packets last 20 ms and nothing is repeated: what was played last, the rest of one pull, and a packet.
    private var usualSamples: Int { self.stretcher.history + self.settings.rate / 1000 * 30 }

    /// How much sound should wait.
    package var targetDelay: Duration { .nanoseconds(self.target) }

    /// How much sound waits.
    package var delay: Duration { .nanoseconds(self.nanoseconds(self.waiting)) }

    private var waiting: Int { self.packets.duration + self.heldSamples }
    private var heldSamples: Int { (self.sound.count - self.front) / self.settings.channels }

    /// In nanoseconds, as all that is compared often.
    private var target: Int64 {
        min(
            max(self.estimator.target, self.settings.minimumDelay.clampedNanoseconds),
            self.settings.maximumDelay.clampedNanoseconds)
    }

    private func samples(_ nanoseconds: Int64) -> Int {
        Int(nanoseconds / 1000 * Int64(self.settings.rate) / 1_000_000)
    }

    private func nanoseconds(_ samples: Int) -> Int64 { Int64(samples) * 1_000_000_000 / Int64(self.settings.rate) }

    /// A place in the stream as a moment on the sender's clock, from whenever it began.
    private func sent(_ start: Int64) -> Int64 {
        let (seconds, rest) = start.quotientAndRemainder(dividingBy: Int64(self.settings.rate))
        return seconds &* 1_000_000_000 &+ rest * 1_000_000_000 / Int64(self.settings.rate)
    }
}

extension JitterBuffer: Sendable where Decoder: Sendable {}

// MARK: - Packets

extension JitterBuffer {
    /// Takes what arrived.
    ///
    /// - Parameters:
    ///   - duration: of its sound, in samples.
    ///   - isRedundant: a copy that travelled with a later packet. It fills a gap; how late it came only matters when it
    ///     did.
    package mutating func insert(
        _ packet: Span<UInt8>, timestamp: UInt32, duration: Int, isRedundant: Bool = false, at now: Instant
    ) {
        guard duration > 0, duration <= self.maximumPacket else { return }
        guard let start = self.place(of: timestamp, isRedundant: isRedundant, at: now) else { return }
        guard self.state == .waiting || start + Int64(duration) > self.next else {
            if isRedundant { self.missedPacketArrived(start, at: now) } else { self.statistics.packetsDiscarded += 1 }
            return
        }
        if self.packets.isFull { self.makeRoom() }
        let isNew = self.packets.insert(packet, start: start, duration: duration, arrival: now, isCopy: isRedundant)
        if isNew, isRedundant { self.estimator.heard(at: now, sent: self.sent(start)) }
    }

    private mutating func place(of timestamp: UInt32, isRedundant: Bool, at now: Instant) -> Int64? {
        guard !isRedundant else { return self.timestamps.peek(timestamp) }
        self.statistics.packetsReceived += 1
        let start = self.timestamps.place(timestamp)
        if abs(start - (self.packets.packets.last?.start ?? self.next)) > 10 * Int64(self.settings.rate) {
            self.reset()
        }
        self.estimator.heard(at: now, sent: self.sent(start))
        return start
    }

    /// The stream has jumped: what waits is not followed by what comes.
    package mutating func reset() {
        self.statistics.packetsDiscarded += UInt64(self.packets.packets.count)
        self.packets.removeAll()
        self.missed.removeAll()
        self.estimator = DelayEstimator(initial: self.settings.firstDelay.clampedNanoseconds)
        if self.state != .waiting { self.state = .concealing(0) }
        self.next = .min / 2
    }

    private mutating func makeRoom() {
        guard let packet = self.packets.takeFirst() else { return }
        self.packets.recycle(packet)
        self.statistics.packetsDiscarded += 1
    }

    /// Had the wait been longer, the copy would have come in time.
    private mutating func missedPacketArrived(_ start: Int64, at now: Instant) {
        guard let index = self.missed.firstIndex(where: { $0.contains(start) }) else { return }
        let range = self.missed[index]
        self.missed[index] = range.lowerBound..<start
        self.estimator.heard(at: now, sent: self.sent(start))
    }

    private mutating func miss(_ range: Range<Int64>) {
        if self.missed.count >= 16 { self.missed.removeFirst() }
        self.missed.append(range)
    }
}

// MARK: - Sound

extension JitterBuffer {
    /// Fills `output` with the sound that comes next; its length is the pace, mostly ten milliseconds.
    package mutating func pull(into output: inout MutableSpan<Float>, at now: Instant) {
        let count = output.count
        self.sound.reserveCapacity(self.usualSamples * self.settings.channels)
        self.leftOver = self.heldSamples
        while self.sound.count - self.front < count { self.produce(count / self.settings.channels, at: now) }
        unsafe self.sound.withUnsafeBufferPointer { sound in
            let piece = unsafe UnsafeBufferPointer(rebasing: sound[self.front..<(self.front + count)])
            unsafe output.withUnsafeMutableBufferPointer { _ = unsafe $0.update(from: piece) }
        }
        self.front += count
        // What was played last may be needed to be repeated.
        let kept = self.stretcher.history * self.settings.channels
        if self.front > kept {
            self.sound.removeFirst(self.front - kept)
            self.front = kept
        }
        self.statistics.emittedSamples += UInt64(count / self.settings.channels)
        self.sinceStretch += count / self.settings.channels
    }

    /// Makes more sound, of whatever there is.
    private mutating func produce(_ count: Int, at now: Instant) {
        self.dropOld()
        switch (self.state, self.packets.first) {
        case (.waiting, let first):
            guard let first, self.waiting >= self.samples(self.target) / 2 else { return self.addSilence(count) }
            self.next = first.start
            self.decode(at: now)
        case (.concealing(let made), nil):
            self.conceal(count)
            self.state = .concealing(made + count)
        case (.playing, nil):
            self.statistics.concealmentEvents += 1
            self.conceal(count)
            self.state = .concealing(count)
        case (.playing, let first?): self.bridge(first, count, at: now)
        case (.concealing(let made), let first?): self.resume(with: first, after: made, count, at: now)
        }
    }

    private mutating func dropOld() {
        while self.state != .waiting, let first = self.packets.first, first.end <= self.next { self.makeRoom() }
    }

    /// Sound goes on after it was made up, for which some time has passed in the stream as well: what is there came late,
    /// or what was before it never came.
    private mutating func resume(with first: PacketBuffer.Packet, after made: Int, _ count: Int, at now: Instant) {
        guard self.isReady(first, after: made, at: now) else {
            self.conceal(count)
            self.state = .concealing(made + count)
            return
        }
        let gap = max(0, first.start &- self.next)
        if gap > 0 { self.miss(self.next..<first.start) }
        // After a silence the time has come, whatever the other side did not say of it.
        self.next += self.isSilent ? gap : min(gap, Int64(made))
        self.state = .playing
        self.bridge(first, count, at: now)
    }

    private func isReady(_ first: PacketBuffer.Packet, after made: Int, at now: Instant) -> Bool {
        // Nothing hurries after a silence, and its length is inaudible: the delay starts at its target.
        if self.isSilent { return self.lead(of: first.start, at: now) >= self.target }
        // What follows on what was made up goes on at once. For the rest a little is gathered first, or the next packet
        // would be missed as well.
        let gap = first.start &- self.next
        return (gap > 0 && gap <= Int64(made)) || self.waiting >= self.samples(self.target) / 2
            || made >= self.settings.rate / 10
    }

    /// Goes on from what was played to the first packet there is.
    private mutating func bridge(_ first: PacketBuffer.Packet, _ count: Int, at now: Instant) {
        let gap = first.start &- self.next
        guard gap > 0 else { return self.decode(at: now) }
        // Concealment does not go on for seconds.
        guard gap <= Int64(self.settings.rate) else {
            self.next = first.start
            return self.decode(at: now)
        }
        let missing = min(Int(gap), self.maximumPacket)
        self.miss(self.next..<(self.next + Int64(missing)))
        if missing <= first.duration { return self.recover(missing, from: first) }
        self.statistics.concealmentEvents += 1
        let made = min(missing - first.duration, first.duration)
        self.conceal(made)
        self.next += Int64(made)
    }
}

// MARK: - The decoder

extension JitterBuffer {
    private mutating func decode(at now: Instant) {
        guard let packet = self.packets.takeFirst() else { return }
        let (held, lead) = (self.heldSamples, self.lead(of: packet.start, at: now))
        let made = self.make(packet.duration) { decoder, sound in decoder.decode(packet.bytes.span, into: &sound) ?? 0 }
        self.next = packet.end
        self.state = .playing
        // An Opus packet this short is DTX: silence.
        self.isSilent = packet.bytes.count <= 2
        if made > 0 {
            self.note(packet, made, behind: held, at: now)
            self.fade.resume(&self.sound, last: made)
            self.stretch(lead, at: now)
        } else {
            self.conceal(packet.duration)
        }
        self.packets.recycle(packet)
    }

    private mutating func note(_ packet: PacketBuffer.Packet, _ made: Int, behind held: Int, at now: Instant) {
        let wait = now.nanoseconds &- packet.arrival.nanoseconds &+ self.nanoseconds(held)
        self.statistics.packetsDecoded += 1
        self.statistics.decodedSamples += UInt64(made)
        self.statistics.bufferDelay += .nanoseconds(wait) * made
        self.statistics.bufferTargetDelay += .nanoseconds(self.target) * made
        if packet.isCopy { self.statistics.redundantPacketsUsed += 1 }
    }

    private mutating func conceal(_ count: Int) {
        let count = min(count, self.maximumPacket)
        if self.fade.isOver {
            self.addSilence(count)
        } else {
            self.make(count) { decoder, sound in
                decoder.conceal(count, into: &sound)
                return count
            }
        }
        // What a side that is silent on purpose is silent with goes on as long as it is.
        if !self.isSilent { self.fade.conceal(&self.sound, last: count) }
        self.statistics.concealedSamples += UInt64(count)
        if self.isSilent { self.statistics.silentConcealedSamples += UInt64(count) }
    }

    private mutating func recover(_ count: Int, from packet: PacketBuffer.Packet) {
        var isFound = false
        self.make(count) { decoder, sound in
            isFound = decoder.recover(count, from: packet.bytes.span, into: &sound)
            return count
        }
        self.fade.resume(&self.sound, last: count)
        if isFound {
            self.statistics.recoveredSamples += UInt64(count)
        } else {
            self.statistics.concealmentEvents += 1
            self.statistics.concealedSamples += UInt64(count)
        }
        self.next += Int64(count)
    }

    /// Lends the decoder, and room at the end of the sound for as much as it makes at once, in whole steps of ten milliseconds: a decoder
    /// makes sound up in steps of its own. So many samples as it says stay there.
    @discardableResult private mutating func make(
        _ count: Int, _ body: (inout Decoder, inout MutableSpan<Float>) -> Int
    ) -> Int {
        var sound: [Float] = []
        swap(&sound, &self.sound)
        defer { swap(&sound, &self.sound) }
        let (end, step) = (sound.count, self.settings.rate / 100)
        let size = (count + step - 1) / step * step * self.settings.channels
        sound.append(contentsOf: repeatElement(0, count: size))
        var all = sound.mutableSpan
        var room = all._mutatingExtracting(end..<(end + size))
        let made = min(body(&self.decoder, &room), size / self.settings.channels)
        sound.removeLast(size - made * self.settings.channels)
        return made
    }

    private mutating func addSilence(_ count: Int) {
        self.sound.append(contentsOf: repeatElement(0, count: count * self.settings.channels))
    }
}

// MARK: - Time

extension JitterBuffer {
    /// How late a packet could have been without being missed, compared with the quickest. That is the wait as it really
    /// is: what lies on the packets only tells it in whole packets. What was left over from the last pull does not help,
    /// since it is not enough for this one.
    private func lead(of start: Int64, at now: Instant) -> Int64 {
        now.nanoseconds &- self.sent(start) &- self.estimator.leastTransit
            &+ self.nanoseconds(self.heldSamples - self.leftOver)
    }

    /// Brings the wait nearer to where it should be, by one period of the sound at a time. A share of the wait to either side is near
    /// enough: where packets vary much, what is known of them varies too, and following it is heard more than a wait that is a little off.
    private mutating func stretch(_ lead: Int64, at now: Instant) {
        let target = self.target
        // Twice as much as should be: better a little rough than late.
        let isUrgent = lead > target * 2 + 40_000_000
        guard isUrgent || self.sinceStretch >= self.settings.rate / 25 else { return }
        if lead > target + max(12_500_000, target / 10 * 3) {
            // A period to take out may be longer than half a packet.
            guard self.heldSamples >= self.stretcher.needed else {
                return self.packets.first?.start == self.next ? self.decode(at: now) : ()
            }
            let removed = self.stretcher.shorten(&self.sound, at: self.front, similarity: isUrgent ? 0.5 : 0.9)
            self.statistics.removedSamplesForAcceleration += UInt64(removed)
            if removed > 0 { self.sinceStretch = 0 }
        } else if lead < target - max(2_500_000, target / 5) {
            let added = self.stretcher.lengthen(&self.sound, at: self.front, similarity: 0.9)
            self.statistics.insertedSamplesForDeceleration += UInt64(added)
            if added > 0 { self.sinceStretch = 0 }
        }
    }
}
