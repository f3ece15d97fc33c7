/// Samples that wait in their order, and never more than there is room for: the oldest make way.
package struct SampleQueue: Sendable {
    private var samples: [Float]
    private var first = 0
    package private(set) var count = 0

    package init(capacity: Int) {
        self.samples = [Float](repeating: 0, count: max(1, capacity))
    }

    package var capacity: Int { self.samples.count }

    /// Says how many older ones were dropped for it.
    @discardableResult
    package mutating func append(_ sound: Span<Float>) -> Int {
        let surplus = max(0, self.count + sound.count - self.capacity)
        for index in sound.indices { self.append(sound[index]) }
        return surplus
    }

    private mutating func append(_ sample: Float) {
        if self.count == self.capacity { self.drop(1) }
        self.samples[(self.first + self.count) % self.capacity] = sample
        self.count += 1
    }

    /// The sample that comes so many after the first; silence behind the end.
    package subscript(offset: Int) -> Float {
        (0..<self.count).contains(offset) ? self.samples[(self.first + offset) % self.capacity] : 0
    }

    package mutating func drop(_ wanted: Int) {
        let dropped = max(0, min(wanted, self.count))
        self.first = (self.first + dropped) % self.capacity
        self.count -= dropped
    }

    /// Fills `sound` from the front and says how much there was.
    package mutating func read(into sound: inout MutableSpan<Float>) -> Int {
        let taken = min(sound.count, self.count)
        for index in 0..<taken { sound[index] = self[index] }
        self.drop(taken)
        return taken
    }

    package mutating func removeAll() { self.drop(self.count) }
}
