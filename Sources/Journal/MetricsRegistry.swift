import System

/// All metrics of one process or one test, and how they are shown.
///
/// Metrics are made once, at the start; the code that counts keeps what it was given.
package final class MetricsRegistry: Sendable {
    private let families = Locked<[ExposedFamily]>([])

    package init() {}

    package func counter(_ name: MetricName, _ help: StaticString) -> Counter {
        let counter = Counter()
        self.add(name, .counter, help) { [ExposedSample(number: Double(counter.value))] }
        return counter
    }

    package func counters<Labels: MetricLabels>(
        _ name: MetricName,
        _ help: StaticString,
        by labels: Labels.Type
    ) -> MetricFamily<Labels, Counter> {
        let family = MetricFamily<Labels, Counter> { Counter() }
        self.add(name, .counter, help) {
            Labels.allCases.map { ExposedSample(labels: $0.labels, number: Double(family[$0].value)) }
        }
        return family
    }

    package func gauge(_ name: MetricName, _ help: StaticString) -> Gauge {
        let gauge = Gauge()
        self.add(name, .gauge, help) { [ExposedSample(number: Double(gauge.value))] }
        return gauge
    }

    package func histogram(
        _ name: MetricName,
        _ help: StaticString,
        bounds: [Double] = Histogram.seconds
    ) -> Histogram {
        let histogram = Histogram(bounds: bounds)
        self.add(name, .histogram, help) { ExposedSample.samples(of: histogram) }
        return histogram
    }

    /// A gauge that is asked at every reading; nil when the answer is not to be had.
    package func gauge(_ name: MetricName, _ help: StaticString, reading read: @escaping @Sendable () -> Double?) {
        self.add(name, .gauge, help) { read().map { [ExposedSample(number: $0)] } ?? [] }
    }

    /// Says something in words: a sample of 1 for each value.
    package func info(
        _ name: MetricName, _ help: StaticString, label: StaticString, reading read: @escaping @Sendable () -> [String]
    ) {
        self.add(name, .gauge, help) {
            read().map { ExposedSample(labels: [(name: label.description, value: $0)], number: 1) }
        }
    }

    /// A counter that is counted elsewhere.
    package func counter(_ name: MetricName, _ help: StaticString, reading read: @escaping @Sendable () -> Double?) {
        self.add(name, .counter, help) { read().map { [ExposedSample(number: $0)] } ?? [] }
    }

    private func add(
        _ name: MetricName,
        _ type: ExposedFamily.MetricType,
        _ help: StaticString,
        _ read: @escaping @Sendable () -> [ExposedSample]
    ) {
        let text = name.description
        precondition(text.hasSuffix("_total") == (type == .counter), "\(name): counters and only they end in _total")
        let family = ExposedFamily(name: text, type: type, help: help.description, read: read)
        self.families.withLock { families in
            precondition(families.allSatisfy { $0.name != text }, "\(name) is registered twice")
            families.append(family)
        }
    }
}

extension MetricsRegistry {
    /// What `exposition()` is, for the `Content-Type` field.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Every metric in the text format of Prometheus, in the order in which they were registered.
    package func exposition() -> String {
        // Read outside of the lock: a callback may take locks of its own.
        self.families.withLock { $0 }.map { $0.exposition() }.joined()
    }
}
