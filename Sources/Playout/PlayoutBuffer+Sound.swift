internal import Bytes
package import Vocabulary

extension PlayoutBuffer {
    /// Fills `output` with the sound that comes next; its length is the pace, mostly ten milliseconds.
    package mutating func pull(into output: inout MutableSpan<Float>, at now: Instant) {
        let count = output.count
        self.leftOver = self.heldSamples
        while self.sound.count - self.front < count { self.produce(count / self.settings.channels, at: now) }
        unsafe self.sound.withUnsafeBufferPointer { sound in
            let piece = unsafe UnsafeBufferPointer(rebasing: sound[self.front..<(self.front + count)])
            unsafe output.withUnsafeMutableBufferPointer { _ = unsafe $0.update(from: piece) }
        }
        self.front += count
        // What was played last may be needed to be repeated.
        let kept = self.stretcher.history * self.settings.channels
        if self.front >= 4 * kept {
            self.sound.removeFirst(self.front - kept)
            self.front = kept
        }
        self.statistics.emittedSamples += UInt64(count / self.settings.channels)
        self.sinceStretch += count / self.settings.channels
    }

    /// Makes more sound, of whatever there is.
    private mutating func produce(_ count: Int, at now: Instant) {
        self.dropOld()
        switch (self.state, self.shelf.first) {
        case (.waiting, let first):
            guard let first, self.waiting >= self.samples(self.target) / 2 else { return self.addSilence(count) }
            self.next = first.start
            self.decode(at: now)
        case (.makingUp(let made), nil):
            self.conceal(count)
            self.state = .makingUp(made + count)
        case (.playing, nil):
            self.statistics.concealmentEvents += 1
            self.conceal(count)
            self.state = .makingUp(count)
        case (.playing, let first?): self.bridge(first, count, at: now)
        case (.makingUp(let made), let first?): self.resume(with: first, after: made, count, at: now)
        }
    }

    private mutating func dropOld() {
        while self.state != .waiting, let first = self.shelf.first, first.end <= self.next { self.makeRoom() }
    }

    /// Sound goes on after it was made up, for which some time has passed in the stream as well: what is there came late,
    /// or what was before it never came.
    private mutating func resume(with first: PacketShelf.Packet, after made: Int, _ count: Int, at now: Instant) {
        guard self.isReady(first, after: made, at: now) else {
            self.conceal(count)
            self.state = .makingUp(made + count)
            return
        }
        let gap = max(0, first.start &- self.next)
        if gap > 0 { self.miss(self.next..<first.start) }
        // After a silence the time has come, whatever the other side did not say of it.
        self.next += self.isSilent ? gap : min(gap, Int64(made))
        self.state = .playing
        self.bridge(first, count, at: now)
    }

    private func isReady(_ first: PacketShelf.Packet, after made: Int, at now: Instant) -> Bool {
        // Nothing hurries after a silence, and nobody hears how long it takes: the wait begins as it should be.
        if self.isSilent { return self.lead(of: first.start, at: now) >= self.target }
        // What follows on what was made up goes on at once. For the rest a little is gathered first, or the next packet
        // would be missed as well.
        let gap = first.start &- self.next
        return (gap > 0 && gap <= Int64(made)) || self.waiting >= self.samples(self.target) / 2
            || made >= self.settings.rate / 10
    }

    /// Goes on from what was played to the first packet there is.
    private mutating func bridge(_ first: PacketShelf.Packet, _ count: Int, at now: Instant) {
        let gap = first.start &- self.next
        guard gap > 0 else { return self.decode(at: now) }
        // Nobody wants to hear seconds of made up sound.
        guard gap <= Int64(self.settings.rate) else {
            self.next = first.start
            return self.decode(at: now)
        }
        let missing = min(Int(gap), self.longest)
        self.miss(self.next..<(self.next + Int64(missing)))
        if missing <= first.duration { return self.recover(missing, from: first) }
        self.statistics.concealmentEvents += 1
        let made = min(missing - first.duration, first.duration)
        self.conceal(made)
        self.next += Int64(made)
    }
}

// MARK: - The decoder

extension PlayoutBuffer {
    private mutating func decode(at now: Instant) {
        guard let packet = self.shelf.takeFirst() else { return }
        let made = self.withScratch { decoder, sound in decoder.decode(packet.bytes.span, into: &sound) } ?? 0
        self.next = packet.end
        self.state = .playing
        // A packet of Opus this short says that nobody speaks.
        self.isSilent = packet.bytes.count <= 2
        if made > 0 {
            self.note(packet, made, at: now)
            let lead = self.lead(of: packet.start, at: now)
            self.take(made)
            self.stretch(lead, at: now)
        } else {
            self.conceal(packet.duration)
        }
        self.shelf.recycle(packet)
    }

    private mutating func note(_ packet: PacketShelf.Packet, _ made: Int, at now: Instant) {
        let wait = now.nanoseconds &- packet.arrival.nanoseconds &+ self.nanoseconds(self.heldSamples)
        self.statistics.packetsDecoded += 1
        self.statistics.decodedSamples += UInt64(made)
        self.statistics.bufferDelay += .nanoseconds(wait) * made
        self.statistics.bufferTargetDelay += .nanoseconds(self.target) * made
        if packet.isCopy { self.statistics.redundantPacketsUsed += 1 }
    }

    private mutating func conceal(_ count: Int) {
        let count = min(count, self.longest)
        self.withScratch { decoder, sound in decoder.conceal(count, into: &sound) }
        self.take(count)
        self.statistics.concealedSamples += UInt64(count)
        if self.isSilent { self.statistics.silentConcealedSamples += UInt64(count) }
    }

    private mutating func recover(_ count: Int, from packet: PacketShelf.Packet) {
        let isFound = self.withScratch { decoder, sound in
            decoder.recover(count, from: packet.bytes.span, into: &sound)
        }
        self.take(count)
        if isFound {
            self.statistics.recoveredSamples += UInt64(count)
        } else {
            self.statistics.concealmentEvents += 1
            self.statistics.concealedSamples += UInt64(count)
        }
        self.next += Int64(count)
    }

    /// Lends the decoder and the memory for what it makes at once.
    private mutating func withScratch<Result>(
        _ body: (inout Decoder, inout MutableSpan<Float>) -> Result
    ) -> Result {
        var scratch: [Float] = []
        swap(&scratch, &self.scratch)
        defer { swap(&scratch, &self.scratch) }
        if scratch.isEmpty { scratch = [Float](repeating: 0, count: self.longest * self.settings.channels) }
        var sound = scratch.mutableSpan
        return body(&self.decoder, &sound)
    }

    private mutating func take(_ count: Int) {
        self.sound.append(contentsOf: self.scratch.prefix(count * self.settings.channels))
    }

    private mutating func addSilence(_ count: Int) {
        self.sound.append(contentsOf: repeatElement(0, count: count * self.settings.channels))
    }
}

// MARK: - Time

extension PlayoutBuffer {
    /// How late a packet could have been without being missed, compared with the quickest. That is the wait as it really
    /// is: what lies on the shelf only tells it in whole packets. What was left over from the last pull does not help,
    /// since it is not enough for this one.
    private func lead(of start: Int64, at now: Instant) -> Int64 {
        now.nanoseconds &- self.sent(start) &- self.estimator.leastTransit
            &+ self.nanoseconds(self.heldSamples - self.leftOver)
    }

    /// Brings the wait nearer to where it should be, by one period of the sound at a time.
    private mutating func stretch(_ lead: Int64, at now: Instant) {
        let target = self.target
        // Twice as much as should be: better a little rough than late.
        let isUrgent = lead > target * 2 + 40_000_000
        guard isUrgent || self.sinceStretch >= self.settings.rate / 25 else { return }
        if lead > target + 12_500_000 {
            // A period to take out may be longer than half a packet.
            guard self.heldSamples >= self.stretcher.needed else {
                return self.shelf.first?.start == self.next ? self.decode(at: now) : ()
            }
            let removed = self.stretcher.shorten(&self.sound, at: self.front, likeness: isUrgent ? 0.5 : 0.9)
            self.statistics.removedSamplesForAcceleration += UInt64(removed)
            if removed > 0 { self.sinceStretch = 0 }
        } else if lead < target - 2_500_000 {
            let added = self.stretcher.lengthen(&self.sound, at: self.front, likeness: 0.9)
            self.statistics.insertedSamplesForDeceleration += UInt64(added)
            if added > 0 { self.sinceStretch = 0 }
        }
    }
}
