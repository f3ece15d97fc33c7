/// Draws the outline of a recording of any length in constant memory.
///
/// The recording is kept as at most `capacity` slots. When they are full, neighbours become one and
/// every slot from then on lasts twice as long; so at the end there are thousands of slots, enough for
/// the hundred bars a messenger shows.
package struct WaveformMeter: Sendable {
    package struct Slot: Hashable, Sendable {
        /// The largest absolute sample.
        package var peak: Float = 0
        /// The sum of absolute samples.
        package var sum: Float = 0
        /// The sum of squares.
        package var energy: Float = 0

        mutating func add(_ other: Slot) {
            self.peak = max(self.peak, other.peak)
            self.sum += other.sum
            self.energy += other.energy
        }
    }

    static let capacity = 8192

    private var slots: [Slot] = []
    /// Samples in each full slot.
    private var width = 1
    private var open = Slot()
    private var openCount = 0
    package private(set) var sampleCount = 0

    package init() {
        self.slots.reserveCapacity(Self.capacity)
    }

    package mutating func add(_ samples: Span<Float>) {
        self.sampleCount += samples.count
        var position = 0
        while position < samples.count {
            let count = min(self.width - self.openCount, samples.count - position)
            for index in position..<(position + count) {
                let level = abs(samples[index])
                self.open.peak = max(self.open.peak, level)
                self.open.sum += level
                self.open.energy += level * level
            }
            position += count
            self.openCount += count
            if self.openCount == self.width { self.closeSlot() }
        }
    }

    private mutating func closeSlot() {
        self.slots.append(self.open)
        self.open = Slot()
        self.openCount = 0
        guard self.slots.count == Self.capacity else { return }
        for index in 0..<(Self.capacity / 2) {
            self.slots[index] = self.slots[2 * index]
            self.slots[index].add(self.slots[2 * index + 1])
        }
        self.slots.removeLast(Self.capacity / 2)
        self.width *= 2
    }

    /// The recording cut into `count` bars of equal length.
    package func bars(_ count: Int) -> Waveform {
        let slots = self.openCount > 0 ? self.slots + [self.open] : self.slots
        guard count > 0, !slots.isEmpty else { return Waveform(bars: [], duration: 0) }
        let bars = (0..<count).map { index -> Waveform.Bar in
            let start = index * slots.count / count
            let end = max(start + 1, (index + 1) * slots.count / count)
            var sum = Slot()
            for slot in slots[start..<min(end, slots.count)] { sum.add(slot) }
            // The last slot may be shorter, which makes no difference that can be seen.
            let samples = Float((end - start) * self.width)
            return Waveform.Bar(peak: sum.peak, mean: sum.sum / samples, meanSquare: sum.energy / samples)
        }
        return Waveform(bars: bars, duration: self.sampleCount)
    }
}
