import Synchronization

/// Counts up, from any thread.
package final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    package init() {}

    package func increment(by amount: Int = 1) {
        // Each number stands for itself and orders nothing else, so relaxed is enough here and below.
        self.count.wrappingAdd(amount, ordering: .relaxed)
    }

    package var value: Int { self.count.load(ordering: .relaxed) }
}

/// Goes up and down, from any thread.
package final class Gauge: Sendable {
    private let level = Atomic<Int>(0)

    package init() {}

    package func set(_ value: Int) { self.level.store(value, ordering: .relaxed) }
    package func increment(by amount: Int = 1) { self.level.wrappingAdd(amount, ordering: .relaxed) }
    package func decrement(by amount: Int = 1) { self.level.wrappingSubtract(amount, ordering: .relaxed) }

    package var value: Int { self.level.load(ordering: .relaxed) }
}

/// Sorts observations into buckets, from any thread.
package final class Histogram: Sendable {
    /// The upper bounds of the buckets, rising; the one without a bound is not among them.
    package let bounds: [Double]
    private let buckets: [Counter]
    private let sumBits = Atomic<UInt64>(0)

    package init(bounds: [Double]) {
        let isRising = zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }
        precondition(isRising && bounds.allSatisfy(\.isFinite), "\(bounds) are no bounds for buckets")
        self.bounds = bounds
        self.buckets = (0...bounds.count).map { _ in Counter() }
    }

    package func observe(_ value: Double) {
        let index = self.bounds.firstIndex { value <= $0 } ?? self.bounds.count
        self.buckets[index].increment()
        self.add(value)
    }

    package func observe(_ duration: Duration) { self.observe(duration.inSeconds) }

    /// How many fell into each bucket alone, the one without a bound last.
    package var counts: [Int] { self.buckets.map(\.value) }

    package var sum: Double { Double(bitPattern: self.sumBits.load(ordering: .relaxed)) }

    private func add(_ value: Double) {
        var seen = self.sumBits.load(ordering: .relaxed)
        while true {
            let sum = (Double(bitPattern: seen) + value).bitPattern
            let (exchanged, original) = self.sumBits.weakCompareExchange(
                expected: seen,
                desired: sum,
                ordering: .relaxed
            )
            guard !exchanged else { return }
            seen = original
        }
    }
}

extension Histogram {
    /// From a tenth of a millisecond to ten seconds: what a request, a query or a delivery takes.
    package static let seconds: [Double] = [
        0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
}

/// One metric for each case of its labels, all made beforehand, so that counting takes no lock.
package final class MetricFamily<Labels: MetricLabels, Metric: Sendable>: Sendable {
    private let cases: [Labels]
    /// In the order of the cases.
    private let metrics: [Metric]

    init(_ make: () -> Metric) {
        self.cases = Array(Labels.allCases)
        self.metrics = self.cases.map { _ in make() }
    }

    /// Looked for one by one: there are few, and to hash takes longer.
    package subscript(labels: Labels) -> Metric {
        var place = 0
        while place < self.cases.count, self.cases[place] != labels { place += 1 }
        precondition(place < self.cases.count, "\(labels) is not among the cases of \(Labels.self)")
        return self.metrics[place]
    }
}
