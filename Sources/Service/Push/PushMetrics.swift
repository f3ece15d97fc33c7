internal import Journal

/// What became of pushes, without names.
final class PushMetrics: Sendable {
    enum Outcome: String, MetricLabel {
        static let labelName: StaticString = "outcome"
        case accepted, gone, refused, expired
    }

    let queued: Counter
    let ended: MetricFamily<Outcome, Counter>
    let failures: Counter

    init(_ registry: MetricsRegistry) {
        self.queued = registry.counter("parley_pushes_total", "Pushes to devices that slept.")
        self.ended = registry.counters(
            "parley_pushes_ended_total", "Pushes of which nothing more becomes, by outcome.", by: Outcome.self)
        self.failures = registry.counter(
            "parley_push_failures_total", "Attempts to send a push that failed and are made again.")
    }
}
